// Qwen2 and Qwen2.5 (Yang et al. 2024): Llama with biases on q, k and v and half-split rotary pairs.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen2{
    .names = {"qwen2"},
    .rope = RopeKind::neox,
    .qkv_bias = Presence::required,
};

}  // namespace cria::arch
