// MiniMax-M2 (MiniMax 2025): norms over whole rows of q and k, sigmoid-routed experts.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kMiniMaxM2{
    .names = {"minimax-m2"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .qk_norm_per_head = false,
    .router = RouterKind::sigmoid,
};

}  // namespace cria::arch
