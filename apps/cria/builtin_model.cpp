// Access to the bytes that builtin_model.S brings in.
#include "builtin_model.h"

extern "C" {
extern const std::byte cria_builtin_model_begin[];
extern const std::byte cria_builtin_model_end[];
}

namespace cria::app {

std::span<const std::byte> builtin_model() { return {cria_builtin_model_begin, cria_builtin_model_end}; }

}  // namespace cria::app
