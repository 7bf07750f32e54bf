// Encoders of formats with a scale and a minimum: y = scale * q + offset with q = 0..n. In the K-quants scale
// and (negated) offset of a sub-block are small integers times d and dmin.
//
// As in search.h: lines that suit each sub-block alone first; the error near such a line is a known quadratic
// form, so that many pairs (d, dmin) can be compared without assigning codes; the best few are then tried in
// earnest.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "quant/k_quants.h"
#include "quant/legacy.h"

namespace cria::quant {
namespace {

// Sums for y = a q + b under weights; all that the error depends on once the codes are fixed.
struct LineSums {
    double w = 0, q = 0, qq = 0, x = 0, xq = 0, xx = 0;

    void add(double weight, double value, double code) {
        w += weight;
        q += weight * code;
        qq += weight * code * code;
        x += weight * value;
        xq += weight * value * code;
        xx += weight * value * value;
    }
    double error(double a, double b) const {
        return xx + a * (a * qq + 2 * b * q - 2 * xq) + b * (b * w - 2 * x);
    }
};

struct Line {
    double a = 0, b = 0;
};

// The best line for fixed codes.
Line solve(const LineSums& s, bool offset_is_free) {
    const double determinant = s.w * s.qq - s.q * s.q;
    Line line;
    if (determinant > 1e-12 * s.w * s.qq) {
        line = {.a = (s.w * s.xq - s.q * s.x) / determinant, .b = (s.qq * s.x - s.q * s.xq) / determinant};
    } else if (s.w > 0) {
        line = {.a = 0, .b = s.x / s.w};
    }
    if (offset_is_free || (line.a >= 0 && line.b <= 0)) return line;
    return {.a = s.qq > 0 ? std::max(0.0, s.xq / s.qq) : 0.0, .b = 0};
}

struct Shape {
    int n = 32;
    int largest_code = 15;
    bool offset_is_free = false;  // else scale >= 0 and offset <= 0
};

LineSums assign(const Shape& shape, const float* x, const float* w, Line line, uint8_t* q) {
    const double inverse = std::abs(line.a) > 1e-20 ? 1 / line.a : 0;
    LineSums sums;
    for (int e = 0; e < shape.n; ++e) {
        const double ratio = (x[e] - line.b) * inverse;
        q[e] = static_cast<uint8_t>(std::clamp(ratio, 0.0, static_cast<double>(shape.largest_code)) + 0.5);
        sums.add(w[e], x[e], q[e]);
    }
    return sums;
}

// A line that suits a sub-block, with the sums that tell the error of any other line for the same codes.
struct LineCandidate {
    Line line;
    double error = std::numeric_limits<double>::max();
    LineSums sums;
};

constexpr size_t kKeptLines = 3;

// Assigns codes and solves for the line up to n_rounds times, as long as it gets better.
LineCandidate improve(const Shape& shape, const float* x, const float* w, LineCandidate candidate,
                      int n_rounds) {
    uint8_t q[32];
    for (int round = 0; round < n_rounds; ++round) {
        const LineSums sums = assign(shape, x, w, candidate.line, q);
        const Line line = solve(sums, shape.offset_is_free);
        const double error = sums.error(line.a, line.b);
        if (error >= candidate.error) break;
        candidate = {.line = line, .error = error, .sums = sums};
    }
    return candidate;
}

std::vector<LineCandidate> find_lines(const Shape& shape, const float* x, const float* w) {
    const auto [least, most] = std::minmax_element(x, x + shape.n);
    const double low = shape.offset_is_free ? *least : std::min(0.0f, *least);
    const double high = *most;
    std::vector<LineCandidate> kept;
    if (high <= low) return {improve(shape, x, w, {.line = {.a = 0, .b = low}}, 1)};
    for (int i = -3; i <= 10; ++i) {
        // The range is covered exactly at i = 0; above, its ends are clipped by up to some steps.
        const double a = (high - low) / (shape.largest_code + 0.03 * i * (shape.largest_code + 5));
        for (double clipped_below : {0.0, 0.5}) {
            Line line{.a = a, .b = low + clipped_below * (high - low - a * shape.largest_code)};
            if (!shape.offset_is_free) line.b = std::min(line.b, 0.0);
            kept.push_back(improve(shape, x, w, {.line = line}, 1));
        }
    }
    std::ranges::sort(kept, {}, &LineCandidate::error);
    if (kept.size() > kKeptLines) kept.resize(kKeptLines);
    for (LineCandidate& candidate : kept) candidate = improve(shape, x, w, candidate, 3);
    std::ranges::sort(kept, {}, &LineCandidate::error);
    return kept;
}

// ---- One line per block ----

float rounded_f16(double value) {
    return f16_to_f32(f32_to_f16(static_cast<float>(std::clamp(value, -65504.0, 65504.0))));
}

void encode_line_32(const Shape& shape, const float* x, const float* w, Fields32& f) {
    const std::vector<LineCandidate> candidates = find_lines(shape, x, w);
    double best = std::numeric_limits<double>::max();
    for (const LineCandidate& candidate : candidates) {
        const Line line{.a = rounded_f16(candidate.line.a), .b = rounded_f16(candidate.line.b)};
        uint8_t q[32];
        const double error = assign(shape, x, w, line, q).error(line.a, line.b);
        if (error >= best) continue;
        best = error;
        f.d = f32_to_f16(static_cast<float>(line.a));
        f.m = f32_to_f16(static_cast<float>(line.b));
        std::copy_n(q, 32, f.q);
    }
}

// ---- Two levels ----

struct KShape {
    Shape sub_block;
    int largest_scale = 63;  // of scales and of minima

    int n_sub() const { return 256 / sub_block.n; }
};

struct Pair {
    double d = 0, dmin = 0;
};

int nearest_integer(double value, int largest) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(largest)) + 0.5);
}

using BlockLines = std::vector<std::vector<LineCandidate>>;

// The integers that stand for a line, the minimum being the best one for this scale (not for the real one).
struct IntegerLine {
    int scale = 0, min = 0;
};
IntegerLine integer_line(const KShape& shape, const LineSums& sums, int scale, Pair pair) {
    const double wanted = sums.w > 0 ? (sums.x - pair.d * scale * sums.q) / sums.w : 0;
    return {.scale = scale,
            .min = pair.dmin > 0 ? nearest_integer(-wanted / pair.dmin, shape.largest_scale) : 0};
}

// A candidate turned into integers and the error to expect.
struct LineChoice {
    IntegerLine line;
    double error = std::numeric_limits<double>::max();
};
LineChoice choice_for(const KShape& shape, const LineCandidate& candidate, Pair pair) {
    const int scale = nearest_integer(candidate.line.a / pair.d, shape.largest_scale);
    const IntegerLine line = integer_line(shape, candidate.sums, scale, pair);
    return {.line = line, .error = candidate.sums.error(pair.d * line.scale, -pair.dmin * line.min)};
}

double approximate_error(const KShape& shape, const BlockLines& blocks, Pair pair) {
    double sum = 0;
    for (const auto& candidates : blocks) {
        double best = std::numeric_limits<double>::max();
        for (const LineCandidate& candidate : candidates)
            best = std::min(best, choice_for(shape, candidate, pair).error);
        sum += best;
    }
    return sum;
}

std::vector<Pair> promising_pairs(const KShape& shape, const BlockLines& blocks) {
    double largest_a = 0, largest_b = 0;
    for (const auto& candidates : blocks) {
        largest_a = std::max(largest_a, candidates.front().line.a);
        largest_b = std::max(largest_b, -candidates.front().line.b);
    }
    if (largest_a <= 0 && largest_b <= 0) return {};
    if (largest_a <= 0) largest_a = largest_b;
    std::vector<std::pair<double, Pair>> tried;
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < (largest_b > 0 ? 12 : 1); ++j) {
            const Pair pair{.d = largest_a / (shape.largest_scale * (0.6 + 0.05 * i)),
                            .dmin = largest_b / (shape.largest_scale * (0.6 + 0.05 * j))};
            tried.emplace_back(approximate_error(shape, blocks, pair), pair);
        }
    }
    std::ranges::stable_sort(tried, {}, [](const auto& t) { return t.first; });
    std::vector<Pair> best;
    for (size_t i = 0; i < std::min<size_t>(tried.size(), 3); ++i) best.push_back(tried[i].second);
    return best;
}

enum class Effort { quick, careful };

struct SubBlock {
    const float* x;
    const float* w;
    const std::vector<LineCandidate>& candidates;
    int number;
};

// Integers and codes of a sub-block for this pair: those of the candidate that seems best, or the best of all
// candidates and their neighbours. Returns its sums.
LineSums choose_line(const KShape& shape, const SubBlock& block, Pair pair, Effort effort, KFields& f) {
    LineSums best_sums;
    double best = std::numeric_limits<double>::max();
    const auto attempt = [&](int scale, int min) {
        if (scale < 0 || min < 0 || scale > shape.largest_scale || min > shape.largest_scale) return;
        const Line line{.a = pair.d * scale, .b = -pair.dmin * min};
        uint8_t q[32];
        const LineSums sums = assign(shape.sub_block, block.x, block.w, line, q);
        const double error = sums.error(line.a, line.b);
        if (error >= best) return;
        best = error;
        best_sums = sums;
        f.scale[block.number] = static_cast<uint8_t>(scale);
        f.min[block.number] = static_cast<uint8_t>(min);
        std::copy_n(q, shape.sub_block.n, f.q + shape.sub_block.n * block.number);
    };
    LineChoice likely;
    for (const LineCandidate& candidate : block.candidates) {
        const LineChoice choice = choice_for(shape, candidate, pair);
        if (choice.error < likely.error) likely = choice;
        if (effort == Effort::quick) continue;
        const int scale = choice.line.scale;
        for (int near : {scale - 1, scale, scale + 1}) {
            const int min = integer_line(shape, candidate.sums, near, pair).min;
            attempt(near, min);
            if (near != scale) continue;
            attempt(near, min - 1);
            attempt(near, min + 1);
        }
    }
    if (effort == Effort::quick) attempt(likely.line.scale, likely.line.min);
    return best_sums;
}

struct KFit {
    Pair pair;
    double error = std::numeric_limits<double>::max();
    KFields fields;
};

// All sub-blocks at one pair (already rounded), and the pair that would have been better for the codes
// chosen.
Pair choose_lines(const KShape& shape, const BlockLines& blocks, const float* x, const float* w, KFit& fit,
                  Effort effort) {
    const Pair pair = fit.pair;
    fit.error = 0;
    double aa = 0, ab = 0, bb = 0, xa = 0, xb = 0;  // normal equations of x = d A + dmin B
    for (int s = 0; s < shape.n_sub(); ++s) {
        const int first = s * shape.sub_block.n;
        const SubBlock block{
            .x = x + first, .w = w + first, .candidates = blocks[static_cast<size_t>(s)], .number = s};
        const LineSums sums = choose_line(shape, block, pair, effort, fit.fields);
        const double scale = fit.fields.scale[s], min = fit.fields.min[s];
        fit.error += sums.error(pair.d * scale, -pair.dmin * min);
        aa += scale * scale * sums.qq;
        ab -= scale * min * sums.q;
        bb += min * min * sums.w;
        xa += scale * sums.xq;
        xb -= min * sums.x;
    }
    const double determinant = aa * bb - ab * ab;
    if (determinant > 1e-9 * aa * bb)
        return {.d = (bb * xa - ab * xb) / determinant, .dmin = (aa * xb - ab * xa) / determinant};
    return {.d = aa > 0 ? xa / aa : 0, .dmin = 0};
}

Pair rounded(Pair pair, double factor) {
    return {.d = rounded_f16(pair.d / factor) * factor, .dmin = rounded_f16(pair.dmin / factor) * factor};
}

void encode_k_lines(const KShape& shape, const float* original, const float* w, KFields& f) {
    // Brought near one, so that squares neither vanish nor overflow.
    double largest = 0;
    for (int e = 0; e < 256; ++e) largest = std::max(largest, std::abs(static_cast<double>(original[e])));
    const double factor = largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1;
    std::array<float, 256> x;
    for (size_t e = 0; e < 256; ++e) x[e] = static_cast<float>(original[e] * factor);

    BlockLines blocks;
    for (int s = 0; s < shape.n_sub(); ++s) {
        blocks.push_back(
            find_lines(shape.sub_block, x.data() + s * shape.sub_block.n, w + s * shape.sub_block.n));
    }
    KFit best;
    const auto attempt = [&](Pair pair, Effort effort) {
        KFit fit{.pair = rounded(pair, factor), .fields = {}};
        if (fit.pair.d <= 0 || fit.pair.dmin < 0) return fit.pair;
        const Pair better = choose_lines(shape, blocks, x.data(), w, fit, effort);
        if (fit.error < best.error) best = fit;
        return better;
    };
    for (Pair pair : promising_pairs(shape, blocks)) attempt(attempt(pair, Effort::quick), Effort::quick);
    attempt(attempt(best.pair, Effort::careful), Effort::careful);
    f = best.fields;
    f.d = f32_to_f16(static_cast<float>(best.pair.d / factor));
    f.dmin = f32_to_f16(static_cast<float>(best.pair.dmin / factor));
}

constexpr KShape q45_shape(int largest_code) {
    return {.sub_block = {.n = 32, .largest_code = largest_code}, .largest_scale = 63};
}

}  // namespace

void Q4_1::encode_block(const float* x, const float* w, Fields& f) {
    encode_line_32({.n = 32, .largest_code = 15, .offset_is_free = true}, x, w, f);
}
void Q5_1::encode_block(const float* x, const float* w, Fields& f) {
    encode_line_32({.n = 32, .largest_code = 31, .offset_is_free = true}, x, w, f);
}
void Q2_K::encode_block(const float* x, const float* w, Fields& f) {
    encode_k_lines({.sub_block = {.n = 16, .largest_code = 3}, .largest_scale = 15}, x, w, f);
}
void Q4_K::encode_block(const float* x, const float* w, Fields& f) { encode_k_lines(q45_shape(15), x, w, f); }
void Q5_K::encode_block(const float* x, const float* w, Fields& f) { encode_k_lines(q45_shape(31), x, w, f); }

}  // namespace cria::quant
