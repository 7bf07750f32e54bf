// gpt-oss (OpenAI 2025): attention sinks, windows in every other layer, biases everywhere, a softmax over the
// chosen experts, a clamped gate.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGptOss{
    .names = {"gpt-oss"},
    .ffn_norm_name = "post_attention_norm",
    .rope = RopeKind::neox,
    .sinks = Presence::required,
    .window = {.period = 2},
    .gate_limits = {.gate_max = 7.0f, .up_limit = 7.0f, .up_offset = 1.0f, .alpha = 1.702f},
    .router = RouterKind::softmax_selected,
    .normalises_expert_weights = false,
};

}  // namespace cria::arch
