// Llama 1 to 3 (Touvron et al. 2023) and the models of its shape: InternLM2, XVERSE, Ministral 3, ERNIE 4.5;
// dense or with softmax-routed experts (Mixtral): every default.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kLlama{
    .names = {"llama", "internlm2", "xverse", "mistral3", "ernie4_5", "ernie4_5-moe"},
};

}  // namespace cria::arch
