// Metadata that a program replaces while a model is loaded (llama_model_params.kv_overrides).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gguf/value.h"
#include "llama.h"

namespace cria::capi {

// Key and value of each entry of an array that ends with an empty key, in order; null: none. Integers become
// i64, floats f64. Throws Error{invalid_argument} for a key or string without its terminating zero and for an
// unknown tag.
std::vector<std::pair<std::string, gguf::Value>> read_kv_overrides(const llama_model_kv_override* overrides);

}  // namespace cria::capi
