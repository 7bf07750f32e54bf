// K-quant formats: 256 elements, a scale (and minimum) for each 16 or 32 of them, values on a straight line.
// Private to src/quant.
#pragma once

#include "quant/format.h"

namespace cria::quant {

// Scales, minima and quants as stored, without their offsets; which of them a format uses is its own choice.
struct KFields {
    uint16_t d = 0, dmin = 0;
    uint8_t scale[16] = {};
    uint8_t min[16] = {};
    uint8_t q[256] = {};
};

struct Q2_K : FormatBase<256, 84> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int s = 0; s < 16; ++s) {
            io.bits(block[s], 0, 4, f.scale[s]);
            io.bits(block[s], 4, 4, f.min[s]);
        }
        two_bit_planes(io, block + 16, f.q);
        io.value(block + 80, f.d);
        io.value(block + 82, f.dmin);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d), dmin = f16_to_f32(f.dmin);
        for (int e = 0; e < 256; ++e) {
            const int s = e / 16;
            y[e] = (d * static_cast<float>(f.scale[s])) * static_cast<float>(f.q[e]) -
                   dmin * static_cast<float>(f.min[s]);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Q3_K : FormatBase<256, 110> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        two_bit_planes(io, block + 32, f.q);
        one_bit_planes(io, block, f.q, 2);
        for (int s = 0; s < 16; ++s) {
            io.bits(block[96 + s % 8], 4 * (s / 8), 4, f.scale[s]);
            io.bits(block[96 + 8 + s % 4], 2 * (s / 4), 2, f.scale[s], 4);
        }
        io.value(block + 108, f.d);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 256; ++e)
            y[e] = (d * static_cast<float>(f.scale[e / 16] - 32)) * static_cast<float>(f.q[e] - 4);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// Eight scales and eight minima of 6 bits in 12 bytes.
template <typename Io>
void scales_and_mins_of_6_bits(Io io, auto* bytes, auto& f) {
    for (int c = 0; c < 4; ++c) {
        io.bits(bytes[c], 0, 6, f.scale[c]);
        io.bits(bytes[c + 4], 0, 6, f.min[c]);
        io.bits(bytes[c + 8], 0, 4, f.scale[c + 4]);
        io.bits(bytes[c], 6, 2, f.scale[c + 4], 4);
        io.bits(bytes[c + 8], 4, 4, f.min[c + 4]);
        io.bits(bytes[c + 4], 6, 2, f.min[c + 4], 4);
    }
}

struct Q4_K : FormatBase<256, 144> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.dmin);
        scales_and_mins_of_6_bits(io, block + 4, f);
        nibbles_by_64(io, block + 16, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d), dmin = f16_to_f32(f.dmin);
        for (int e = 0; e < 256; ++e) {
            const int c = e / 32;
            y[e] = (d * static_cast<float>(f.scale[c])) * static_cast<float>(f.q[e]) -
                   dmin * static_cast<float>(f.min[c]);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Q5_K : FormatBase<256, 176> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.dmin);
        scales_and_mins_of_6_bits(io, block + 4, f);
        one_bit_planes(io, block + 16, f.q, 4);
        nibbles_by_64(io, block + 48, f.q);
    }
    static void values(float, const Fields& f, float* y) { Q4_K::values(1.0f, f, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// Scales are two's complement bytes.
struct Q6_K : FormatBase<256, 210> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int e = 0; e < 256; ++e) {
            const int h = e / 128, t = e % 128 / 32, l = e % 32;
            io.bits(block[64 * h + 32 * (t % 2) + l], 4 * (t / 2), 4, f.q[e]);
        }
        two_bit_planes(io, block + 128, f.q, 4);
        io.value(block + 192, f.scale);
        io.value(block + 208, f.d);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 256; ++e) {
            y[e] = (d * static_cast<float>(static_cast<int8_t>(f.scale[e / 16]))) *
                   static_cast<float>(f.q[e] - 32);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

}  // namespace cria::quant
