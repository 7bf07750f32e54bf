// ChatGLM 3 and GLM-4 (GLM Team 2024): fused q, k and v, rotation of a part of each head, gate and up in one
// tensor; GLM-4-0414 adds norms after each block.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kChatGlm{
    .names = {"chatglm", "glm4"},
    .post_norms = Presence::optional,
    .ffn = FeedForwardForm::merged,
};

}  // namespace cria::arch
