// Code-book formats (groups of 8 or 4 elements are entries of a grid) and the 16-value curve of IQ4_NL and
// IQ4_XS. Private to src/quant. c counts sub-blocks of 32 elements, g the groups of 8 in one.
#pragma once

#include "quant/format.h"
#include "quant/grids.h"
#include "quant/k_quants.h"
#include "quant/legacy.h"

namespace cria::quant {

// scale: per sub-block of 32 or 16; index: per grid entry; signs: 8 bits per group of 8, set = negative;
// delta: 1 = downwards.
struct GridFields {
    uint16_t d = 0;
    uint8_t scale[16] = {};
    uint16_t index[64] = {};
    uint8_t signs[32] = {};
    uint8_t delta[32] = {};
};

// Sign patterns with an even number of minus signs are stored as their low seven bits.
constexpr uint8_t with_parity(uint8_t low7) {
    return static_cast<uint8_t>(low7 | (std::popcount(low7) & 1) << 7);
}
template <typename Io>
void even_signs(Io io, auto* bytes, int first_bit, auto& signs) {
    packed(io, bytes, first_bit, 7, signs);
    if constexpr (Io::kReads) signs = with_parity(signs);
}

// y = scale of the group * magnitude, minus where the sign bit is set. kWidth: elements per entry.
template <int kWidth>
void signed_grid_values(const GridFields& f, const auto& grid, auto scale_of_group, float* y) {
    constexpr float kSign[] = {1.0f, -1.0f};
    for (int g = 0; g < 32; ++g) {
        const float scale = scale_of_group(g);
        for (int j = 0; j < 8; ++j) {
            const auto& entry = grid[f.index[(8 * g + j) / kWidth]];
            const float magnitude = scale * static_cast<float>(entry[static_cast<size_t>(j % kWidth)]);
            y[8 * g + j] = magnitude * kSign[f.signs[g] >> j & 1];
        }
    }
}

struct Iq2Xxs : FormatBase<256, 66> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int c = 0; c < 8; ++c) {
            auto* bytes = block + 2 + 8 * c;
            for (int g = 0; g < 4; ++g) {
                io.bits(bytes[g], 0, 8, f.index[4 * c + g]);
                even_signs(io, bytes + 4, 7 * g, f.signs[4 * c + g]);
            }
            io.bits(bytes[7], 4, 4, f.scale[c]);
        }
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        const auto scale = [&](int g) { return (d * (0.5f + static_cast<float>(f.scale[g / 4]))) * 0.25f; };
        signed_grid_values<8>(f, kIq2xxsGrid, scale, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// IQ2_XS and IQ2_S: a scale for each 16 elements.
inline float iq2_scale(const GridFields& f, int g) {
    return (f16_to_f32(f.d) * (0.5f + static_cast<float>(f.scale[g / 2]))) * 0.25f;
}

struct Iq2Xs : FormatBase<256, 74> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int i = 0; i < 32; ++i) {
            packed(io, block + 2 + 2 * i, 0, 9, f.index[i]);
            even_signs(io, block + 2 + 2 * i, 9, f.signs[i]);
        }
        for (int s = 0; s < 16; ++s) io.bits(block[66 + s / 2], 4 * (s % 2), 4, f.scale[s]);
    }
    static void values(float, const Fields& f, float* y) {
        signed_grid_values<8>(
            f, kIq2xsGrid, [&](int g) { return iq2_scale(f, g); }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq2S : FormatBase<256, 82> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int i = 0; i < 32; ++i) {
            io.bits(block[2 + i], 0, 8, f.index[i]);
            io.bits(block[66 + i / 4], 2 * (i % 4), 2, f.index[i], 8);
        }
        io.value(block + 34, f.signs);
        for (int s = 0; s < 16; ++s) io.bits(block[74 + s / 2], 4 * (s % 2), 4, f.scale[s]);
    }
    static void values(float, const Fields& f, float* y) {
        signed_grid_values<8>(
            f, kIq2sGrid, [&](int g) { return iq2_scale(f, g); }, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq3Xxs : FormatBase<256, 98> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int i = 0; i < 64; ++i) io.bits(block[2 + i], 0, 8, f.index[i]);
        for (int c = 0; c < 8; ++c) {
            auto* word = block + 66 + 4 * c;
            for (int g = 0; g < 4; ++g) even_signs(io, word, 7 * g, f.signs[4 * c + g]);
            io.bits(word[3], 4, 4, f.scale[c]);
        }
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        const auto scale = [&](int g) { return (d * (0.5f + static_cast<float>(f.scale[g / 4]))) * 0.5f; };
        signed_grid_values<4>(f, kIq3xxsGrid, scale, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq3S : FormatBase<256, 110> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int i = 0; i < 64; ++i) {
            io.bits(block[2 + i], 0, 8, f.index[i]);
            io.bits(block[66 + i / 8], i % 8, 1, f.index[i], 8);
        }
        io.value(block + 74, f.signs);
        for (int c = 0; c < 8; ++c) io.bits(block[106 + c / 2], 4 * (c % 2), 4, f.scale[c]);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        const auto scale = [&](int g) { return d * static_cast<float>(1 + 2 * f.scale[g / 4]); };
        signed_grid_values<4>(f, kIq3sGrid, scale, y);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// One group of 8 of the iq1s grid: y = scale * (entry + or - delta).
inline void iq1_group_values(float scale, uint16_t index, uint8_t downwards, float* y) {
    const float delta = downwards != 0 ? -kIq1Delta : kIq1Delta;
    for (int j = 0; j < 8; ++j) y[j] = scale * (static_cast<float>(kIq1sGrid[index][j]) + delta);
}

// delta: one per sub-block of 32.
struct Iq1S : FormatBase<256, 50> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int c = 0; c < 8; ++c) {
            auto* qh = block + 34 + 2 * c;
            for (int g = 0; g < 4; ++g) {
                uint16_t high = f.index[4 * c + g] >> 8;
                packed(io, qh, 3 * g, 3, high);
                if constexpr (Io::kReads) f.index[4 * c + g] = static_cast<uint16_t>(high << 8);
                io.bits(block[2 + 4 * c + g], 0, 8, f.index[4 * c + g]);
            }
            io.bits(qh[1], 4, 3, f.scale[c]);
            io.bits(qh[1], 7, 1, f.delta[c]);
        }
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int i = 0; i < 32; ++i) {
            iq1_group_values(d * static_cast<float>(2 * f.scale[i / 4] + 1), f.index[i], f.delta[i / 4],
                             y + 8 * i);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// delta: one per group of 8; the f16 scale is spread over the top nibbles of the scale words.
struct Iq1M : FormatBase<256, 56> {
    using Fields = GridFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int i = 0; i < 32; ++i) {
            io.bits(block[i], 0, 8, f.index[i]);
            io.bits(block[32 + i / 2], 4 * (i % 2), 3, f.index[i], 8);
            io.bits(block[32 + i / 2], 4 * (i % 2) + 3, 1, f.delta[i]);
        }
        for (int s = 0; s < 16; ++s) packed(io, block + 48 + 2 * (s / 4), 3 * (s % 4), 3, f.scale[s]);
        for (int i = 0; i < 4; ++i) io.bits(block[48 + 2 * i + 1], 4, 4, f.d, 4 * i);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int i = 0; i < 32; ++i) {
            iq1_group_values(d * static_cast<float>(2 * f.scale[i / 2] + 1), f.index[i], f.delta[i],
                             y + 8 * i);
        }
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Iq4Nl : FormatBase<32, 18> {
    using Fields = Fields32;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        Q4_0::layout(io, block, k, f);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 32; ++e) y[e] = d * static_cast<float>(kIq4k[f.q[e]]);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

struct Iq4Xs : FormatBase<256, 136> {
    using Fields = KFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int c = 0; c < 8; ++c) {
            io.bits(block[4 + c / 2], 4 * (c % 2), 4, f.scale[c]);
            io.bits(block[2 + c / 4], 2 * (c % 4), 2, f.scale[c], 4);
        }
        nibbles_by_32(io, block + 8, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 256; ++e)
            y[e] = (d * static_cast<float>(f.scale[e / 32] - 32)) * static_cast<float>(kIq4k[f.q[e]]);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

}  // namespace cria::quant
