// StableLM (Bellagente et al. 2024): LayerNorm, rotation of a part of each head, optional LayerNorm on every
// head of q and k; without a second norm, attention and feed-forward run in parallel on the first.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kStableLm{
    .names = {"stablelm"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .ffn_norm = Presence::optional,
    .rope = RopeKind::neox,
    .qk_norm = Presence::optional,
    .qk_norm_kind = NormKind::layer,
};

}  // namespace cria::arch
