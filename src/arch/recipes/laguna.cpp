// Laguna (Poolside 2025): attention gated by softplus; windowed layers, with other head counts, are rotated
// whole and unscaled, full ones by half and with YaRN.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kLaguna{
    .names = {"laguna"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .attention_gate = Presence::required,
    .gate_activation = Activation::softplus,
    .window = {.period = 1, .needs_pattern = true, .rope_is_scaled = false},
    .router = RouterKind::sigmoid,
    .expert_weights_floor = 6.1e-5f,
};

}  // namespace cria::arch
