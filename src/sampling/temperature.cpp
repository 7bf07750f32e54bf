// See temperature.h.
#include "sampling/temperature.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

void keep_only_best(CandidateArray& candidates, float max) {
    bool is_found = false;
    for (TokenData& item : candidates.span()) {
        if (!is_found && item.logit == max)
            is_found = true;
        else
            item.logit = kImpossible;
    }
}

}  // namespace

void temperature(CandidateArray& candidates, float t) {
    check_parameter("temperature", "t", t);
    const float max = sanitise(candidates);
    if (max == kImpossible) return;
    if (t <= 0.0f) return keep_only_best(candidates, max);
    if (std::isinf(t)) {
        for (TokenData& item : candidates.span()) item.logit = item.logit == kImpossible ? kImpossible : 0.0f;
        candidates.sorted = false;
        return;
    }
    const bool overflows = !std::isfinite(max / t);
    for (TokenData& item : candidates.span()) item.logit = (overflows ? item.logit - max : item.logit) / t;
}

void dynamic_temperature(CandidateArray& candidates, const DynamicTemperature& options) {
    check_parameter("dynamic temperature", "min", options.min);
    check_parameter("dynamic temperature", "max", options.max);
    check_parameter("dynamic temperature", "exponent", options.exponent);
    const float max = sanitise(candidates);
    if (candidates.size < 2 || max == kImpossible) return;
    softmax(candidates);
    double entropy = 0;
    for (const TokenData& item : candidates.span())
        if (item.p > 0.0f) entropy -= item.p * std::log(static_cast<double>(item.p));
    // Rounding may leave the share a little outside 0..1.
    const double share = std::clamp(entropy / std::log(static_cast<double>(candidates.size)), 0.0, 1.0);
    const double t =
        options.min + (double(options.max) - options.min) * std::pow(share, double(options.exponent));
    temperature(candidates, std::isnan(t) ? options.max : static_cast<float>(t));
    softmax(candidates);
}

}  // namespace cria::sampling
