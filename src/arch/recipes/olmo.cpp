// OLMo (Groeneveld et al. 2024): Llama with LayerNorm without weights, and an optional clamp of q, k and v.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kOlmo{
    .names = {"olmo"},
    .norm = NormKind::layer,
    .norm_weight = Presence::never,
};

}  // namespace cria::arch
