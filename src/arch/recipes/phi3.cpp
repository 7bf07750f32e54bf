// Phi-3 (Abdin et al. 2024): fused q, k and v, gate and up in one tensor, a window on every layer, long and
// short rotary factors.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kPhi3{
    .names = {"phi3"},
    .rope = RopeKind::neox,
    .window = {.period = 1, .default_size = 2047},
    .ffn = FeedForwardForm::merged,
};

}  // namespace cria::arch
