// Qwen3-VL (Qwen Team 2025), the text part: Qwen3 with interleaved M-RoPE.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen3Vl{
    .names = {"qwen3vl", "qwen3vlmoe"},
    .rope = RopeKind::interleaved_multi,
    .qk_norm = Presence::required,
};

}  // namespace cria::arch
