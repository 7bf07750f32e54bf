// See adaptive_p.h.
#include "sampling/adaptive_p.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "sampling/draw.h"

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();
constexpr float kWidth = 0.3f;       // of the hill around the aim
constexpr float kPeakLogit = 5.0f;   // at its top
constexpr float kSharpness = 10.0f;  // how fast it falls
// Original probabilities below exp(-30) of the best count as 0.
constexpr float kNegligible = -30.0f;
// Nobody reviews more unsent tokens than this; older averages are dropped.
constexpr size_t kMaxAverages = 65536;

}  // namespace

AdaptiveSampler::AdaptiveSampler(const AdaptiveOptions& options) : options_(options) {
    check_parameter("adaptive_p", "target", options.target);
    check_parameter("adaptive_p", "decay", options.decay);
    if (options.target > 1.0f)
        fail(ErrorCode::invalid_argument,
             "adaptive_target is {}; give a probability from 0 to 1, or -1 to turn it off", options.target);
    options_.decay = std::clamp(options.decay, 0.0f, 0.99f);
    reset();
}

void AdaptiveSampler::reset() {
    const float weight = 1.0f / (1.0f - options_.decay);
    averages_.assign(1, {options_.target * weight, weight});
    current_.clear();
}

void AdaptiveSampler::prepare(CandidateArray& candidates) {
    if (!is_active() || options_.uses_current) return;
    sanitise(candidates);
    std::vector<float> logits(candidates.size);
    for (size_t i = 0; i < logits.size(); ++i) {
        if (candidates.data[i].id != static_cast<Token>(i))
            fail(ErrorCode::invalid_argument,
                 "adaptive_p: candidate {} is token {}; prepare needs all tokens in order of ids, before any "
                 "other sampler",
                 i, candidates.data[i].id);
        logits[i] = candidates.data[i].logit;
    }
    prepare(logits);
}

void AdaptiveSampler::prepare(std::span<const float> logits) {
    if (!is_active() || options_.uses_current) return;
    float max = kImpossible;
    for (const float logit : logits) max = logit > max ? logit : max;
    max = std::min(max, std::numeric_limits<float>::max());
    original_.assign(logits.size(), 0.0f);
    double sum = 0;
    for (size_t i = 0; i < logits.size(); ++i) {
        const float below = std::min(logits[i] - max, 0.0f);
        if (!(below > kNegligible)) continue;
        original_[i] = std::exp(below);
        sum += original_[i];
    }
    original_sum_ = static_cast<float>(sum);
}

float AdaptiveSampler::aim() const {
    const Average& average = averages_.back();
    return std::clamp(2.0f * options_.target - average.weighted_sum / average.total_weight, 0.0f, 1.0f);
}

void AdaptiveSampler::apply(CandidateArray& candidates) {
    const float max = sanitise(candidates);
    if (max == kImpossible) return;
    if (!is_active()) return softmax(candidates);
    double sum = 0;
    for (TokenData& item : candidates.span()) {
        item.p = std::exp(item.logit - max);
        sum += item.p;
    }
    const float wanted = aim();
    current_.assign(candidates.data, candidates.data + candidates.size);
    for (size_t i = 0; i < candidates.size; ++i) {
        TokenData& item = candidates.data[i];
        current_[i].p = static_cast<float>(item.p / sum);
        const float distance = std::abs(current_[i].p - wanted) / kWidth;
        if (item.logit != kImpossible)
            item.logit = kPeakLogit - kSharpness * distance * distance / (1.0f + distance);
    }
    candidates.sorted = false;
}

Token AdaptiveSampler::sample(CandidateArray& candidates, std::mt19937& rng) {
    const Token token = draw(candidates, rng);
    if (!is_active()) return token;
    float p = 0.0f;
    if (options_.uses_current) {
        const auto found = std::find_if(current_.begin(), current_.end(),
                                        [&](const TokenData& item) { return item.id == token; });
        if (found == current_.end())
            fail(ErrorCode::invalid_argument,
                 "adaptive_p: token {} was not among the candidates of the last apply", token);
        p = found->p;
    } else {
        if (token < 0 || static_cast<size_t>(token) >= original_.size())
            fail(ErrorCode::invalid_argument,
                 "adaptive_p: token {} was not among the {} prepared; call prepare first", token,
                 original_.size());
        p = original_sum_ > 0.0f ? original_[static_cast<size_t>(token)] / original_sum_ : 0.0f;
    }
    const Average before = averages_.back();
    averages_.push_back(
        {options_.decay * before.weighted_sum + p, options_.decay * before.total_weight + 1.0f});
    if (averages_.size() > kMaxAverages)
        averages_.erase(averages_.begin(), averages_.begin() + kMaxAverages / 2);
    return token;
}

void AdaptiveSampler::review(size_t n_unsent, bool was_rewound) {
    if (n_unsent >= averages_.size() - 1) return;
    if (was_rewound)
        averages_.resize(n_unsent + 1);
    else
        averages_.erase(averages_.begin(), averages_.end() - static_cast<ptrdiff_t>(n_unsent + 1));
}

}  // namespace cria::sampling
