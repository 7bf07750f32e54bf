// Implements the scale search; the plan is in search.h.
#include "quant/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/half.h"

namespace cria::quant {
namespace {

// Candidates kept per sub-block, those tried with other variants, grid points of d (for each sign), values of
// d tried with real codes, and choices per sub-block at the end: more of each gains less than 0.3 % in error.
constexpr size_t kKept = 5;
constexpr size_t kStarts = 8;
constexpr int kGridPoints = 48;
constexpr int kTriedScales = 3;
constexpr int kFinalChoices = 3;
constexpr int kFinalRounds = 2;

// Inputs are brought to a magnitude near one, so that squares neither vanish nor overflow; d is brought back
// before it is rounded.
class Normalized {
  public:
    Normalized(const float* x, int64_t n) : x_(x, x + n) {
        constexpr float kLargest =
            std::numeric_limits<float>::max() / 4;  // what comes out may be above what went in
        float largest = 0;
        for (float& value : x_) {
            value = std::clamp(value, -kLargest, kLargest);
            largest = std::max(largest, std::abs(value));
        }
        const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -126, 126) : 0;
        factor_ = std::ldexp(1.0f, -exponent);
        for (float& value : x_) value *= factor_;
    }
    const float* data() const { return x_.data(); }
    // The stored form of a scale for the normalized input, and what it is worth for it.
    float stored(float scale, ScaleStorage storage) const {
        const double original = static_cast<double>(scale) / factor_ * storage.unit;
        return storage.is_half
                   ? f16_to_f32(f32_to_f16(static_cast<float>(std::clamp(original, -65504.0, 65504.0))))
                   : static_cast<float>(original);
    }
    float rounded(float scale, ScaleStorage storage) const {
        return stored(scale, storage) / storage.unit * factor_;
    }

  private:
    std::vector<float> x_;
    float factor_ = 1;
};

// A real scale that suits a sub-block.
struct Candidate {
    float scale = 0, error = 0, vv = 0;
    int variant = 0;

    float error_near(float at) const { return error + vv * (at - scale) * (at - scale); }
};
using Candidates = std::vector<Candidate>;

void keep(Candidates& kept, const Candidate& found) {
    for (Candidate& old : kept) {
        if (old.variant != found.variant || std::abs(old.scale - found.scale) > 0.01f * std::abs(old.scale))
            continue;
        if (found.error < old.error) old = found;
        return;
    }
    kept.push_back(found);
}

// Assigns codes at `scale` and solves for it, n_rounds times or until that gains little; keeps what it meets.
void try_scale(const SubBlockQuantizer& quantizer, const float* x, const float* w, Candidate start,
               int n_rounds, Candidates& kept) {
    Codes codes;
    float last_error = std::numeric_limits<float>::max();
    for (int round = 0; round < n_rounds; ++round) {
        const Match match = quantizer.match(x, w, start.scale, start.variant, Effort::quick, codes);
        start.scale = match.best_scale();
        start.error = match.error_at(start.scale);
        start.vv = match.vv;
        if (match.vv == 0 || start.error >= last_error) return;
        keep(kept, start);
        if (start.error > last_error * 1.001f) return;  // errors are negative: hardly better
        last_error = start.error;
    }
}

// Trial scales for the first variant; the others start from what was good there.
Candidates find_candidates(const SubBlockQuantizer& quantizer, const float* x, const float* w) {
    float largest = 0;
    for (int e = 0; e < quantizer.size; ++e) largest = std::max(largest, std::abs(x[e]));
    Candidates kept;
    if (largest == 0) return kept;
    const auto sort_and_cut = [&kept](size_t n) {
        std::ranges::sort(kept, {}, &Candidate::error);
        if (kept.size() > n) kept.resize(n);
    };
    const float last = static_cast<float>(quantizer.n_trials - 1);
    const float step = std::pow(quantizer.trial_reach[1] / quantizer.trial_reach[0], 1 / last);
    float reach = quantizer.trial_reach[0] * quantizer.largest_value;
    for (int i = 0; i < quantizer.n_trials; ++i, reach *= step) {
        const int n_rounds = i % 4 == 0 ? 3 : 1;
        try_scale(quantizer, x, w, {.scale = largest / reach}, n_rounds, kept);
        if (!quantizer.is_symmetric) try_scale(quantizer, x, w, {.scale = -largest / reach}, n_rounds, kept);
    }
    sort_and_cut(kStarts);
    const Candidates first_variant = kept;
    for (int variant = 1; variant < quantizer.n_variants; ++variant) {
        for (const Candidate& start : first_variant) {
            try_scale(quantizer, x, w, {.scale = start.scale, .variant = variant}, 2, kept);
        }
    }
    sort_and_cut(kKept);
    return kept;
}

// An integer scale for a sub-block with the approximate error it would give.
struct Choice {
    float error = 0;
    int scale_index = 0;
    int variant = 0;
};

// Appends the two neighbours of each candidate at this d.
void list_choices(const Candidates& candidates, const ScaleSet& scales, float d,
                  std::vector<Choice>& choices) {
    choices.clear();
    for (const Candidate& candidate : candidates) {
        const int below = scales.at_or_below(candidate.scale / d);
        for (int index = below; index < std::min(below + 2, scales.count()); ++index) {
            choices.push_back({.error = candidate.error_near(d * static_cast<float>(scales[index])),
                               .scale_index = index,
                               .variant = candidate.variant});
        }
    }
}

float approximate_error(const std::vector<Candidates>& blocks, const ScaleSet& scales, float d) {
    float sum = 0;
    const float inverse = 1 / d;
    for (const Candidates& candidates : blocks) {
        float best = 0;
        for (const Candidate& candidate : candidates) {
            if (candidate.error >= best) break;  // they are sorted
            const auto scale = static_cast<float>(scales[scales.nearest(candidate.scale * inverse)]);
            best = std::min(best, candidate.error_near(d * scale));
        }
        sum += best;
    }
    return sum;
}

// The most promising values of d, best first.
std::vector<float> promising_scales(const std::vector<Candidates>& blocks, const ScaleSet& scales,
                                    bool both_signs) {
    float largest = 0;
    for (const Candidates& candidates : blocks) {
        if (!candidates.empty()) largest = std::max(largest, std::abs(candidates.front().scale));
    }
    if (largest == 0) return {};
    std::vector<std::pair<float, float>> tried;  // error, d
    for (int i = 0; i < kGridPoints; ++i) {
        const float part = static_cast<float>(i) / (kGridPoints - 1);
        const float ratio = static_cast<float>(scales.largest_magnitude()) * (0.35f + 0.85f * part);
        const float d = largest / ratio;
        tried.emplace_back(approximate_error(blocks, scales, d), d);
        if (both_signs) tried.emplace_back(approximate_error(blocks, scales, -d), -d);
    }
    std::ranges::sort(tried);
    std::vector<float> best;
    for (const auto& [error, d] : tried) {
        const bool is_new =
            std::ranges::none_of(best, [d = d](float b) { return std::abs(b - d) < 0.015f * std::abs(b); });
        if (is_new) best.push_back(d);
        if (best.size() == kTriedScales) break;
    }
    return best;
}

// Everything about one value of d.
struct Fit {
    float d = 0;  // rounded as stored, for the normalized input
    float error = std::numeric_limits<float>::max();
    std::vector<SubBlockFit> blocks;
};

struct Problem {
    const SubBlockQuantizer& quantizer;
    const ScaleSet& scales;
    const float* x;
    const float* w;
    std::vector<Candidates> candidates;
};

// How many choices of a sub-block are tried, and how hard codes are looked for.
struct Thoroughness {
    int n_choices = 1;
    Effort effort = Effort::quick;
};

// Chooses for sub-block b at this d; returns the match of what was chosen, scaled to d.
Match choose(const Problem& problem, int64_t b, float d, Thoroughness how, std::vector<Choice>& choices,
             SubBlockFit& out) {
    const float* x = problem.x + b * problem.quantizer.size;
    const float* w = problem.w + b * problem.quantizer.size;
    list_choices(problem.candidates[static_cast<size_t>(b)], problem.scales, d, choices);
    if (choices.empty()) choices.push_back({.scale_index = problem.scales.nearest(0)});
    std::ranges::sort(choices, {}, &Choice::error);
    Match best_match;
    float best_error = std::numeric_limits<float>::max();
    int n_tried = 0;
    for (size_t i = 0; i < choices.size() && n_tried < how.n_choices; ++i) {
        const Choice& choice = choices[i];
        const bool repeats = std::any_of(
            choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(i), [&](const Choice& c) {
                return c.scale_index == choice.scale_index && c.variant == choice.variant;
            });
        if (repeats) continue;
        ++n_tried;
        SubBlockFit fit{.scale_index = choice.scale_index, .variant = choice.variant, .codes = {}};
        const auto scale = static_cast<float>(problem.scales[choice.scale_index]);
        const Match match = problem.quantizer.match(x, w, d * scale, choice.variant, how.effort, fit.codes);
        const float error = match.error_at(d * scale);
        if (error < best_error) {
            best_error = error;
            best_match = {.xv = match.xv * scale, .vv = match.vv * scale * scale};
            out = fit;
        }
    }
    return best_match;
}

// One choice for all sub-blocks; returns the sum of their matches.
Match choose_all(const Problem& problem, float d, Thoroughness how, Fit& fit) {
    Match sum;
    std::vector<Choice> choices;
    fit.d = d;
    fit.blocks.resize(problem.candidates.size());
    for (size_t b = 0; b < fit.blocks.size(); ++b) {
        const Match match = choose(problem, static_cast<int64_t>(b), d, how, choices, fit.blocks[b]);
        sum.xv += match.xv;
        sum.vv += match.vv;
    }
    fit.error = sum.error_at(d);
    return sum;
}

// The best of the promising values of d, each after one round of solving for it.
float best_of(const Problem& problem, const std::vector<float>& promising) {
    float best = 0, best_error = std::numeric_limits<float>::max();
    Fit fit;
    for (float d : promising) {
        for (int round = 0; round < 2 && d != 0; ++round) {
            const Match match = choose_all(problem, d, {.n_choices = 1, .effort = Effort::quick}, fit);
            if (fit.error < best_error) best_error = fit.error, best = d;
            d = match.best_scale();
        }
    }
    return best;
}

}  // namespace

ScaleSet::ScaleSet(int first, int step, int count) {
    for (int i = 0; i < count; ++i) values_.push_back(first + step * i);
    for (int ratio = -128; ratio < 128; ++ratio) {
        const auto above = std::ranges::upper_bound(values_, ratio);
        below_[static_cast<size_t>(ratio + 128)] =
            static_cast<uint8_t>(std::max<std::ptrdiff_t>(above - values_.begin() - 1, 0));
    }
}

ScaleSet::ScaleSet(std::span<const int8_t> ascending) : ScaleSet(0, 1, 0) {
    values_.assign(ascending.begin(), ascending.end());
    for (int ratio = -128; ratio < 128; ++ratio) {
        const auto above = std::ranges::upper_bound(values_, ratio);
        below_[static_cast<size_t>(ratio + 128)] =
            static_cast<uint8_t>(std::max<std::ptrdiff_t>(above - values_.begin() - 1, 0));
    }
}

int ScaleSet::at_or_below(float ratio) const {
    return below_[static_cast<size_t>(std::clamp(ratio, -128.0f, 127.0f) + 128)];
}

int ScaleSet::nearest(float ratio) const {
    const int below = at_or_below(ratio);
    if (below + 1 == count()) return below;
    const int low = (*this)[below], high = (*this)[below + 1];
    return 2 * ratio > static_cast<float>(low + high) ? below + 1 : below;
}

int ScaleSet::largest_magnitude() const {
    return std::max(std::abs(values_.front()), std::abs(values_.back()));
}

float fit_scales(const SubBlockQuantizer& quantizer, const ScaleSet& scales, ScaleStorage storage,
                 const float* x, const float* w, int64_t n_sub, SubBlockFit* out) {
    const Normalized input(x, n_sub * quantizer.size);
    Problem problem{.quantizer = quantizer, .scales = scales, .x = input.data(), .w = w, .candidates = {}};
    for (int64_t b = 0; b < n_sub; ++b) {
        problem.candidates.push_back(
            find_candidates(quantizer, input.data() + b * quantizer.size, w + b * quantizer.size));
    }
    float d = best_of(problem,
                      promising_scales(problem.candidates, scales, !quantizer.is_symmetric || scales[0] < 0));
    Fit best;
    const Thoroughness how{.n_choices = kFinalChoices, .effort = Effort::careful};
    for (int round = 0; round < kFinalRounds; ++round) {
        Fit fit;
        d = choose_all(problem, input.rounded(d, storage), how, fit).best_scale();
        if (fit.error >= best.error) break;
        best = std::move(fit);
    }
    std::ranges::copy(best.blocks, out);
    return input.stored(best.d, storage);
}

float fit_one_scale(const SubBlockQuantizer& quantizer, ScaleStorage storage, const float* x, const float* w,
                    Codes& codes) {
    const Normalized input(x, quantizer.size);
    float best_scale = 0, best_error = 0;
    Codes trial;
    for (const Candidate& candidate : find_candidates(quantizer, input.data(), w)) {
        const float scale = input.rounded(candidate.scale, storage);
        const float error = quantizer.match(input.data(), w, scale, 0, Effort::quick, trial).error_at(scale);
        if (error < best_error) best_error = error, best_scale = scale;
    }
    quantizer.match(input.data(), w, best_scale, 0, Effort::careful, codes);
    return input.stored(best_scale, storage);
}

Curve::Curve(std::span<const float> ascending) : count_(static_cast<int>(ascending.size())) {
    CRIA_BUG_UNLESS(ascending.size() <= values_.size());
    std::ranges::copy(ascending, values_.begin());
    middle_.fill(std::numeric_limits<float>::max());
    for (size_t i = 0; i + 1 < ascending.size(); ++i) middle_[i] = 0.5f * (values_[i] + values_[i + 1]);
    for (size_t i = 0; i < guess_.size(); ++i) {
        const float low = 0.5f * static_cast<float>(i) - 128.0f;
        int code = 0;
        while (code + 1 < count_ && low > middle_[static_cast<size_t>(code)]) ++code;
        guess_[i] = static_cast<uint8_t>(code);
    }
}

Curve Curve::of(std::span<const int8_t> ascending) {
    const std::vector<float> values(ascending.begin(), ascending.end());
    return Curve(values);
}

Curve Curve::line(int first, int last) {
    std::vector<float> values;
    for (int v = first; v <= last; ++v) values.push_back(static_cast<float>(v));
    return Curve(values);
}

CurveQuantizer::CurveQuantizer(int n, std::vector<Curve> curves) : curves_(std::move(curves)) {
    size = n_codes = n;
    n_variants = static_cast<int>(curves_.size());
    const Curve& first = curves_.front();
    largest_value = std::max(std::abs(first[0]), std::abs(first[first.count() - 1]));
    trial_reach[0] = first.count() <= 4 ? 0.35f : first.count() <= 8 ? 0.5f : 0.75f;
    n_trials = first.count() <= 8 ? 24 : 16;
}

Match CurveQuantizer::match(const float* x, const float* w, float scale, int variant, Effort,
                            Codes& codes) const {
    const Curve& curve = curves_[static_cast<size_t>(variant)];
    const float inverse = inverse_of(scale);
    Match match;
    for (int e = 0; e < size; ++e) {
        const int code = curve.nearest(x[e] * inverse);
        codes.index[static_cast<size_t>(e)] = static_cast<uint16_t>(code);
        match.add(w[e], x[e], curve[code]);
    }
    return match;
}

}  // namespace cria::quant
