// See penalties.h.
#include "sampling/penalties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "sampling/by_token.h"

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

float penalised(float logit, int count, const Penalties& penalties) {
    logit = logit <= 0.0f ? logit * penalties.repeat : logit / penalties.repeat;
    logit -= static_cast<float>(count) * penalties.frequency + penalties.presence;
    return logit;
}

// log(sum(exp(values))), -inf when there is nothing to add.
double log_sum(std::span<const float> values) {
    float max = kImpossible;
    for (const float value : values) max = value > max ? value : max;
    if (max == kImpossible) return kImpossible;
    max = std::min(max, std::numeric_limits<float>::max());
    double sum = 0;
    for (const float value : values)
        if (!std::isnan(value)) sum += std::exp(std::min(value, std::numeric_limits<float>::max()) - max);
    return max + std::log(sum);
}

}  // namespace

void penalise(CandidateArray& candidates, std::span<const Token> recent, const Penalties& penalties) {
    if (!(penalties.repeat > 0.0f) || !std::isfinite(penalties.repeat))
        fail(ErrorCode::invalid_argument,
             "penalty_repeat is {}; it must be a finite number above 0 (1 is off)", penalties.repeat);
    if (!std::isfinite(penalties.frequency) || !std::isfinite(penalties.presence))
        fail(ErrorCode::invalid_argument,
             "penalty_freq is {} and penalty_present is {}; both must be finite (0 is off)",
             penalties.frequency, penalties.presence);
    sanitise(candidates);
    const bool is_off = penalties.repeat == 1.0f && penalties.frequency == 0.0f && penalties.presence == 0.0f;
    if (is_off || recent.empty()) return;
    std::unordered_map<Token, int> counts;
    for (const Token token : recent) ++counts[token];
    for_each_named(candidates, counts,
                   [&](TokenData& item, int count) { item.logit = penalised(item.logit, count, penalties); });
    candidates.sorted = false;
    sanitise(candidates);  // absurd penalties may have overflowed
}

void add_bias(CandidateArray& candidates, std::span<const TokenBias> biases) {
    for (const TokenBias& bias : biases)
        if (std::isnan(bias.bias))
            fail(ErrorCode::invalid_argument,
                 "the bias of token {} is not a number; use -inf to forbid a token", bias.token);
    sanitise(candidates);
    if (biases.empty()) return;
    std::unordered_map<Token, float> by_token;
    for (const TokenBias& bias : biases) by_token[bias.token] += bias.bias;
    for_each_named(candidates, by_token, [](TokenData& item, float bias) {
        item.logit = item.logit == kImpossible ? kImpossible : item.logit + bias;
    });
    candidates.sorted = false;
    sanitise(candidates);
}

void apply_guidance(std::span<float> logits, std::span<const float> guidance, float scale) {
    if (logits.size() != guidance.size() || logits.empty())
        fail(ErrorCode::invalid_argument, "guidance needs two equally long sets of logits, got {} and {}",
             logits.size(), guidance.size());
    if (!std::isfinite(scale))
        fail(ErrorCode::invalid_argument, "the guidance scale is {}; give a finite number (1 is off)", scale);
    const double total = log_sum(logits);
    const double total_guidance = log_sum(guidance);
    if (std::isinf(total) || std::isinf(total_guidance)) return;
    constexpr double kLargest = std::numeric_limits<float>::max();
    for (size_t i = 0; i < logits.size(); ++i) {
        const double own = std::min<double>(logits[i], kLargest) - total;
        const double other = std::min<double>(guidance[i], kLargest) - total_guidance;
        const bool is_guided = other > -kLargest;
        const double mixed = is_guided ? scale * (own - other) + other : own;
        logits[i] =
            own >= -kLargest ? static_cast<float>(std::clamp(mixed, -kLargest, kLargest)) : kImpossible;
    }
}

}  // namespace cria::sampling
