// Finds the tensors of a model and checks their shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/recipe.h"

namespace cria::arch {

struct BindSources {
    const Keys& keys;
    const WeightTable& weights;
    std::vector<int64_t> ffn_width;  // by layer, of dense layers
};

// Fills the weights of a spec whose numbers are complete. Collects every missing tensor and every wrong
// shape, then throws one Error{invalid_file} that lists them.
void bind_weights(ModelSpec& spec, const Recipe& recipe, const BindSources& sources);

}  // namespace cria::arch
