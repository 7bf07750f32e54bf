// GPT-2 (Radford et al. 2019): learned positions, LayerNorm with bias, plain GELU feed-forward, no rotation.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGpt2{
    .names = {"gpt2"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .position_embedding = Presence::required,
    .rope = RopeKind::none,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
