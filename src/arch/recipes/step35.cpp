// Step-3.5 (StepFun 2026): gated heads, rotary base and width by layer, clamped gates, sigmoid routing.
#include <algorithm>
#include <cmath>

#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

// The model limits silu(gate), the blocks limit the gate: the x whose silu is `limit`, by fixed point (x =
// limit
// * (1 + exp(-x)) contracts for positive limits).
float gate_limit(float limit) {
    if (limit <= 0) return 0.0f;
    float x = limit;
    for (int i = 0; i < 100; ++i) x = limit * (1.0f + std::exp(-x));
    return x;
}

// Limits by layer, under either name; 0: none.
void read_limits(const Keys& keys, const char* name, const char* other, std::vector<float>& limits) {
    const auto found = keys.find<std::vector<float>>(keys.has(name) ? name : other);
    if (found) std::copy_n(found->begin(), std::min(found->size(), limits.size()), limits.begin());
}

void set_rope_and_clamps(ModelSpec& spec, const Keys& keys) {
    std::vector<float> experts(spec.layers.size()), others(spec.layers.size());
    read_limits(keys, "swiglu_clamp_exp", "swiglu_limits", experts);
    read_limits(keys, "swiglu_clamp_shexp", "swiglu_limits_shared", others);
    for (size_t i = 0; i < spec.layers.size(); ++i) {
        LayerSpec& layer = spec.layers[i];
        layer.ffn.experts.limits = {.gate_max = gate_limit(experts[i]), .up_limit = experts[i]};
        layer.ffn.limits = {.gate_max = gate_limit(others[i]), .up_limit = others[i]};
        const bool is_full = layer.attention.params.window_kind == WindowKind::none;
        if (is_full && !keys.has("rope.dimension_count_per_layer")) layer.attention.rope.n_rot /= 2;
    }
}

}  // namespace

const Recipe kStep35{
    .names = {"step35"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .attention_gate = Presence::required,
    .window = {.period = 1, .needs_pattern = true, .rope_is_scaled = false},
    .router = RouterKind::sigmoid,
    .adjust = set_rope_and_clamps,
};

}  // namespace cria::arch
