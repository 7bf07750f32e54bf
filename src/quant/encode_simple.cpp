// Encoders that need no search: bytes under the scale of their largest element, powers of two, signs, ternary
// digits.
#include <algorithm>
#include <cmath>
#include <limits>

#include "quant/interleaved.h"
#include "quant/legacy.h"
#include "quant/search.h"
#include "quant/ternary.h"

namespace cria::quant {
namespace {

float largest_magnitude(const float* x, int64_t n) {
    float largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
    return largest;
}

// Stores x / d, rounded, in bytes; returns the sum of what was stored. Elements that d does not reach are
// clipped.
int32_t round_to_bytes(const float* x, int64_t n, float d, auto* q) {
    int32_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
        const float ratio = d != 0 ? x[i] / d : 0.0f;
        const auto value = static_cast<int32_t>(std::lrint(std::clamp(ratio, -127.0f, 127.0f)));
        q[i] = static_cast<std::remove_reference_t<decltype(q[0])>>(value);
        sum += value;
    }
    return sum;
}

// The scale that brings the largest element to 127, such that 127 times it is still a number.
float byte_scale_f32(const float* x, int64_t n) {
    constexpr float kLargest = std::numeric_limits<float>::max() / 128;
    return std::min(largest_magnitude(x, n) / 127, kLargest);
}
// The f16 scale that brings the largest element to 127.
uint16_t byte_scale(const float* x, int64_t n) {
    return f32_to_f16(std::min(largest_magnitude(x, n) / 127, 65504.0f));
}

void encode_bytes_256(const float* x, int zero, uint16_t& d, uint8_t* q) {
    d = byte_scale(x, 256);
    round_to_bytes(x, 256, f16_to_f32(d), q);
    for (int e = 0; e < 256; ++e) q[e] = static_cast<uint8_t>(q[e] + zero);
}

// One scale for n ternary elements: with elements in order of magnitude the best choice of the k largest as
// +-1 has the gain (sum of their w |x|)^2 / sum of their w.
float ternary_scale(const float* x, const float* w, int64_t n) {
    std::vector<std::pair<double, double>> order;  // |x|, w
    for (int64_t i = 0; i < n; ++i) order.emplace_back(std::abs(x[i]), w[i]);
    std::ranges::sort(order, std::greater<>());
    double sum_wx = 0, sum_w = 0, best_gain = 0, best_scale = 0;
    for (const auto& [magnitude, weight] : order) {
        sum_wx += weight * magnitude;
        sum_w += weight;
        if (sum_w > 0 && sum_wx * sum_wx / sum_w > best_gain) {
            best_gain = sum_wx * sum_wx / sum_w;
            best_scale = sum_wx / sum_w;
        }
    }
    return static_cast<float>(best_scale);
}

void round_to_ternary(const float* x, int64_t n, float d, uint8_t* q) {
    for (int64_t i = 0; i < n; ++i) q[i] = x[i] > 0.5f * d ? 2 : x[i] < -0.5f * d ? 0 : 1;
}

void encode_ternary_256(const float* x, const float* w, TernaryFields& f) {
    f.d = f32_to_f16(std::min(ternary_scale(x, w, 256), 65504.0f));
    round_to_ternary(x, 256, f16_to_f32(f.d), f.q);
}

float encode_ternary_row(const float* x, int64_t n, float d, Iq1Bn::Fields* blocks) {
    for (int64_t b = 0; b < n / 64; ++b) round_to_ternary(x + 64 * b, 64, d, blocks[b].q);
    return d;
}

}  // namespace

void Q8_0::encode_block(const float* x, const float*, Fields& f) {
    f.d = byte_scale(x, 32);
    round_to_bytes(x, 32, f16_to_f32(f.d), f.q);
}

void Q8_1::encode_block(const float* x, const float*, Fields& f) {
    f.d = byte_scale(x, 32);
    const int32_t sum = round_to_bytes(x, 32, f16_to_f32(f.d), f.q);
    f.m = f32_to_f16(std::clamp(f16_to_f32(f.d) * static_cast<float>(sum), -65504.0f, 65504.0f));
}

void Q8_K::encode_block(const float* x, const float*, Fields& f) {
    f.d = byte_scale_f32(x, 256);
    f.sum = f.d * static_cast<float>(round_to_bytes(x, 256, f.d, f.q));
    for (int e = 0; e < 256; ++e) f.sums[e / 16] = static_cast<int16_t>(f.sums[e / 16] + f.q[e]);
}

float Q8_KV::encode_row(const float* x, const float*, int64_t n, Fields* blocks) {
    const float d = byte_scale_f32(x, n);
    for (int64_t b = 0; b < n / 32; ++b) round_to_bytes(x + 32 * b, 32, d, blocks[b].q);
    return d;
}

void Q8_KR8::encode_block(const float* x, const float*, Fields& f) { encode_bytes_256(x, 0, f.d, f.q); }
void Q8_KR16::encode_block(const float* x, const float*, Fields& f) { encode_bytes_256(x, 128, f.d, f.q); }

// Scales are powers of two: the one that just reaches the largest element, and its neighbours.
void Mxfp4::encode_block(const float* x, const float* w, Fields& f) {
    constexpr int kLargestExponent = 252;  // 12 * 2^(252 - 128) is still a number
    static const Curve magnitudes = Curve::of(std::span(kMxfp4).first(8));
    const float largest = largest_magnitude(x, 32);
    const int reach = largest > 0 ? std::ilogb(largest) + 128 - 3 : 0;  // 12 = 1.5 * 2^3
    double best_error = std::numeric_limits<double>::max();
    for (int exponent = std::clamp(reach - 1, 0, kLargestExponent);
         exponent <= std::clamp(reach + 1, 0, kLargestExponent); ++exponent) {
        const float d = scale(exponent);
        double error = 0;
        uint8_t q[32];
        for (int e = 0; e < 32; ++e) {
            const int code = magnitudes.nearest(std::abs(x[e]) / d);
            const double difference = std::abs(x[e]) - static_cast<double>(d) * magnitudes[code];
            error += w[e] * difference * difference;
            q[e] = static_cast<uint8_t>(code | (x[e] < 0 ? 8 : 0));
        }
        if (error < best_error) {
            best_error = error;
            f.exponent = static_cast<uint8_t>(exponent);
            std::copy_n(q, 32, f.q);
        }
    }
}

// The best magnitude under given signs is the weighted mean.
void Q1_0_G128::encode_block(const float* x, const float* w, Fields& f) {
    double sum_wx = 0, sum_w = 0;
    for (int e = 0; e < 128; ++e) {
        f.q[e] = x[e] >= 0 ? 1 : 0;
        sum_wx += static_cast<double>(w[e]) * std::abs(x[e]);
        sum_w += w[e];
    }
    f.d = f32_to_f16(static_cast<float>(std::min(sum_w > 0 ? sum_wx / sum_w : 0.0, 65504.0)));
}

float Iq1Bn::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    return encode_ternary_row(x, n, f16_to_f32(f32_to_f16(std::min(ternary_scale(x, w, n), 65504.0f))),
                              blocks);
}
float Iq2Bn::encode_row(const float* x, const float* w, int64_t n, Fields* blocks) {
    return encode_ternary_row(x, n, ternary_scale(x, w, n), blocks);
}
void Tq1_0::encode_block(const float* x, const float* w, Fields& f) { encode_ternary_256(x, w, f); }
void Tq2_0::encode_block(const float* x, const float* w, Fields& f) { encode_ternary_256(x, w, f); }

}  // namespace cria::quant
