// DBRX (Databricks 2024): LayerNorm without bias, clamped q, k and v, softmax-routed experts.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kDbrx{
    .names = {"dbrx"},
    .norm = NormKind::layer,
    .ffn_norm_name = "attn_output_norm",
    .rope = RopeKind::neox,
};

}  // namespace cria::arch
