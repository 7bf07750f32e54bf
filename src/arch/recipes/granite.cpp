// Granite 3, dense and with experts (IBM 2024): Llama with scales for embeddings, branches, scores and logits
// in the file.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

void divide_logits(ModelSpec& spec, const Keys& keys) {
    const float divisor = keys.required_real("logit_scale");
    if (divisor != 0) spec.logit_scale = 1.0f / divisor;
}

}  // namespace

const Recipe kGranite{
    .names = {"granite", "granitemoe"},
    .adjust = divide_logits,
};

}  // namespace cria::arch
