// See draw.h.
#include "sampling/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

[[noreturn]] void fail_all_impossible(size_t n) {
    fail(ErrorCode::invalid_argument,
         "none of {} tokens can be chosen: every logit is -inf or not a number; "
         "loosen the grammar, bans or biases, or check the model's output",
         n);
}

}  // namespace

Token greedy(CandidateArray& candidates) {
    const float max = sanitise(candidates);
    if (max == kImpossible) fail_all_impossible(candidates.size);
    const auto items = candidates.span();
    return std::find_if(items.begin(), items.end(),
                        [max](const TokenData& item) { return item.logit == max; })
        ->id;
}

Token greedy(std::span<const float> logits) {
    // Looks for the block with the best token, then into that block.
    constexpr size_t kBlock = 512;
    float max = kImpossible;
    size_t best = 0;
    for (size_t begin = 0; begin < logits.size(); begin += kBlock) {
        const float block_max = largest(logits.subspan(begin, std::min(kBlock, logits.size() - begin)));
        if (!(block_max > max)) continue;
        max = block_max;
        best = begin;
    }
    if (max == kImpossible) fail_all_impossible(logits.size());
    return static_cast<Token>(std::find(logits.begin() + static_cast<ptrdiff_t>(best), logits.end(), max) -
                              logits.begin());
}

size_t draw_index(CandidateArray& candidates, std::mt19937& rng) {
    const float max = sanitise(candidates);
    if (max == kImpossible) fail_all_impossible(candidates.size);
    const auto items = candidates.span();
    if (items.size() == 1) return 0;

    // The running sum is remembered at the start of each stretch, so that the second pass starts near the
    // chosen place.
    constexpr size_t kStretches = 512;
    const size_t stretch = (items.size() + kStretches - 1) / kStretches;
    std::array<float, kStretches> sum_before;
    float sum = 0.0f;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i % stretch == 0) sum_before[i / stretch] = sum;
        sum += std::exp(items[i].logit - max);
    }
    const auto r = static_cast<float>(rng());
    const float limit = sum * r / 4294967296.0f;

    const size_t n_stretches = (items.size() + stretch - 1) / stretch;
    const auto next = std::upper_bound(sum_before.begin() + 1, sum_before.begin() + n_stretches, limit);
    size_t i = static_cast<size_t>(next - sum_before.begin() - 1) * stretch;
    float running = sum_before[i / stretch];
    for (; i < items.size(); ++i) {
        running += std::exp(items[i].logit - max);
        if (running > limit) return i;
    }
    // Rounding made the limit the whole sum: the last candidate that adds to it.
    i = items.size() - 1;
    while (std::exp(items[i].logit - max) == 0.0f) --i;
    return i;
}

Token draw(CandidateArray& candidates, std::mt19937& rng) {
    return candidates.data[draw_index(candidates, rng)].id;
}

float draw_uniform(std::mt19937& rng) {
    const float value = static_cast<float>(rng()) / 4294967296.0f;
    return std::min(value, 0x1.fffffep-1f);
}

}  // namespace cria::sampling
