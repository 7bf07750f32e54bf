// MiniMax-M3 (MiniMax 2026): norms on heads of q and k, dense layers first, a shared expert, a clamped gate.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kMiniMaxM3{
    .names = {"minimax-m3"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .gate_limits = {.gate_max = 7.0f, .up_limit = 7.0f, .up_offset = 1.0f, .alpha = 1.702f},
    .shared_expert = Presence::required,
    .router = RouterKind::sigmoid,
};

}  // namespace cria::arch
