// BLOOM (BigScience 2022): ALiBi, LayerNorm with bias also on the embeddings, plain GELU feed-forward.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kBloom{
    .names = {"bloom"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .embedding_norm = Presence::required,
    .rope = RopeKind::none,
    .alibi_max_bias = 8.0f,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
