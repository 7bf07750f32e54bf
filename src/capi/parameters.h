// From the parameter structs of llama.h to the options of Cria. Fields that have no effect are reported,
// never ignored in silence.
#pragma once

#include "capi/handles.h"

namespace cria::capi {

// Throws Error{invalid_argument} naming the field for values that make no sense.
ModelOptions model_options(const llama_model_params& params);
ContextOptions context_options(const Model& model, const llama_context_params& params);

}  // namespace cria::capi
