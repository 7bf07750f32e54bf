// Jais (Sengupta et al. 2023): ALiBi, scores divided by the head width, gated feed-forward with biases.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kJais{
    .names = {"jais"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .rope = RopeKind::none,
    .score_scale = ScoreScale::inverse_head_dim,
};

}  // namespace cria::arch
