// MiniCPM (Hu et al. 2024): Llama with embeddings, branches and logits scaled by fixed rules.
#include <cmath>

#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

void scale_by_rules(ModelSpec& spec, const Keys& keys) {
    if (!keys.has("embedding_scale")) spec.embedding_scale = 12.0f;
    if (!keys.has("residual_scale"))
        spec.residual_scale = 1.4f / std::sqrt(static_cast<float>(spec.n_layers));
    const float divisor = keys.real("logit_scale", static_cast<float>(spec.width) / 256.0f);
    if (divisor != 0) spec.logit_scale = 1.0f / divisor;
}

}  // namespace

const Recipe kMiniCpm{
    .names = {"minicpm"},
    .adjust = scale_by_rules,
};

}  // namespace cria::arch
