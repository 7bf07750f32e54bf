// Takes the tokenizer keys out of a GGUF file.
#pragma once

#include "gguf/reader.h"
#include "vocab/vocab_data.h"

namespace cria {

// Keys of the wrong type throw Error{invalid_file} naming the key. A missing model counts as "none".
VocabData read_vocab(const gguf::Metadata& metadata);
inline VocabData read_vocab(const gguf::Reader& reader) { return read_vocab(reader.metadata()); }

}  // namespace cria
