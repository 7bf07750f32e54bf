// Adaptive-p: draws tokens so that their probabilities stay near a target on average, neither the obvious nor
// the absurd. It steers by an exponential average of the probabilities of past tokens. Formula:
// shared/spec/interop.md 4.5. See candidates.h for the rules samplers share.
#pragma once

#include <random>
#include <vector>

#include "sampling/candidates.h"

namespace cria::sampling {

struct AdaptiveOptions {
    float target = -1.0f;       // wanted probability, 0 to 1; negative is off
    float decay = 0.9f;         // of the average; kept within 0 and 0.99
    bool uses_current = false;  // average the probabilities after the other samplers, not those of the model
};

// For each token: prepare() on untouched candidates, other samplers, apply(), sample(). Copyable. Not
// thread-safe.
class AdaptiveSampler {
  public:
    // Throws Error{invalid_argument} when target or decay is NaN, or target above 1.
    explicit AdaptiveSampler(const AdaptiveOptions& options);

    bool is_active() const { return options_.target >= 0.0f; }

    // Remembers the model's own probabilities: candidates must be all tokens in order of ids, else
    // Error{invalid_argument}. Does nothing when it is off or uses_current.
    void prepare(CandidateArray& candidates);
    void prepare(std::span<const float> logits);

    // Replaces logits by 5 - 10 d^2 / (1 + d) with d = |probability - aim| / 0.3; p is exp(logit - max). Off:
    // softmax(). All candidates impossible: changes nothing.
    void apply(CandidateArray& candidates);

    // Draws from what apply() left and takes the token's probability into the average. Throws
    // Error{invalid_argument} where draw() does, and for a token that was not prepared.
    Token sample(CandidateArray& candidates, std::mt19937& rng);

    // Tokens may be taken back as long as they are not sent. n_unsent: how many of the latest tokens are not
    // sent yet; was_rewound: those after them were taken back, and their effect on the average is undone.
    // Else older ones are forgotten.
    void review(size_t n_unsent, bool was_rewound);
    void reset();

    // What the next token should have as its probability.
    float aim() const;

  private:
    struct Average {
        float weighted_sum = 0.0f;
        float total_weight = 0.0f;
    };

    AdaptiveOptions options_;
    std::vector<Average> averages_;  // the current one last; before it those of tokens that may be taken back
    std::vector<float> original_;    // exp(logit - max) by token
    float original_sum_ = 0.0f;
    std::vector<TokenData> current_;  // candidates as apply() found them, p as probability
};

}  // namespace cria::sampling
