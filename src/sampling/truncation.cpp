// See truncation.h. Sums of probabilities are kept in double: a float sum over a large vocabulary loses its
// tail.
#include "sampling/truncation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sampling/draw.h"

namespace cria::sampling {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

size_t at_least_one(size_t min_keep) { return std::max<size_t>(min_keep, 1); }

// exp(logit - max) into p for all, without sorting; returns their sum.
double set_unsorted_exponentials(CandidateArray& candidates, float max) {
    double sum = 0;
    for (TokenData& item : candidates.span()) {
        item.p = std::exp(item.logit - max);
        sum += item.p;
    }
    return sum;
}

}  // namespace

void top_k(CandidateArray& candidates, int32_t k, size_t min_keep) {
    sanitise(candidates);
    const size_t wanted = k <= 0 ? candidates.size : std::max<size_t>(static_cast<size_t>(k), min_keep);
    const size_t n = std::min(candidates.size, wanted);
    sort_best(candidates, n);
    candidates.size = n;
    candidates.sorted = true;
}

void top_p(CandidateArray& candidates, float p, size_t min_keep) {
    check_parameter("top_p", "p", p);
    const float max = sanitise(candidates);
    if (p >= 1.0f || max == kImpossible) return;
    const double total = set_unsorted_exponentials(candidates, max);
    for (TokenData& item : candidates.span()) item.p = static_cast<float>(item.p / total);

    // Sorts ever longer beginnings until one is probable enough: usually the first is.
    const auto items = candidates.span();
    const size_t n_needed = std::min(at_least_one(min_keep), items.size());
    bool is_sorted = candidates.sorted;
    double sum = 0;
    size_t n = 0;
    for (size_t n_sorted = std::max<size_t>(128, n_needed); n < items.size(); n_sorted *= 8) {
        const size_t end = std::min(n_sorted, items.size());
        CandidateArray rest{.data = items.data() + n, .size = items.size() - n, .sorted = is_sorted};
        sort_best(rest, end - n);
        is_sorted = rest.sorted;
        bool is_enough = false;
        while (n < end && !is_enough) {
            sum += items[n++].p;
            is_enough = sum >= p && n >= n_needed;
        }
        if (is_enough) break;
    }
    candidates.size = n;
    candidates.sorted = true;
}

void min_p(CandidateArray& candidates, float p, size_t min_keep) {
    check_parameter("min_p", "p", p);
    const float max = sanitise(candidates);
    if (p <= 0.0f || max == kImpossible) return;
    const float limit = std::min(max, max + std::log(p));
    const auto items = candidates.span();
    const auto is_kept = [limit](const TokenData& item) { return item.logit >= limit; };
    const auto n_kept = static_cast<size_t>(std::count_if(items.begin(), items.end(), is_kept));
    if (n_kept < at_least_one(min_keep)) return top_k(candidates, 1, min_keep);
    if (n_kept == items.size()) return;
    std::remove_if(items.begin(), items.end(), [&](const TokenData& item) { return !is_kept(item); });
    candidates.size = n_kept;
}

void tail_free(CandidateArray& candidates, float z, size_t min_keep) {
    check_parameter("tail_free", "z", z);
    const float max = sanitise(candidates);
    if (z >= 1.0f || candidates.size <= 2 || max == kImpossible) return;
    softmax(candidates);
    const auto items = candidates.span();
    std::vector<float> bend(items.size() - 2);  // absolute second differences
    double total = 0;
    for (size_t i = 0; i < bend.size(); ++i) {
        const float first = items[i].p - items[i + 1].p;
        const float second = items[i + 1].p - items[i + 2].p;
        bend[i] = std::abs(first - second);
        total += bend[i];
    }
    // A straight line has no bend to weigh: every place counts the same.
    const bool is_straight = total <= 1e-6;
    double sum = 0;
    for (size_t i = 0; i < bend.size(); ++i) {
        sum += is_straight ? 1.0 / static_cast<double>(bend.size()) : bend[i] / total;
        if (sum > z && i >= at_least_one(min_keep)) {
            candidates.size = i;
            return;
        }
    }
}

void typical(CandidateArray& candidates, float p, size_t min_keep) {
    check_parameter("typical", "p", p);
    const float max = sanitise(candidates);
    if (p >= 1.0f || max == kImpossible) return;
    softmax(candidates);
    double entropy = 0;
    for (const TokenData& item : candidates.span())
        if (item.p > 0.0f) entropy -= item.p * std::log(static_cast<double>(item.p));

    // Along the order the surprise only rises, so its distance from the entropy falls and then rises: the
    // most typical stand around one place, and taking the nearer neighbour again and again gives them in
    // order without sorting.
    const std::vector<TokenData> ordered(candidates.data, candidates.data + candidates.size);
    const auto distance = [&](size_t i) {
        return std::abs(-std::log(static_cast<double>(ordered[i].p)) - entropy);
    };
    const auto first_above = std::partition_point(ordered.begin(), ordered.end(), [&](const TokenData& item) {
        return -std::log(static_cast<double>(item.p)) <= entropy;
    });
    auto above = static_cast<size_t>(first_above - ordered.begin());
    size_t n_below = above;
    const size_t n_needed = std::min(at_least_one(min_keep), ordered.size());
    double sum = 0;
    size_t n = 0;
    while (n < ordered.size()) {
        const bool is_below =
            n_below > 0 && (above == ordered.size() || distance(n_below - 1) <= distance(above));
        const TokenData& next = is_below ? ordered[--n_below] : ordered[above++];
        candidates.data[n++] = next;
        sum += next.p;
        if (sum > p && n >= n_needed) break;
    }
    candidates.size = n;
    candidates.sorted = false;
}

void top_n_sigma(CandidateArray& candidates, float n) {
    check_parameter("top_n_sigma", "n", n);
    const float max = sanitise(candidates);
    if (n <= 0.0f || max == kImpossible) return;
    double sum = 0;
    size_t n_possible = 0;
    for (const TokenData& item : candidates.span()) {
        if (item.logit == kImpossible) continue;
        sum += item.logit;
        ++n_possible;
    }
    if (n_possible < 4) return;
    const double mean = sum / static_cast<double>(n_possible);
    double squares = 0;
    for (const TokenData& item : candidates.span())
        if (item.logit != kImpossible) squares += (item.logit - mean) * (item.logit - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(n_possible));
    const double limit = deviation > 0 ? max - n * deviation : max;  // n may be infinite
    const auto items = candidates.span();
    const auto end = std::remove_if(items.begin(), items.end(), [limit](const TokenData& item) {
        return item.logit == kImpossible || item.logit < limit;
    });
    if (end == items.end()) return;
    candidates.size = static_cast<size_t>(end - items.begin());
    softmax(candidates);
}

void xtc(CandidateArray& candidates, const XtcOptions& options, std::mt19937& rng) {
    check_parameter("xtc", "probability", options.probability);
    check_parameter("xtc", "threshold", options.threshold);
    const float max = sanitise(candidates);
    if (options.probability <= 0.0f || options.threshold > 0.5f || candidates.size < 2 || max == kImpossible)
        return;
    if (options.probability < 1.0f && draw_uniform(rng) > options.probability) return;
    softmax(candidates);
    const auto items = candidates.span();
    size_t n_top = 0;
    while (n_top < items.size() && items[n_top].p >= options.threshold) ++n_top;
    if (n_top < 2) return;
    const size_t n_dropped = n_top - 1;
    if (items.size() - n_dropped < at_least_one(options.min_keep)) return;
    std::copy(items.begin() + n_dropped, items.end(), items.begin());
    candidates.size -= n_dropped;
}

}  // namespace cria::sampling
