// Qwen3, dense and with experts (Yang et al. 2025): RMS norm on every head of q and k, half-split rotary
// pairs.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen3{
    .names = {"qwen3", "qwen3moe"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
};

}  // namespace cria::arch
