// See candidates.h. Sorting: few from many by a heap of the few (one comparison for most elements), large
// arrays by radix on the bits of the logit, so that nothing here is slower than linear in the vocabulary.
#include "sampling/candidates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
// Up to this many of the best are selected by a heap; above, or when that is most of the array, everything is
// sorted.
constexpr size_t kHeapLimit = 1024;
// Below this size std::sort beats the passes of the radix sort.
constexpr size_t kRadixLimit = 2048;

struct Before {
    bool operator()(const TokenData& a, const TokenData& b) const {
        return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
    }
};

float usable(float logit) {
    if (std::isnan(logit)) return kImpossible;
    return std::min(logit, kLargest);
}

// Larger logits get smaller keys; needs a logit that is not NaN. Adding zero makes -0 equal to +0.
uint32_t radix_key(float logit) {
    const auto bits = std::bit_cast<uint32_t>(logit + 0.0f);
    return (bits & 0x80000000u) != 0 ? bits : ~bits & 0x7fffffffu;
}

void radix_sort(std::span<TokenData> items) {
    constexpr int kDigitBits = 11;
    constexpr size_t kBuckets = size_t(1) << kDigitBits;
    std::vector<TokenData> scratch(items.size());
    std::span<TokenData> from = items, to = scratch;
    for (int shift = 0; shift < 32; shift += kDigitBits) {
        std::array<uint32_t, kBuckets> start{};
        for (const TokenData& item : from) ++start[(radix_key(item.logit) >> shift) & (kBuckets - 1)];
        uint32_t total = 0;
        for (uint32_t& count : start) total += std::exchange(count, total);
        for (const TokenData& item : from)
            to[start[(radix_key(item.logit) >> shift) & (kBuckets - 1)]++] = item;
        std::swap(from, to);
    }
    std::copy(from.begin(), from.end(), items.begin());
}

// The radix sort leaves equal logits as they came; order wants them by id.
void order_ties(std::span<TokenData> items) {
    for (size_t begin = 0; begin < items.size();) {
        size_t end = begin + 1;
        while (end < items.size() && items[end].logit == items[begin].logit) ++end;
        if (end - begin > 1) std::sort(items.begin() + begin, items.begin() + end, Before{});
        begin = end;
    }
}

float set_exponentials(CandidateArray& candidates) {
    sanitise(candidates);
    sort_candidates(candidates);
    const float max = candidates.data[0].logit;
    if (max == kImpossible) {
        for (TokenData& item : candidates.span()) item.p = 0.0f;
        return 0.0f;
    }
    double sum = 0;
    for (TokenData& item : candidates.span()) {
        item.p = std::exp(item.logit - max);
        sum += item.p;
    }
    return static_cast<float>(sum);
}

}  // namespace

CandidateArray& CandidateBuffer::fill(std::span<const float> logits) {
    if (logits.empty() || logits.size() > size_t(std::numeric_limits<Token>::max()))
        fail(ErrorCode::invalid_argument, "sampling needs 1 to 2147483647 logits, got {}", logits.size());
    storage_.resize(logits.size());
    for (size_t i = 0; i < logits.size(); ++i) storage_[i] = {static_cast<Token>(i), logits[i], 0.0f};
    array_ = {.data = storage_.data(), .size = storage_.size()};
    return array_;
}

CandidateArray& CandidateBuffer::fill_top(std::span<const float> logits, size_t k) {
    k = std::max<size_t>(k, 1);
    if (k > kHeapLimit || k >= logits.size() / 4) {
        fill(logits);
        sanitise(array_);
        sort_best(array_, k);
        array_.size = std::min(array_.size, k);
        array_.sorted = true;
        return array_;
    }
    // Collects whatever beats the worst of the best k known so far; each time the collection is full it is
    // cut to its best k.
    const size_t capacity = 4 * k;
    constexpr size_t kBlock = 64;
    storage_.clear();
    storage_.reserve(capacity + kBlock);
    float threshold = kImpossible;
    bool is_full =
        false;  // storage_ has held k elements: only larger logits matter (equal ones have a larger id)
    for (size_t begin = 0; begin < logits.size(); begin += kBlock) {
        const auto block = logits.subspan(begin, std::min(kBlock, logits.size() - begin));
        if (is_full && !(largest(block) > threshold)) continue;
        for (size_t i = 0; i < block.size(); ++i) {
            const float logit = usable(block[i]);
            if (is_full && !(logit > threshold)) continue;
            storage_.push_back({static_cast<Token>(begin + i), logit, 0.0f});
        }
        if (storage_.size() >= capacity) {
            std::nth_element(storage_.begin(), storage_.begin() + (k - 1), storage_.end(), Before{});
            storage_.resize(k);
            threshold = storage_.back().logit;
            is_full = true;
        }
    }
    std::sort(storage_.begin(), storage_.end(), Before{});
    storage_.resize(std::min(k, storage_.size()));
    array_ = {.data = storage_.data(), .size = storage_.size(), .sorted = true};
    return array_;
}

float largest(std::span<const float> values) {
    // Sixteen maxima side by side become vector instructions; one alone waits for itself.
    constexpr size_t kLanes = 16;
    float lanes[kLanes];
    std::fill_n(lanes, kLanes, kImpossible);
    size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
        for (size_t j = 0; j < kLanes; ++j) lanes[j] = values[i + j] > lanes[j] ? values[i + j] : lanes[j];
    for (; i < values.size(); ++i) lanes[0] = values[i] > lanes[0] ? values[i] : lanes[0];
    return *std::max_element(lanes, lanes + kLanes);
}

float sanitise(CandidateArray& candidates) {
    if (candidates.size == 0 || candidates.data == nullptr)
        fail(ErrorCode::invalid_argument,
             "there is no candidate to sample from; fill the array from the logits first");
    float max = kImpossible;
    bool has_nan = false;
    for (TokenData& item : candidates.span()) {
        if (!(item.logit <= kLargest)) {
            has_nan |= std::isnan(item.logit);
            item.logit = usable(item.logit);
        }
        max = item.logit > max ? item.logit : max;
    }
    if (has_nan) candidates.sorted = false;
    return max;
}

void check_parameter(const char* sampler, const char* name, float value) {
    if (std::isnan(value))
        fail(ErrorCode::invalid_argument, "{}: {} is not a number; give a finite value", sampler, name);
}

void sort_candidates(CandidateArray& candidates) {
    if (candidates.sorted) return;
    const auto items = candidates.span();
    if (items.size() < kRadixLimit) {
        std::sort(items.begin(), items.end(), Before{});
    } else {
        radix_sort(items);
        order_ties(items);
    }
    candidates.sorted = true;
}

void sort_best(CandidateArray& candidates, size_t n) {
    if (candidates.sorted) return;
    if (n > kHeapLimit || n >= candidates.size / 4) return sort_candidates(candidates);
    const auto items = candidates.span();
    std::partial_sort(items.begin(), items.begin() + n, items.end(), Before{});
}

void remove_impossible(CandidateArray& candidates) {
    sanitise(candidates);
    const auto items = candidates.span();
    const auto end = std::remove_if(items.begin(), items.end(),
                                    [](const TokenData& item) { return item.logit == kImpossible; });
    if (end == items.begin())
        fail(ErrorCode::invalid_argument,
             "all {} candidates are forbidden (logit -inf); loosen the grammar, bans or biases",
             items.size());
    candidates.size = static_cast<size_t>(end - items.begin());
}

void softmax(CandidateArray& candidates) {
    const float sum = set_exponentials(candidates);
    if (sum > 0.0f)
        for (TokenData& item : candidates.span()) item.p /= sum;
}

void dist(CandidateArray& candidates) { set_exponentials(candidates); }

}  // namespace cria::sampling
