// Command R7B (Cohere 2024): as Command R, with three windowed layers that are rotated, then a full one that
// is not.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kCohere2{
    .names = {"cohere2"},
    .norm = NormKind::layer,
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
    .window = {.period = 4, .rope_only_in_window = true},
    .adjust = read_logit_scale,
};

}  // namespace cria::arch
