// See mirostat.h.
#include "sampling/mirostat.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sampling/draw.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

void check(const MirostatOptions& options, float mu) {
    if (!std::isfinite(options.tau) || !std::isfinite(options.eta) || !std::isfinite(mu))
        fail(ErrorCode::invalid_argument,
             "mirostat: tau {}, eta {} and mu {} must be finite (usual: 5, 0.1, 10)", options.tau,
             options.eta, mu);
}

// The drawn candidate's p decides its surprise, in bits.
Token draw_and_learn(CandidateArray& candidates, const MirostatOptions& options, float& mu,
                     std::mt19937& rng) {
    const size_t chosen = draw_index(candidates, rng);
    const float surprise = -std::log2(candidates.data[chosen].p);
    mu = std::clamp(mu - options.eta * (surprise - options.tau), -3e38f, 3e38f);
    return candidates.data[chosen].id;
}

// Least-squares fit of the Zipf exponent to the m most probable candidates; NaN when impossible ones are
// among them.
float zipf_exponent(std::span<const TokenData> sorted, int32_t m) {
    float sum_tb = 0.0f, sum_tt = 0.0f;
    for (size_t i = 0; i + 1 < sorted.size() && i + 1 < static_cast<size_t>(m); ++i) {
        const float t = std::log(float(i + 2) / float(i + 1));
        const float b = std::log(sorted[i].p / sorted[i + 1].p);
        sum_tb += t * b;
        sum_tt += t * t;
    }
    return sum_tb / sum_tt;
}

// How many candidates to keep so that their greatest surprise is about mu. 0, when the fit says less than one
// or nothing, keeps all: the programs Cria replaces do so, and the same seed should give the same text.
int32_t size_for_surprise(float exponent, float mu, int32_t n_vocab, size_t n_candidates) {
    const float epsilon = exponent - 1.0f;
    const float k = std::pow((epsilon * std::pow(2.0f, mu)) / (1.0f - std::pow(float(n_vocab), -epsilon)),
                             1.0f / exponent);
    if (std::isnan(k)) return 0;
    return static_cast<int32_t>(std::clamp(k, 0.0f, static_cast<float>(n_candidates)));
}

}  // namespace

Token mirostat(CandidateArray& candidates, const MirostatOptions& options, int32_t n_vocab, float& mu,
               std::mt19937& rng) {
    check(options, mu);
    if (options.m < 1 || n_vocab < 1)
        fail(ErrorCode::invalid_argument,
             "mirostat: m is {} and the vocabulary size {}; both must be at least 1 (usual m: 100)",
             options.m, n_vocab);
    softmax(candidates);
    const float exponent = zipf_exponent(candidates.span(), options.m);
    top_k(candidates, size_for_surprise(exponent, mu, n_vocab, candidates.size), 1);
    return draw_and_learn(candidates, options, mu, rng);
}

Token mirostat_v2(CandidateArray& candidates, const MirostatOptions& options, float& mu, std::mt19937& rng) {
    check(options, mu);
    softmax(candidates);
    const auto items = candidates.span();
    const auto end = std::find_if(items.begin(), items.end(),
                                  [&](const TokenData& item) { return -std::log2(item.p) > mu; });
    candidates.size = std::max<size_t>(static_cast<size_t>(end - items.begin()), 1);
    softmax(candidates);
    return draw_and_learn(candidates, options, mu, rng);
}

}  // namespace cria::sampling
