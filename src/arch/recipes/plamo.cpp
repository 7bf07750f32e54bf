// PLaMo (Preferred Networks 2023): Llama with attention and feed-forward in parallel on one norm.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kPlamo{
    .names = {"plamo"},
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
};

}  // namespace cria::arch
