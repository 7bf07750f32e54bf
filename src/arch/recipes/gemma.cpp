// Gemma (Gemma Team 2024): embeddings scaled by sqrt(width), GELU-gated feed-forward, heads wider than width
// / heads.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGemma{
    .names = {"gemma"},
    .scales_embedding_by_width = true,
    .rope = RopeKind::neox,
    .activation = Activation::gelu,
};

}  // namespace cria::arch
