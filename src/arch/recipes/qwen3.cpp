// Qwen3, dense and with experts (Yang et al. 2025), OpenELM (Mehta et al. 2024), dots.llm1 (rednote 2025) and
// Ling 2 (Ant Group 2025): RMS norm on every head of q and k, half-split rotary pairs.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen3{
    .names = {"qwen3", "qwen3moe", "openelm", "dots1", "bailingmoe2"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
};

}  // namespace cria::arch
