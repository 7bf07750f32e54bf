// Trellis formats: a stored code starts a generator that yields the values of 4 or 8 consecutive elements.
// Private to src/quant.
#pragma once

#include <cstdlib>

#include "quant/format.h"
#include "quant/grids.h"

namespace cria::quant {

// v <- v * multiplier (mod 2^32); the value is the sum of its bytes' low six bits, centred: -126..126.
inline constexpr uint32_t kTrellisMultiplier = 0xCBAC1FED;
inline constexpr uint32_t kTrellisFirst = 4096;        // added to every code
inline constexpr uint32_t kTrellisSecondHalf = 32768;  // added as well in IQ4_KT's second variant

class TrellisGenerator {
  public:
    explicit TrellisGenerator(uint32_t start) : v_(start) {}
    int next() {
        v_ *= kTrellisMultiplier;
        return static_cast<int>((v_ & 63) + (v_ >> 8 & 63) + (v_ >> 16 & 63) + (v_ >> 24 & 63)) - 126;
    }

  private:
    uint32_t v_;
};

// scale: as stored, per sub-block of 32; code: per group of 8 or 4; flag: sign bits of elements (IQ3_KT) or
// the variant of sub-blocks (IQ4_KT).
struct TrellisFields {
    uint8_t scale[8] = {};
    uint16_t code[64] = {};
    uint8_t flag[256] = {};
};

struct Iq2Kt : FormatBase<256, 68, RowHeader::f32_scale> {
    using Fields = TrellisFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) io.bits(block[c % 4], 4 * (c / 4), 4, f.scale[c]);
        for (int i = 0; i < 32; ++i) io.value(block + 4 + 2 * i, f.code[i]);
    }
    static void values(float d, const Fields& f, float* y) {
        for (int i = 0; i < 32; ++i) {
            TrellisGenerator generator(f.code[i] + kTrellisFirst);
            const float scale = d * static_cast<float>(kIq4k[f.scale[i / 4]]);
            for (int j = 0; j < 8; ++j) y[8 * i + j] = scale * static_cast<float>(generator.next());
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// Magnitudes come from the generator, signs are stored.
struct Iq3Kt : FormatBase<256, 100, RowHeader::f32_scale> {
    using Fields = TrellisFields;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        Iq2Kt::layout(io, block, k, f);
        for (int e = 0; e < 256; ++e) io.bits(block[68 + e % 32], e / 32, 1, f.flag[e]);
    }
    static void values(float d, const Fields& f, float* y) {
        for (int i = 0; i < 32; ++i) {
            TrellisGenerator generator(f.code[i] + kTrellisFirst);
            const float scale = d * static_cast<float>(f.scale[i / 4]);
            for (int j = 0; j < 8; ++j) {
                const float magnitude = scale * static_cast<float>(std::abs(generator.next()));
                y[8 * i + j] = f.flag[8 * i + j] != 0 ? -magnitude : magnitude;
            }
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// 13-bit codes.
struct Iq1Kt : FormatBase<256, 56, RowHeader::f32_scale> {
    using Fields = TrellisFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) io.bits(block[c], 0, 4, f.scale[c]);
        for (int i = 0; i < 32; ++i) {
            io.bits(block[8 + i], 0, 8, f.code[i]);
            io.bits(block[40 + i % 16], 4 * (i / 16), 4, f.code[i], 8);
            io.bits(block[i / 4], 4 + i % 4, 1, f.code[i], 12);
        }
    }
    static void values(float d, const Fields& f, float* y) { Iq2Kt::values(d, f, y); }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// 15-bit codes for groups of 4; flag[c] selects the second half of the start numbers.
struct Iq4Kt : FormatBase<256, 128, RowHeader::f32_scale> {
    using Fields = TrellisFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int c = 0; c < 8; ++c) {
            io.bits(block[4 * c], 0, 1, f.flag[c]);
            io.bits(block[4 * c], 1, 7, f.scale[c]);
        }
        for (int i = 0; i < 64; ++i) {
            io.bits(block[32 + i], 0, 8, f.code[i]);
            io.bits(block[96 + i % 32], 4 * (i / 32), 4, f.code[i], 8);
            for (int b = 0; b < 3; ++b) {
                const int bit = 8 + 3 * (i % 8) + b;
                io.bits(block[4 * (i / 8) + bit / 8], bit % 8, 1, f.code[i], 12 + b);
            }
        }
    }
    static void values(float d, const Fields& f, float* y) {
        for (int i = 0; i < 64; ++i) {
            TrellisGenerator generator(f.code[i] + kTrellisFirst +
                                       (f.flag[i / 8] != 0 ? kTrellisSecondHalf : 0));
            const float scale = d * static_cast<float>(f.scale[i / 8] - 64);
            for (int j = 0; j < 4; ++j) y[4 * i + j] = scale * static_cast<float>(generator.next());
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

}  // namespace cria::quant
