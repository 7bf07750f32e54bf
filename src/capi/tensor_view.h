// Views of weights and of values being computed as struct ggml_tensor.
#pragma once

#include "llama.h"
#include "tensor/graph.h"
#include "tensor/weight.h"

namespace cria::capi {

// Names longer than a tensor holds are cut.
ggml_tensor view_of(const Weight& weight);

// A value of the graph, n_rows x width f32. `data` is null when it has not been computed yet.
ggml_tensor view_of_value(std::string_view name, int64_t width, int64_t n_rows, const float* data);

}  // namespace cria::capi
