// Samplers that make the distribution flatter or sharper. See candidates.h for the rules they share.
#pragma once

#include "sampling/candidates.h"

namespace cria::sampling {

// Divides the logits by t. t <= 0 is greedy: all but the best (the first of equals) become -inf. t = inf
// makes all possible candidates equal. A t so small that the quotient overflows acts on logit - max instead,
// which has the same probabilities.
void temperature(CandidateArray& candidates, float t);

struct DynamicTemperature {
    float min = 0.0f;
    float max = 2.0f;
    float exponent = 1.0f;
};
// Entropy-based temperature: t = min + (max - min) * (H / H_max)^exponent, where H is the entropy of the
// candidates and H_max = log(size); then temperature(t), sorted and with p. One candidate alone is left as it
// is. Negative results act as t = 0.
void dynamic_temperature(CandidateArray& candidates, const DynamicTemperature& options);

}  // namespace cria::sampling
