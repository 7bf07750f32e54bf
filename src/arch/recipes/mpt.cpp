// MPT (MosaicML 2023): ALiBi instead of rotation, optional clamp of q, k and v, optional learned positions,
// LayerNorm on whole q and k rows.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kMpt{
    .names = {"mpt"},
    .norm = NormKind::layer,
    .norm_bias = Presence::optional,
    .position_embedding = Presence::optional,
    .rope = RopeKind::none,
    .qk_norm = Presence::optional,
    .qk_norm_kind = NormKind::layer,
    .qk_norm_per_head = false,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
