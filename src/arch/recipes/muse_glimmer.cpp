// Muse Glimmer: normed embeddings, norms on heads and after blocks, gated attention; windowed layers are
// rotated, full ones are not.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

void set_norms_and_scale(ModelSpec& spec, const Keys& keys) {
    spec.embedding_norm.is_weightless = true;
    spec.post_norm_eps = 1e-8f;
    spec.logit_scale = keys.real("logit_scale", 1.0f);
}

}  // namespace

const Recipe kMuseGlimmer{
    .names = {"muse-glimmer"},
    .post_norms = Presence::required,
    .qk_norm = Presence::required,
    .attention_gate = Presence::required,
    .window = {.period = 4, .rope_only_in_window = true},
    .adjust = set_norms_and_scale,
};

}  // namespace cria::arch
