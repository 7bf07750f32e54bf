// GLM-4.5 (GLM Team 2025): sigmoid-routed experts beside a shared one, dense layers first, rotation of a part
// of each head.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kGlm4Moe{
    .names = {"glm4moe"},
    .ffn_norm_name = "post_attention_norm",
    .rope = RopeKind::neox,
    .qk_norm = Presence::optional,
    .router = RouterKind::sigmoid,
};

}  // namespace cria::arch
