// Metadata values as the text that llama_model_meta_val_str gives.
#pragma once

#include <string>

#include "gguf/value.h"

namespace cria::capi {

// Numbers in decimal (floats with as many digits as tell them apart), "true" and "false", strings as they
// are. Of arrays the first elements in brackets, strings in quotes, and "..." where there are more: a list of
// tokens must not become a text of megabytes.
std::string metadata_text(const gguf::Value& value);

}  // namespace cria::capi
