// Deci and Nemotron NAS (Bercovich et al. 2024): Llama with head counts by layer; some layers have a product
// in place of attention, no attention or no feed-forward.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kDeci{
    .names = {"deci"},
    .may_skip_blocks = true,
};

}  // namespace cria::arch
