// Falcon (Almazrouei et al. 2023) and Phi-2 (Microsoft 2023): attention and feed-forward in parallel; Falcon
// 40B gives attention a norm of its own.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kFalcon{
    .names = {"falcon", "phi2"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
    .attention_norm_2 = Presence::optional,
    .rope = RopeKind::neox,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
