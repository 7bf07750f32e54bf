// Orion (OrionStar 2024): Llama with LayerNorm with bias.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kOrion{
    .names = {"orion"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
};

}  // namespace cria::arch
