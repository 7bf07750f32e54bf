// The kinds of vocabularies (tokenizer.ggml.model) with what they assume when the file says nothing.
#pragma once

#include <memory>
#include <string_view>

#include "vocab/special_tokens.h"
#include "vocab/tokenizer.h"
#include "vocab/vocab.h"

namespace cria {

// What one vocabulary has settled on: its kind's defaults, changed by its pre-tokenizer and its file.
struct VocabTraits {
    VocabType type = VocabType::none;
    SpecialIds default_ids{};  // kNoToken where there is none
    bool add_bos = false;
    bool add_eos = false;
    bool add_sep = false;
    bool add_space_prefix = false;
    bool clean_spaces = false;
    bool remove_extra_whitespaces = false;
    const PreTokenizer* pre = nullptr;  // of byte-level BPE only
    bool character_bpe = false;
};

// Throws Error{unsupported} for an unknown model or pre-tokenizer, naming the known ones.
VocabTraits settle_traits(const VocabData& data);

// Null for kind "none".
std::unique_ptr<Tokenizer> make_tokenizer(const VocabData& data, const VocabTraits& traits,
                                          const TokenTable& table, int32_t unknown);

}  // namespace cria
