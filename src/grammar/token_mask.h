// Which tokens of a vocabulary may come next. Masks are cached per state of the grammar, so a state met
// before costs a look-up.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/matcher.h"
#include "grammar/token_trie.h"

namespace cria::grammar {

// One bit per token id; bit id % 64 of words[id / 64].
struct TokenMask {
    std::vector<uint64_t> words;
    uint32_t n_allowed = 0;

    bool allows(uint32_t id) const {
        return id / 64 < words.size() && (words[id / 64] >> (id % 64) & 1) != 0;
    }
};

// The tokens that Matcher::accept_token would take from here, with two differences: tokens that end
// generation are allowed where the text may end or where a terminal names them, and control tokens are judged
// as the trie was told. Tokens without text match terminals only. Thread-safe. Throws as Matcher::accept().
// Cost: a walk over the trie for a new state, a hash look-up for a known one (kMaxMasks are kept per matcher
// family).
std::shared_ptr<const TokenMask> token_mask(const Matcher& matcher,
                                            const std::shared_ptr<const TokenTrie>& trie);

inline constexpr size_t kMaxMasks = 1024;  // 19 KB each for 150k tokens

// Whether token_mask() would allow this one token; much cheaper than a new mask.
bool token_allowed(const Matcher& matcher, const TokenTrie& trie, uint32_t id);

}  // namespace cria::grammar
