// StarCoder2 (Lozhkov et al. 2024), CodeShell (Xie et al. 2024) and GPT-NeoX (Black et al. 2022): LayerNorm
// with bias, half-split rotary pairs, plain GELU feed-forward; NeoX says whether attention and feed-forward
// run in parallel.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kStarcoder2{
    .names = {"starcoder2", "codeshell", "gptneox"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .rope = RopeKind::neox,
    .activation = Activation::gelu,
    .ffn = FeedForwardForm::plain,
};

}  // namespace cria::arch
