// Gemma 2 (Gemma Team 2024): norms before and after each block, windows on even layers, soft caps on scores
// and logits. The 27B model (46 layers) scales scores by the width per head.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

constexpr int64_t kLayersOf27B = 46;

void scale_scores_of_27b(ModelSpec& spec, const Keys&) {
    if (spec.n_layers != kLayersOf27B) return;
    for (LayerSpec& layer : spec.layers) use_width_per_head_scale(spec, layer.attention);
}

}  // namespace

const Recipe kGemma2{
    .names = {"gemma2"},
    .post_norms = Presence::required,
    .scales_embedding_by_width = true,
    .rope = RopeKind::neox,
    .window = {.period = 2, .default_size = 4096},
    .activation = Activation::gelu,
    .adjust = scale_scores_of_27b,
};

}  // namespace cria::arch
