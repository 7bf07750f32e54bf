// Row-interleaved formats of the code-book types; see interleaved.h. i counts groups of 8 in a block. Private
// to src/quant.
#pragma once

#include "quant/iq.h"

namespace cria::quant {

// A group's signs (an even number of them) in the upper seven bits of a byte, as u with signs = u xor (u >>
// 1) where bit 0 of u counts as 0; bit 0 of the four bytes of a sub-block are the bits of its scale.
template <typename Io>
void signs_and_scales_r4(Io io, auto* bytes, int k, auto& f) {
    const auto code_of = [](uint8_t signs) {
        uint8_t u = 0;
        for (uint8_t v = signs; v != 0; v >>= 1) u ^= v;
        return static_cast<uint8_t>(u >> 1);
    };
    const auto signs_of = [](uint8_t code) {
        const auto u = static_cast<uint8_t>(code << 1);
        return static_cast<uint8_t>(u ^ u >> 1);
    };
    for (int i = 0; i < 32; ++i) {
        auto& byte = bytes[16 * (i / 4) + 4 * k + i % 4];
        io.bits(byte, 0, 1, f.scale[i / 4], i % 4);
        recoded(io, byte, 1, 7, f.signs[i], code_of, signs_of);
    }
}

struct Iq2XxsR4 : Iq2Xxs {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        signs_and_scales_r4(io, block + 8, k, f);
        for (int i = 0; i < 32; ++i) io.bits(block[136 + 16 * (i / 4) + 4 * k + i % 4], 0, 8, f.index[i]);
    }
};

struct Iq3XxsR4 : Iq3Xxs {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        signs_and_scales_r4(io, block + 8, k, f);
        for (int i = 0; i < 64; ++i) io.bits(block[136 + 32 * (i / 8) + 8 * k + i % 8], 0, 8, f.index[i]);
    }
};

// Sixteen 4-bit scales: two to a byte.
template <typename Io>
void nibble_scales_r4(Io io, auto* bytes, int k, auto& f) {
    for (int s = 0; s < 16; ++s) io.bits(bytes[4 * (s / 2) + k], 4 * (s % 2), 4, f.scale[s]);
}

// Signs are stored as z with signs = z xor (z << 1).
struct Iq2XsR4 : Iq2Xs {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        const auto code_of = [](uint8_t signs) {
            uint8_t z = 0;
            for (uint8_t v = signs; v != 0; v = static_cast<uint8_t>(v << 1)) z ^= v;
            return z;
        };
        const auto signs_of = [](uint8_t z) { return static_cast<uint8_t>(z ^ z << 1); };
        io.value(block + 2 * k, f.d);
        for (int i = 0; i < 32; ++i) {
            auto* word = block + 8 + 2 * (16 * (i / 4) + 4 * k + i % 4);
            packed(io, word, 0, 9, f.index[i]);
            recoded(io, word[1], 1, 7, f.signs[i], code_of, signs_of);
        }
        nibble_scales_r4(io, block + 264, k, f);
    }
};

struct Iq2SR4 : Iq2S {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        for (int i = 0; i < 32; ++i) {
            const int at = 16 * (i / 4) + 4 * k + i % 4;
            io.bits(block[8 + at], 0, 8, f.index[i]);
            io.bits(block[136 + 4 * (i / 4) + k], 2 * (i % 4), 2, f.index[i], 8);
            io.bits(block[168 + at], 0, 8, f.signs[i]);
        }
        nibble_scales_r4(io, block + 296, k, f);
    }
};

struct Iq3SR4 : Iq3S {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        for (int i = 0; i < 64; ++i) {
            const int c = i / 8, quad = i % 8;
            io.bits(block[8 + 32 * c + 8 * (quad % 4) + 4 * (quad / 4) + k], 0, 8, f.index[i]);
            io.bits(block[264 + 4 * c + k], quad, 1, f.index[i], 8);
        }
        for (int e = 0; e < 256; ++e) {
            // signs[e / 8] gathers bit e % 8 from bit `quad` of the byte of element e % 4
            auto& byte = block[296 + 16 * (e / 32) + 4 * k + e % 4];
            io.bits(byte, e % 32 / 4, 1, f.signs[e / 8], e % 8);
        }
        for (int c = 0; c < 8; ++c) {
            const int u = 4 * c + k;
            io.bits(block[424 + u % 16], 4 * (u / 16), 4, f.scale[c]);
        }
    }
};

// Not made from IQ1_S blocks: one sub-block of 32 under a scale of the row.
struct Iq1SR4 : FormatBase<32, 6, RowHeader::f16_scale> {
    static constexpr int kGroupRows = 4;
    struct Fields {
        uint8_t scale = 0, delta = 0;
        uint16_t index[4] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        auto* qh = block + 16 + 2 * k;
        for (int g = 0; g < 4; ++g) {
            uint16_t high = f.index[g] >> 8;
            packed(io, qh, 3 * g, 3, high);
            if constexpr (Io::kReads) f.index[g] = static_cast<uint16_t>(high << 8);
            io.bits(block[4 * g + k], 0, 8, f.index[g]);
        }
        io.bits(qh[1], 4, 3, f.scale);
        io.bits(qh[1], 7, 1, f.delta);
    }
    static void values(float d, const Fields& f, float* y) {
        for (int g = 0; g < 4; ++g) {
            iq1_group_values(d * static_cast<float>(2 * f.scale + 1), f.index[g], f.delta, y + 8 * g);
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// Not made from IQ1_M blocks: 4-bit scales of 16 elements, used as they are.
struct Iq1MR4 : FormatBase<32, 7, RowHeader::f16_scale> {
    static constexpr int kGroupRows = 4;
    struct Fields {
        uint8_t scale[2] = {};
        uint8_t delta[4] = {};
        uint16_t index[4] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        for (int g = 0; g < 4; ++g) {
            auto& high = block[16 + 4 * (g / 2) + k];
            io.bits(block[4 * g + k], 0, 8, f.index[g]);
            io.bits(high, 4 * (g % 2), 3, f.index[g], 8);
            io.bits(high, 4 * (g % 2) + 3, 1, f.delta[g]);
            if (g % 2 == 0) io.bits(block[24 + k], 4 * (g / 2), 4, f.scale[g / 2]);
        }
    }
    static void values(float d, const Fields& f, float* y) {
        for (int g = 0; g < 4; ++g) {
            iq1_group_values(d * static_cast<float>(f.scale[g / 2]), f.index[g], f.delta[g], y + 8 * g);
        }
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

}  // namespace cria::quant
