// Qwen (Bai et al. 2023): fused q, k and v with bias; the file counts gate and up rows together.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kQwen{
    .names = {"qwen"},
    .rope = RopeKind::neox,
    .qkv_bias = Presence::required,
    .ffn_width_divisor = 2,
};

}  // namespace cria::arch
