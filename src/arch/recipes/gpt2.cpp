// GPT-2 (Radford et al. 2019) and StarCoder (Li et al. 2023): learned positions, LayerNorm with bias, plain
// GELU feed-forward, no rotation.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGpt2{
    .names = {"gpt2", "starcoder"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .position_embedding = Presence::required,
    .rope = RopeKind::none,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
