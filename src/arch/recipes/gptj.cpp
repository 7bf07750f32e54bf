// GPT-J (Wang and Komatsuzaki 2021): attention and feed-forward in parallel on one LayerNorm, rotation of
// adjacent pairs of a part of each head, plain GELU feed-forward.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGptJ{
    .names = {"gptj"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
