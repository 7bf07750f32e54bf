// Qwen2-VL (Wang et al. 2024), the text part: Qwen2 with M-RoPE.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen2Vl{
    .names = {"qwen2vl"},
    .rope = RopeKind::multi,
    .qkv_bias = Presence::required,
};

}  // namespace cria::arch
