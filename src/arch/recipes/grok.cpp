// Grok-1 and Grok-2 (xAI 2024): softmax-routed GELU experts (Grok-2 adds a dense block), norms after each
// block, soft-capped scores.
#include <cmath>

#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

// Grok-1's values, for files that do not name them.
void apply_scales(ModelSpec& spec, const Keys& keys) {
    spec.embedding_scale = keys.real("embedding_scale", 78.38367176906169f);
    spec.logit_scale = keys.real("logit_scale", 0.5773502691896257f);
    for (LayerSpec& layer : spec.layers) {
        layer.attention.params.scale = keys.real("attention.output_scale", 0.08838834764831845f);
        layer.attention.params.softcap = keys.real("attn_logit_softcapping", 30.0f);
        layer.ffn.sum_scale = std::sqrt(0.5f);
    }
}

}  // namespace

const Recipe kGrok{
    .names = {"grok"},
    .post_norms = Presence::required,
    .rope = RopeKind::neox,
    .activation = Activation::gelu,
    .dense_beside_experts = Presence::optional,
    .adjust = apply_scales,
};

}  // namespace cria::arch
