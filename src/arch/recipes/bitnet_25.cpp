// BitNet b1.58 2B4T (Ma et al. 2025): BitNet with a squared ReLU on the gate.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kBitNet25{
    .names = {"bitnet-25", "bitnet-b1.58"},
    .sub_norms = Presence::required,
    .rope = RopeKind::neox,
    .activation = Activation::relu_squared,
};

}  // namespace cria::arch
