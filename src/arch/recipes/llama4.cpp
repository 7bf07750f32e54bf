// Llama 4 (Meta 2025): three layers that see chunks of 8192 positions and are rotated, then a full one that
// is not; sigmoid-weighted inputs of one expert beside a shared one.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

constexpr int64_t kExpertsOfMaverick = 128;

// All but the model with 128 experts norm the rotated heads.
void norm_rotated_heads(ModelSpec& spec, const Keys& keys) {
    if (keys.integer("expert_count", 0, kMaxExperts, 0) == kExpertsOfMaverick) return;
    for (LayerSpec& layer : spec.layers) {
        if (layer.attention.rope.kind == RopeKind::none) continue;
        layer.attention.q_norm.is_weightless = true;
        layer.attention.k_norm.is_weightless = true;
    }
}

}  // namespace

const Recipe kLlama4{
    .names = {"llama4"},
    .qk_norm_after_rope = true,
    .window = {.period = 4, .default_size = 8192, .kind = WindowKind::chunked, .rope_only_in_window = true},
    .router = RouterKind::sigmoid,
    .normalises_expert_weights = false,
    .weighs_expert_inputs = true,
    .adjust = norm_rotated_heads,
};

}  // namespace cria::arch
