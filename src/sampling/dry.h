// DRY ("don't repeat yourself"): lowers the logit of a token that would lengthen a repetition of what was
// said before, the more the longer the repetition is. Sequence breakers (a newline, a quote) start the search
// for repetitions anew. Formula: shared/spec/interop.md 4.5. See candidates.h for the rules samplers share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sampling/candidates.h"

namespace cria::sampling {

// Breakers in tokens: a head, followed in the text by the tokens of one of its tails (an empty tail: the head
// is a breaker alone).
class DryBreakers {
  public:
    static constexpr size_t kMaxTailTokens = 20;
    static constexpr size_t kMaxTextBytes = 40;

    // Tails are cut to kMaxTailTokens.
    void add(Token head, std::vector<Token> tail);
    bool is_breaker_alone(Token token) const;
    // How many of the latest tokens follow the last breaker; all of them when there is none. Oldest first.
    size_t n_since_last(std::span<const Token> history) const;
    size_t size() const { return tails_.size(); }

  private:
    std::unordered_multimap<Token, std::vector<Token>> tails_;
};

// What of a vocabulary is needed to find breakers in it.
struct BreakerVocabulary {
    int32_t n_tokens = 0;
    std::function<std::string(Token)> piece;  // text of a token, special tokens too
    std::function<std::vector<Token>(std::string_view)>
        tokenize;  // in the middle of a text: no BOS, no added space
};

// A token whose piece holds a breaker is one alone; a token whose piece ends with the beginning of a breaker
// is the head of one whose tail is the rest. Texts are cut to kMaxTextBytes; empty ones are ignored. One pass
// over the vocabulary per text.
DryBreakers make_dry_breakers(std::span<const std::string> texts, const BreakerVocabulary& vocabulary);

struct DryOptions {
    float multiplier = 0.0f;     // 0 is off
    float base = 1.75f;          // below 1 is off
    int32_t allowed_length = 2;  // repetitions of fewer tokens are free; negative counts as 0
    int32_t last_n = -1;         // how far back to look; 0 is off, -1 the context size
};

// Options and history. Copyable: a copy goes its own way. Not thread-safe.
class DrySampler {
  public:
    // Throws Error{invalid_argument} when multiplier or base is not finite, last_n is below -1, or
    // context_size negative.
    DrySampler(const DryOptions& options, int32_t context_size, std::shared_ptr<const DryBreakers> breakers);

    bool is_active() const { return window_ > 0; }
    void accept(Token token);
    void reset() { history_.clear(); }
    // Subtracts multiplier * base^(length - allowed_length) from tokens that would go on a repetition of that
    // length. The power is kept within float. Linear in window + candidates.
    void apply(CandidateArray& candidates) const;
    // The same in terms of tokens: the length of the repetition that each would lengthen, where it is long
    // enough to be penalised.
    std::unordered_map<Token, int32_t> repetitions() const;

  private:
    DryOptions options_;
    size_t window_ = 0;  // tokens looked at
    std::shared_ptr<const DryBreakers> breakers_;
    std::vector<Token> history_;  // oldest first, at least the last window_ tokens
};

}  // namespace cria::sampling
