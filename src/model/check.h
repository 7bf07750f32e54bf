// Looks at every weight of a model.
#pragma once

#include <functional>

#include "tensor/weight_table.h"

namespace cria {

// Decodes all weights and throws Error{invalid_file} naming the tensor, row and element of the first NaN or
// infinity. progress as in ModelOptions.
void check_weights(const WeightTable& weights, const std::function<bool(float)>& progress);

}  // namespace cria
