// Metadata that a program replaces while a model is loaded (llama_model_params.kv_overrides).
#pragma once

#include "gguf/metadata.h"
#include "llama.h"

namespace cria::capi {

// Sets the values of an array that ends with an empty key, in order, so that the last of equal keys wins;
// null: none. Integers become i64, floats f64. Throws Error{invalid_argument} for a key or string without its
// terminating zero and for an unknown tag; metadata then has the overrides before that one.
void apply_kv_overrides(const llama_model_kv_override* overrides, gguf::Metadata& metadata);

}  // namespace cria::capi
