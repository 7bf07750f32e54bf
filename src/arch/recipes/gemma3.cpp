// Gemma 3 (Gemma Team 2025): five windowed layers with their own unscaled rotary base, then a full one; norms
// on q and k, and before and after each block. The 27B model (62 layers) scales scores by the width per head.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

constexpr int64_t kLayersOf27B = 62;

void scale_scores_of_27b(ModelSpec& spec, const Keys&) {
    if (spec.n_layers != kLayersOf27B) return;
    for (LayerSpec& layer : spec.layers) use_width_per_head_scale(spec, layer.attention);
}

}  // namespace

const Recipe kGemma3{
    .names = {"gemma3"},
    .post_norms = Presence::required,
    .scales_embedding_by_width = true,
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .window = {.period = 6, .rope_is_scaled = false, .rope_base = 10000.0f},
    .activation = Activation::gelu,
    .adjust = scale_scores_of_27b,
};

}  // namespace cria::arch
