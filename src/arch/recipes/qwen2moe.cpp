// Qwen1.5-MoE and Qwen2 with experts (Yang et al. 2024): weights of the chosen experts are not normalised; a
// shared expert scaled by a sigmoid.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen2Moe{
    .names = {"qwen2moe"},
    .rope = RopeKind::neox,
    .qkv_bias = Presence::required,
    .shared_expert = Presence::required,
    .normalises_expert_weights = false,
};

}  // namespace cria::arch
