// Refact (Small Magellanic Cloud AI 2023): Llama with ALiBi instead of rotation.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kRefact{
    .names = {"refact"},
    .rope = RopeKind::none,
    .alibi_max_bias = 8.0f,
};

}  // namespace cria::arch
