// Finds special tokens in a text before anything else is tokenized.
#pragma once

#include <string_view>
#include <vector>

#include "vocab/token_table.h"
#include "vocab/trie.h"

namespace cria {

// A stretch of text, or a special token found in it.
struct Fragment {
    int32_t id = kNoToken;  // kNoToken: plain text
    std::string_view text;
};

// Immutable; const calls are thread-safe.
class SpecialMatcher {
  public:
    SpecialMatcher() = default;
    // Takes control, user-defined and unknown tokens, but for those in `ordinary` (ascending ids), whose text
    // is also plain text that the tokenizer makes by itself.
    SpecialMatcher(const TokenTable& table, const std::vector<int32_t>& ordinary);

    // Cuts the text, white space that a token strips left out. User-defined tokens are always found, control
    // and unknown ones only with parse_special. Longer tokens come first, wherever they stand; among equally
    // long ones the lower id, then the left one. Linear in the text for the usual vocabularies.
    std::vector<Fragment> partition(std::string_view text, bool parse_special) const;

  private:
    const TokenTable* table_ = nullptr;
    Trie all_;
    Trie always_;  // user-defined only
};

}  // namespace cria
