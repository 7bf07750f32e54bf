// Command R (Cohere 2024): attention and feed-forward in parallel from one LayerNorm without bias, logits
// scaled; the plus model has LayerNorms on the heads of q and k.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kCommandR{
    .names = {"command-r"},
    .norm = NormKind::layer,
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
    .qk_norm = Presence::optional,
    .qk_norm_kind = NormKind::layer,
    .adjust = read_logit_scale,
};

}  // namespace cria::arch
