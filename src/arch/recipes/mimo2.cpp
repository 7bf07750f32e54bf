// MiMo-V2 (Xiaomi 2025): windowed layers with sinks and more k/v heads than full ones, values scaled, sigmoid
// routing.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

// Attention is linear in the values, so the product after it takes the scale.
void scale_values(ModelSpec& spec, const Keys& keys) {
    const float scale = keys.real("attention.value_scale", 0.0f);
    if (scale == 0) return;
    for (LayerSpec& layer : spec.layers) layer.attention.output.scale = scale;
}

}  // namespace

const Recipe kMimo2{
    .names = {"mimo2"},
    .rope = RopeKind::neox,
    .sinks = Presence::optional,
    .window = {.period = 1, .needs_pattern = true},
    .router = RouterKind::sigmoid,
    .adjust = scale_values,
};

}  // namespace cria::arch
