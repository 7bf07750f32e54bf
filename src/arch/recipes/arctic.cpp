// Arctic (Snowflake 2024): a dense feed-forward block, and beside it experts that read the layer's input.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kArctic{
    .names = {"arctic"},
    .experts_norm = Presence::required,
    .dense_beside_experts = Presence::required,
};

}  // namespace cria::arch
