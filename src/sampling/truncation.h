// Samplers that drop unlikely candidates. See candidates.h for the rules they share (NaN, infinities, order,
// min_keep). Formulas as in shared/spec/interop.md 4.5; every one keeps at least max(1, min_keep) candidates,
// as far as there are that many.
#pragma once

#include <random>

#include "sampling/candidates.h"

namespace cria::sampling {

// Keeps the k best, in order. k <= 0 keeps all (and sorts).
void top_k(CandidateArray& candidates, int32_t k, size_t min_keep);

// Keeps the shortest beginning whose probabilities add up to at least p (Holtzman et al. 2019), in order.
// p >= 1 changes nothing; p <= 0 keeps min_keep. p of what is kept stays relative to all candidates before.
void top_p(CandidateArray& candidates, float p, size_t min_keep);

// Keeps candidates at least p times as probable as the best. p <= 0 changes nothing, p >= 1 keeps the best
// alone (and its equals when p is 1). Does not sort unless min_keep decides.
void min_p(CandidateArray& candidates, float p, size_t min_keep);

// Tail-free sampling: cuts where the second differences of the sorted probabilities, made to add up to 1,
// exceed z. z >= 1, or two candidates or fewer, change nothing; z <= 0 cuts at once.
void tail_free(CandidateArray& candidates, float z, size_t min_keep);

// Locally typical sampling (Meister et al. 2022): keeps the candidates whose surprise is closest to the
// entropy until their probabilities exceed p; sequence: most typical first (not sorted by logit). p >= 1
// changes nothing; p <= 0 keeps min_keep.
void typical(CandidateArray& candidates, float p, size_t min_keep);

// Keeps logits of at least max - n * (standard deviation of the logits above -inf). When it drops some, the
// rest is in order and has p. n <= 0, or fewer than four logits above -inf, change nothing.
void top_n_sigma(CandidateArray& candidates, float n);

struct XtcOptions {
    float probability = 0.0f;  // of acting at all; <= 0 never, >= 1 always
    float threshold = 0.1f;    // above 0.5 there is never a choice: changes nothing
    size_t min_keep = 1;
};
// Exclude top choices: of the candidates with at least `threshold` probability drops all but the least likely
// one, unless that left fewer than min_keep. Draws one number when 0 < probability < 1.
void xtc(CandidateArray& candidates, const XtcOptions& options, std::mt19937& rng);

}  // namespace cria::sampling
