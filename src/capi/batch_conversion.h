// From the batches of llama.h to those of Cria.
#pragma once

#include "capi/handles.h"

namespace cria::capi {

// The spans of the result point into `batch`. Fills in what null arrays stand for. Throws
// Error{invalid_argument} for batches without tokens, with both or neither of ids and vectors, and tokens
// without sequence; values are checked by Context::decode.
Batch convert_batch(const llama_batch& batch, const llama_context& ctx);

}  // namespace cria::capi
