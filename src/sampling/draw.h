// Choosing the token. Random numbers follow the rule of shared/conformance/text/README.md, so that a seed
// gives the same tokens as in the programs Cria replaces. See candidates.h for what counts as a candidate.
#pragma once

#include <random>

#include "sampling/candidates.h"

namespace cria::sampling {

// The candidate with the largest logit; among equals the first in the array. One pass, nothing is changed.
// Throws Error{invalid_argument} when every logit is -inf (or NaN).
Token greedy(CandidateArray& candidates);
// The same from plain logits, without an array.
Token greedy(std::span<const float> logits);

// Draws with probability proportional to exp(logit), going through the candidates in their sequence: takes
// one 32-bit number r and chooses the first whose running float sum exceeds float(sum * r) / 2^32. A single
// candidate takes no number. Sets no p. Throws Error{invalid_argument} when every logit is -inf. A candidate
// whose exp(logit - max) is 0 is never chosen.
Token draw(CandidateArray& candidates, std::mt19937& rng);
// The same, giving the place in the array.
size_t draw_index(CandidateArray& candidates, std::mt19937& rng);

// One float in [0, 1) from one number of the generator, as std::uniform_real_distribution<float> of libstdc++
// makes it.
float draw_uniform(std::mt19937& rng);

}  // namespace cria::sampling
