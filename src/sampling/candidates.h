// The candidates for the next token: an array of (id, logit, p) that every sampler of this room reorders,
// shortens or changes in place, and the few operations they share. The layouts are those of llama_token_data
// and llama_token_data_array (shared/spec/interop.md 1.6), so that the C interface may cast.
//
// Rules that hold for every sampler of this room:
// * A candidate array has at least one element, else Error{invalid_argument}; it never becomes empty.
// * A NaN logit counts as -inf, +inf as the largest float; samplers write these replacements back. No sampler
// writes NaN.
// * -inf means "impossible". When all are -inf, samplers that shorten leave the array alone and probabilities
// are 0;
//   choosing a token (draw.h) is then Error{invalid_argument}.
// * A parameter that is NaN is Error{invalid_argument} naming it. What other odd values mean is said at each
// sampler.
// * "Order" is by falling logit, equal logits by rising id; `sorted` tells whether the array is in it.
// * min_keep: how many candidates a sampler leaves at least (as far as there are as many); 0 counts as 1.
// All functions are re-entrant; one array must not be used by two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cria::sampling {

using Token = int32_t;

struct TokenData {
    Token id;
    float logit;
    float p;  // probability, where the sampler that ran last says so
};
static_assert(sizeof(TokenData) == 12);

struct CandidateArray {
    TokenData* data = nullptr;
    size_t size = 0;
    int64_t selected = -1;  // carried for callers of llama.h; no sampler here reads it
    bool sorted = false;

    std::span<TokenData> span() const { return {data, size}; }
};
static_assert(sizeof(CandidateArray) == 32 && offsetof(CandidateArray, sorted) == 24);

// Owns the memory of a candidate array and reuses it from token to token.
class CandidateBuffer {
  public:
    // Token i gets logits[i], p = 0, in order of ids. The array stays valid until the next fill. Throws
    // Error{invalid_argument} for no logits or more than 2^31 - 1.
    CandidateArray& fill(std::span<const float> logits);

    // The k best tokens in order: what fill() and top_k() give, without building the whole array. k is at
    // least 1.
    CandidateArray& fill_top(std::span<const float> logits, size_t k);

    CandidateArray& array() { return array_; }

  private:
    std::vector<TokenData> storage_;
    CandidateArray array_;
};

// The largest of the values; NaN is passed over, and nothing else gives -inf.
float largest(std::span<const float> values);

// Checks that there is a candidate, replaces NaN and +inf as said above, and returns the largest logit (-inf:
// all impossible). One pass; every sampler starts with it.
float sanitise(CandidateArray& candidates);

// Throws Error{invalid_argument} naming the parameter when it is NaN.
void check_parameter(const char* sampler, const char* name, float value);

// Puts the candidates in order. Linear in their number for large arrays (radix sort).
void sort_candidates(CandidateArray& candidates);

// Puts the best n candidates in order at the front; the rest follows in no particular order.
void sort_best(CandidateArray& candidates, size_t n);

// Drops candidates with logit -inf, keeping the sequence of the others. Throws Error{invalid_argument} when
// none is left.
void remove_impossible(CandidateArray& candidates);

// Sorts, and sets p = exp(logit - max) / sum.
void softmax(CandidateArray& candidates);

// Sorts, and sets p = exp(logit - max).
void dist(CandidateArray& candidates);

}  // namespace cria::sampling
