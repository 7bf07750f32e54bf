// Mellum 2 (JetBrains 2025): Qwen3 with experts, with three windowed layers of their own rotary base, then a
// full one.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kMellum{
    .names = {"mellum"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .window = {.period = 4, .rope_is_scaled = false},
};

}  // namespace cria::arch
