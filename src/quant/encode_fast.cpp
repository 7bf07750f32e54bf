// One-pass encoders of the cache types: the scale follows from the extremes of the block. Blocks are encoded
// while a model runs, so there is no search; the errors are up to a tenth above the searched ones.
#include <algorithm>
#include <cmath>

#include "quant/iq.h"
#include "quant/legacy.h"
#include "quant/search.h"

namespace cria::quant {
namespace {

float element_of_largest_magnitude(const float* x) {
    return *std::max_element(x, x + 32, [](float a, float b) { return std::abs(a) < std::abs(b); });
}

uint16_t to_f16_in_range(float value) { return f32_to_f16(std::clamp(value, -65504.0f, 65504.0f)); }

// Codes 0..2 zero - 1 with `zero` in the middle: the largest element becomes code 0, the one end with more
// room.
void encode_symmetric(const float* x, int zero, Fields32& f) {
    f.d = to_f16_in_range(element_of_largest_magnitude(x) / static_cast<float>(-zero));
    const float d = f16_to_f32(f.d);
    const float inverse = d != 0 ? 1 / d : 0.0f;
    for (int e = 0; e < 32; ++e) {
        const float code =
            std::clamp(x[e] * inverse + static_cast<float>(zero), 0.0f, static_cast<float>(2 * zero - 1));
        f.q[e] = static_cast<uint8_t>(code + 0.5f);
    }
}

// Codes 0..largest_code from the least element to the greatest.
void encode_range(const float* x, int largest_code, Fields32& f) {
    const auto [least, most] = std::minmax_element(x, x + 32);
    f.m = to_f16_in_range(*least);
    f.d = to_f16_in_range((*most - *least) / static_cast<float>(largest_code));
    const float d = f16_to_f32(f.d), m = f16_to_f32(f.m);
    const float inverse = d != 0 ? 1 / d : 0.0f;
    for (int e = 0; e < 32; ++e) {
        const float code = std::clamp((x[e] - m) * inverse, 0.0f, static_cast<float>(largest_code));
        f.q[e] = static_cast<uint8_t>(code + 0.5f);
    }
}

}  // namespace

void Q4_0::encode_block_fast(const float* x, Fields& f) { encode_symmetric(x, kZero, f); }
void Q5_0::encode_block_fast(const float* x, Fields& f) { encode_symmetric(x, kZero, f); }
void Q6_0::encode_block_fast(const float* x, Fields& f) { encode_symmetric(x, kZero, f); }
void Q4_1::encode_block_fast(const float* x, Fields& f) { encode_range(x, 15, f); }
void Q5_1::encode_block_fast(const float* x, Fields& f) { encode_range(x, 31, f); }
void Q8_0::encode_block_fast(const float* x, Fields& f) { encode_block(x, nullptr, f); }

// The curve's end takes the largest element; then the scale is solved for once.
void Iq4Nl::encode_block_fast(const float* x, Fields& f) {
    static const Curve curve = Curve::of(std::span(kIq4k).first(16));
    const float largest = element_of_largest_magnitude(x);
    const float inverse = inverse_of(largest / curve[0]);
    Match match;
    for (int e = 0; e < 32; ++e) {
        const int code = curve.nearest(x[e] * inverse);
        f.q[e] = static_cast<uint8_t>(code);
        match.add(x[e] * x[e] * inverse * inverse, x[e] * inverse, curve[code]);
    }
    f.d = inverse != 0 ? to_f16_in_range(match.best_scale() / inverse) : 0;
}

}  // namespace cria::quant
