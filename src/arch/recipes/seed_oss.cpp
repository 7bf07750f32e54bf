// Seed-OSS (ByteDance 2025): Qwen2 whose feed-forward norm has another name.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kSeedOss{
    .names = {"seed_oss"},
    .ffn_norm_name = "post_attention_norm",
    .rope = RopeKind::neox,
};

}  // namespace cria::arch
