// Formats with sub-block scales and a curve of values, chosen per sub-block from two shifted copies. Private
// to src/quant. Fields are KFields: scale and q as stored, min holds the selector x (0 or 1) of each
// sub-block. c counts 32s, s counts 16s.
#pragma once

#include <cmath>

#include "quant/format.h"
#include "quant/grids.h"
#include "quant/k_quants.h"

namespace cria::quant {

// Sub-blocks of kSize elements: y = (d * scale(sub-block)) * curve[kLevels * x + q].
template <int kSize, int kLevels>
void curve_values(float d, const KFields& f, const int8_t* curve, auto scale, float* y) {
    for (int e = 0; e < 256; ++e) {
        const int s = e / kSize;
        y[e] = (d * static_cast<float>(scale(s))) * static_cast<float>(curve[kLevels * f.min[s] + f.q[e]]);
    }
}

// n selectors in the bits of little-endian bytes from bit `first` on.
template <typename Io>
void selectors(Io io, auto* bytes, int first, int n, auto& f) {
    for (int s = 0; s < n; ++s) io.bits(bytes[(first + s) / 8], (first + s) % 8, 1, f.min[s]);
}

struct Iq2K : FormatBase<256, 76> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        selectors(io, block + 2, 0, 16, f);
        for (int s = 0; s < 16; ++s) io.bits(block[4 + s / 2], 4 * (s % 2), 4, f.scale[s]);
        two_bit_planes(io, block + 12, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        curve_values<16, 4>(
            f16_to_f32(f.d), f, kIq2nl, [&](int s) { return f.scale[s] - 8; }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// Bit 4 of scale is its sign.
struct Iq3K : FormatBase<256, 110> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        selectors(io, block + 2, 0, 16, f);
        for (int s = 0; s < 16; ++s) {
            io.bits(block[6 + s / 2], 4 * (s % 2), 4, f.scale[s]);
            io.bits(block[4 + s / 8], s % 8, 1, f.scale[s], 4);
        }
        two_bit_planes(io, block + 14, f.q);
        one_bit_planes(io, block + 78, f.q, 2);
    }
    static int signed_scale(uint8_t scale) {
        const int magnitude = 2 * (scale & 15) + 1;
        return scale & 16 ? -magnitude : magnitude;
    }
    static void values(float, const Fields& f, float* y) {
        curve_values<16, 8>(
            f16_to_f32(f.d), f, kIq3nl, [&](int s) { return signed_scale(f.scale[s]); }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// d, selectors and sixteen 6-bit scales: the first 16 bytes of IQ4_K and IQ5_K.
template <typename Io>
void iq45_scales(Io io, auto* block, auto& f) {
    io.value(block, f.d);
    selectors(io, block + 2, 0, 16, f);
    for (int s = 0; s < 16; ++s) {
        io.bits(block[8 + s / 2], 4 * (s % 2), 4, f.scale[s]);
        io.bits(block[4 + s / 4], 2 * (s % 4), 2, f.scale[s], 4);
    }
}

struct Iq4K : FormatBase<256, 144> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        iq45_scales(io, block, f);
        nibbles_by_32(io, block + 16, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        curve_values<16, 16>(
            f16_to_f32(f.d), f, kIq4k, [&](int s) { return f.scale[s] - 32; }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq5K : FormatBase<256, 176> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        iq45_scales(io, block, f);
        nibbles_by_64(io, block + 16, f.q);
        one_bit_planes(io, block + 144, f.q, 4);
    }
    static void values(float, const Fields& f, float* y) {
        curve_values<16, 32>(
            f16_to_f32(f.d), f, kIq5nl, [&](int s) { return f.scale[s] - 32; }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// The curve of IQ6_K: a cubic polynomial, evaluated with fused multiply-adds; the second variant is one
// higher.
class Iq6Curve {
  public:
    Iq6Curve() {
        for (int q = 0; q < 64; ++q) {
            const auto t = static_cast<float>(q);
            values_[0][q] = std::fma(t, std::fma(t, std::fma(t, 0.0011972f, -0.11218f), 6.2568f), -127.0f);
            values_[1][q] = values_[0][q] + 1;
        }
    }
    float operator()(int x, int q) const { return values_[x][q]; }

  private:
    float values_[2][64];
};

// Scales are two's complement bytes.
struct Iq6K : FormatBase<256, 212> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        selectors(io, block + 2, 0, 16, f);
        io.value(block + 4, f.scale);
        nibbles_by_64(io, block + 20, f.q);
        two_bit_planes(io, block + 148, f.q, 4);
    }
    static const Iq6Curve& curve() {
        static const Iq6Curve curve;
        return curve;
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        const Iq6Curve& value = curve();
        for (int e = 0; e < 256; ++e) {
            const int s = e / 16;
            y[e] = (d * static_cast<float>(static_cast<int8_t>(f.scale[s]))) * value(f.min[s], f.q[e]);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq2Ks : FormatBase<256, 70, RowHeader::f16_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        selectors(io, block, 0, 8, f);
        for (int c = 0; c < 8; ++c) {
            io.bits(block[2 + c / 2], 4 * (c % 2), 4, f.scale[c]);
            io.bits(block[1], c, 1, f.scale[c], 4);
        }
        two_bit_planes(io, block + 6, f.q);
    }
    static void values(float d, const Fields& f, float* y) {
        curve_values<32, 4>(
            d, f, kIq2nl, [&](int c) { return f.scale[c] - 16; }, y);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// The two bytes of selectors and high scale bits are swapped with respect to IQ2_KS, and so is the order of
// nibbles.
struct Iq3Ks : FormatBase<256, 102, RowHeader::f16_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        selectors(io, block, 8, 8, f);
        for (int c = 0; c < 8; ++c) {
            io.bits(block[2 + c % 4], 4 * (c / 4), 4, f.scale[c]);
            io.bits(block[0], c, 1, f.scale[c], 4);
        }
        two_bit_planes(io, block + 6, f.q);
        one_bit_planes(io, block + 70, f.q, 2);
    }
    static void values(float d, const Fields& f, float* y) {
        curve_values<32, 8>(
            d, f, kIq3nl, [&](int c) { return f.scale[c] - 16; }, y);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// Bit 0 of a scale byte is the selector, the rest an even scale. Here scale holds the upper seven bits.
template <typename Io>
void even_scale_byte(Io io, auto& byte, int c, auto& f) {
    io.bits(byte, 0, 1, f.min[c]);
    io.bits(byte, 1, 7, f.scale[c]);
}
inline int even_scale(uint8_t scale) { return 2 * scale - 127; }

struct Iq4Ks : FormatBase<256, 136, RowHeader::f32_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) even_scale_byte(io, block[c], c, f);
        nibbles_by_32(io, block + 8, f.q);
    }
    static void values(float d, const Fields& f, float* y) {
        curve_values<32, 16>(
            d, f, kIq4k, [&](int c) { return even_scale(f.scale[c]); }, y);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

struct Iq5Ks : FormatBase<256, 168, RowHeader::f32_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) even_scale_byte(io, block[c], c, f);
        nibbles_by_64(io, block + 8, f.q);
        one_bit_planes(io, block + 136, f.q, 4);
    }
    static void values(float d, const Fields& f, float* y) {
        curve_values<32, 32>(
            d, f, kIq5nl, [&](int c) { return even_scale(f.scale[c]); }, y);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// As IQ4_KS, but a 16-bit word holds four quants (elements p, p + 1, p + 16, p + 17 of the sub-block) in 15
// bits and one bit of the scale byte: the four nibbles together have an even number of ones, so v = u xor (u
// >> 1) can be undone without bit 0 of u.
struct Iq4Kss : FormatBase<256, 128, RowHeader::f32_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) {
            for (int k = 0; k < 8; ++k) {
                auto* word = block + 16 * c + 2 * k;
                if (k == 0) {
                    io.bits(word[0], 0, 1, f.min[c]);
                } else {
                    io.bits(word[0], 0, 1, f.scale[c], k - 1);
                }
                four_quants(io, word, f.q + 32 * c + 2 * k);
            }
        }
    }
    static void values(float d, const Fields& f, float* y) { Iq4Ks::values(d, f, y); }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);

  private:
    template <typename Io>
    static void four_quants(Io io, auto* word, auto* q) {
        unsigned u = 0;
        if constexpr (!Io::kReads) {
            unsigned v = q[0] | q[16] << 4 | q[1] << 8 | q[17] << 12;
            for (; v != 0; v >>= 1) u ^= v;
            u >>= 1;
        }
        packed(io, word, 1, 15, u);
        if constexpr (Io::kReads) {
            const unsigned v = u << 1 ^ u;
            q[0] = v & 15, q[16] = v >> 4 & 15, q[1] = v >> 8 & 15, q[17] = v >> 12 & 15;
        }
    }
};

// Quants are pairs of elements: q holds the 128 pair codes.
struct Iq2Kl : FormatBase<256, 86, RowHeader::f16_scale> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) {
            io.bits(block[2 + c % 4], 4 * (c / 4), 4, f.scale[c]);
            io.bits(block[c / 4], 2 * (c % 4), 2, f.scale[c], 4);
            for (int p = 0; p < 16; ++p) {
                io.bits(block[6 + 16 * (c / 2) + p], 4 * (c % 2), 4, f.q[16 * c + p]);
                io.bits(block[70 + p], c, 1, f.q[16 * c + p], 4);
            }
        }
    }
    static void values(float d, const Fields& f, float* y) {
        for (int e = 0; e < 256; ++e) {
            y[e] = (d * static_cast<float>(f.scale[e / 32] - 32)) *
                   static_cast<float>(kIq2klPairs[f.q[e / 2]][e % 2]);
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

}  // namespace cria::quant
