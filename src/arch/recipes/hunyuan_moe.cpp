// Hunyuan with experts (Tencent 2025): q and k are normed after rotation; a shared expert.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kHunyuanMoe{
    .names = {"hunyuan-moe"},
    .rope = RopeKind::neox,
    .qk_norm = Presence::required,
    .qk_norm_after_rope = true,
    .shared_expert = Presence::required,
};

}  // namespace cria::arch
