// Samplers that change logits by what was said before, or by request. See candidates.h for the rules they
// share.
#pragma once

#include "sampling/candidates.h"

namespace cria::sampling {

struct Penalties {
    float repeat = 1.0f;     // divides positive, multiplies other logits of tokens that occurred; 1 is off
    float frequency = 0.0f;  // subtracted once for each occurrence
    float presence = 0.0f;   // subtracted once
};
// Penalises the tokens of `recent` (all of it; the caller cuts it to its window). Linear in candidates +
// recent tokens. Throws Error{invalid_argument} when repeat is not a finite positive number or another
// penalty is not finite.
void penalise(CandidateArray& candidates, std::span<const Token> recent, const Penalties& penalties);

struct TokenBias {
    Token token = 0;
    float bias = 0.0f;  // added to the logit; -inf forbids the token, +inf makes it win
};
// Several biases of one token add up; -inf wins over +inf. Ids that no candidate has are ignored. Throws
// Error{invalid_argument} when a bias is NaN.
void add_bias(CandidateArray& candidates, std::span<const TokenBias> biases);

// Guidance away from what a model says to a negative prompt (classifier-free guidance, Sanchez et al. 2023):
// both become log-probabilities, and logits = scale * (logits - guidance) + guidance. A token that is -inf in
// `logits` stays so; one that is -inf in `guidance` alone keeps its own log-probability. NaN counts as -inf.
// Both spans must have one length, not 0, and scale must be finite, else Error{invalid_argument}. All of one
// span -inf: logits are left alone.
void apply_guidance(std::span<float> logits, std::span<const float> guidance, float scale);

}  // namespace cria::sampling
