// BitNet b1.58 (Ma et al. 2024): ternary matrices with a scale each, norms before the last product of each
// block.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kBitNet{
    .names = {"bitnet"},
    .sub_norms = Presence::required,
    .rope = RopeKind::neox,
};

}  // namespace cria::arch
