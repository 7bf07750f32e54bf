// The list of pre-tokenizers of byte-level BPE vocabularies (tokenizer.ggml.pre): how each cuts a text into
// words before merging, and the flags that come with the name.
#pragma once

#include <span>
#include <string_view>

#include "vocab/split.h"

namespace cria {

struct PreTokenizer {
    std::string_view names;  // one or more, separated by single spaces
    std::span<const split::Pass> passes;
    bool ignore_merges = false;  // a word that is a token is that token, whatever the merges would make of it
    bool add_bos = false;
    bool add_sep = false;
    bool clean_spaces = true;    // detokenize() removes spaces before punctuation
    bool normalize_nfc = false;  // the model saw composed text only
    bool merges_optional = false;
};

// Null when no pre-tokenizer has this name.
const PreTokenizer* find_pre_tokenizer(std::string_view name);

// All names, separated by single spaces, for messages.
std::string_view pre_tokenizer_names();

}  // namespace cria
