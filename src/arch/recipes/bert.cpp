// BERT (Devlin et al. 2019): every token sees every other, learned positions, norms after the residual, no
// logits.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kBert{
    .names = {"bert"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .residual = Residual::post_norm,
    .attention_norm = Presence::never,
    .ffn_norm = Presence::never,
    .post_norms = Presence::required,
    .embedding_norm = Presence::required,
    .position_embedding = Presence::required,
    .token_types = Presence::optional,
    .head = Presence::never,
    .rope = RopeKind::none,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
