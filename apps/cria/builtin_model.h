// The model that is part of the program (models/cria-stories), so that the first command works without a
// download.
#pragma once

#include <cstddef>
#include <span>

namespace cria::app {

// The bytes of its GGUF file.
std::span<const std::byte> builtin_model();

}  // namespace cria::app
