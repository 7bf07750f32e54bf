// Llama 1 to 3 and the many models of its shape (Touvron et al. 2023), dense or with softmax-routed experts
// (Mixtral): every default.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kLlama{
    .names = {"llama"},
};

}  // namespace cria::arch
