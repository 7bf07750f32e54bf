// Mirostat (Basu et al. 2021): keeps the surprise of the text near tau bits by steering mu, the largest
// surprise allowed. See candidates.h for the rules samplers share. The caller keeps mu from token to token,
// starting with 2 * tau.
#pragma once

#include <random>

#include "sampling/candidates.h"

namespace cria::sampling {

struct MirostatOptions {
    float tau = 5.0f;  // target surprise, bits
    float eta = 0.1f;  // how quickly mu follows
    int32_t m = 100;   // version 1: how many of the best are used to estimate the Zipf exponent
};

// Both choose a token by draw() and then set mu -= eta * (surprise - tau). Version 1 measures the surprise
// among all candidates, version 2 among those it kept. They throw Error{invalid_argument} for tau, eta or mu
// that is not finite, m or n_vocab below 1, and when every logit is -inf. mu is kept within +-3e38.
// n_vocab is the size of the whole vocabulary, which enters the estimate.
Token mirostat(CandidateArray& candidates, const MirostatOptions& options, int32_t n_vocab, float& mu,
               std::mt19937& rng);
Token mirostat_v2(CandidateArray& candidates, const MirostatOptions& options, float& mu, std::mt19937& rng);

}  // namespace cria::sampling
