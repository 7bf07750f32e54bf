// Ternary formats: every weight is -1, 0 or 1 times one scale. q holds 0, 1, 2 for -1, 0, 1. Private to
// src/quant.
#pragma once

#include "quant/format.h"

namespace cria::quant {

// A byte holds n (4 or 5) base-3 digits of a number v, the first one heaviest, as the fraction ceil(256 v /
// 243) / 256: multiplied by 3^j modulo 1 and then by 3 it shows digit j. Digits beyond n count as 0.
constexpr uint8_t pack_digits(const uint8_t* digits, int n) {
    int v = 0;
    for (int j = 0; j < 5; ++j) v = 3 * v + (j < n ? digits[j] : 0);
    return static_cast<uint8_t>((256 * v + 242) / 243);
}
constexpr uint8_t unpack_digit(uint8_t byte, int j) {
    constexpr uint8_t kPowers[] = {1, 3, 9, 27, 81};
    return static_cast<uint8_t>(3 * static_cast<uint8_t>(byte * kPowers[j]) >> 8);
}

// n digits of `q`, `stride` elements apart, in one byte. `reversed`: the last digit is the heaviest.
struct DigitRun {
    int n = 5;
    int stride = 1;
    bool reversed = false;
};
template <typename Io>
void digits(Io, auto& byte, DigitRun run, auto* q) {
    if constexpr (Io::kReads) {
        for (int j = 0; j < run.n; ++j) q[j * run.stride] = unpack_digit(byte, run.reversed ? 4 - j : j);
    } else {
        uint8_t ordered[5] = {};
        for (int j = 0; j < run.n; ++j) ordered[run.reversed ? 4 - j : j] = q[j * run.stride];
        byte = pack_digits(ordered, 5);
    }
}

struct Iq1Bn : FormatBase<64, 13, RowHeader::f16_scale> {
    struct Fields {
        uint8_t q[64] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int i = 0; i < 12; ++i)
            digits(io, block[i], {.reversed = true}, f.q + 16 * (i / 3) + 5 * (i % 3));
        digits(io, block[12], {.n = 4, .stride = 16, .reversed = true}, f.q + 15);
    }
    static void values(float d, const Fields& f, float* y) {
        for (int e = 0; e < 64; ++e) y[e] = d * static_cast<float>(f.q[e] - 1);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

struct Iq2Bn : FormatBase<64, 16, RowHeader::f32_scale> {
    using Fields = Iq1Bn::Fields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int e = 0; e < 64; ++e) io.bits(block[e % 16], 2 * (e / 16), 2, f.q[e]);
    }
    static void values(float d, const Fields& f, float* y) { Iq1Bn::values(d, f, y); }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

struct TernaryFields {
    uint16_t d = 0;
    uint8_t q[256] = {};
};
inline void ternary_values(const TernaryFields& f, float* y) {
    const float d = f16_to_f32(f.d);
    for (int e = 0; e < 256; ++e) y[e] = d * static_cast<float>(f.q[e] - 1);
}

struct Tq1_0 : FormatBase<256, 54> {
    using Fields = TernaryFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        for (int i = 0; i < 32; ++i) digits(io, block[i], {.stride = 32}, f.q + i);
        for (int i = 0; i < 16; ++i) digits(io, block[32 + i], {.stride = 16}, f.q + 160 + i);
        for (int i = 0; i < 4; ++i) digits(io, block[48 + i], {.n = 4, .stride = 4}, f.q + 240 + i);
        io.value(block + 52, f.d);
    }
    static void values(float, const Fields& f, float* y) { ternary_values(f, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

struct Tq2_0 : FormatBase<256, 66> {
    using Fields = TernaryFields;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        two_bit_planes(io, block, f.q);
        io.value(block + 64, f.d);
    }
    static void values(float, const Fields& f, float* y) { ternary_values(f, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

}  // namespace cria::quant
