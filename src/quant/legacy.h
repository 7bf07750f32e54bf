// Formats with one scale per block of 32 (or 128) elements or per row. Private to src/quant.
#pragma once

#include "quant/format.h"
#include "quant/grids.h"

namespace cria::quant {

// d: f16 scale, m: f16 minimum (or Q8_1's sum), q: codes as stored.
struct Fields32 {
    uint16_t d = 0, m = 0;
    uint8_t q[32] = {};
};

// y = (q - zero) * d
inline void symmetric_values(const Fields32& f, int zero, float* y) {
    const float d = f16_to_f32(f.d);
    for (int e = 0; e < 32; ++e) y[e] = static_cast<float>(f.q[e] - zero) * d;
}

// Five-bit codes: the upper bits in a 32-bit word, then the nibbles.
template <typename Io>
void codes_of_5_bits(Io io, auto* bytes, auto& q) {
    for (int e = 0; e < 32; ++e) io.bits(bytes[e / 8], e % 8, 1, q[e], 4);
    nibbles_of_32(io, bytes + 4, q);
}

struct Q4_0 : FormatBase<32, 18> {
    using Fields = Fields32;
    static constexpr int kZero = 8;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        nibbles_of_32(io, block + 2, f.q);
    }
    static void values(float, const Fields& f, float* y) { symmetric_values(f, kZero, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

struct Q4_1 : FormatBase<32, 20> {
    using Fields = Fields32;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.m);
        nibbles_of_32(io, block + 4, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d), m = f16_to_f32(f.m);
        for (int e = 0; e < 32; ++e) y[e] = static_cast<float>(f.q[e]) * d + m;
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

struct Q5_0 : FormatBase<32, 22> {
    using Fields = Fields32;
    static constexpr int kZero = 16;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        codes_of_5_bits(io, block + 2, f.q);
    }
    static void values(float, const Fields& f, float* y) { symmetric_values(f, kZero, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

struct Q5_1 : FormatBase<32, 24> {
    using Fields = Fields32;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.m);
        codes_of_5_bits(io, block + 4, f.q);
    }
    static void values(float, const Fields& f, float* y) { Q4_1::values(1.0f, f, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

struct Q6_0 : FormatBase<32, 26> {
    using Fields = Fields32;
    static constexpr int kZero = 32;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int e = 0; e < 32; ++e) io.bits(block[2 + e % 8], 4 * (e % 16 / 8) + 2 * (e / 16), 2, f.q[e], 4);
        nibbles_of_32(io, block + 10, f.q);
    }
    static void values(float, const Fields& f, float* y) { symmetric_values(f, kZero, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

// Quants are two's complement bytes.
struct Q8_0 : FormatBase<32, 34> {
    using Fields = Fields32;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 32; ++e) y[e] = static_cast<float>(static_cast<int8_t>(f.q[e])) * d;
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void encode_block_fast(const float* x, Fields& f);
};

// m = d * sum of the quants, redundant. An activation format; never weights.
struct Q8_1 : FormatBase<32, 36> {
    using Fields = Fields32;
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 2, f.m);
        io.value(block + 4, f.q);
    }
    static void values(float, const Fields& f, float* y) { Q8_0::values(1.0f, f, y); }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// 256 bytes under an f32 scale; the sums are redundant. An activation format.
struct Q8_K : FormatBase<256, 296> {
    struct Fields {
        float d = 0, sum = 0;
        int8_t q[256] = {};
        int16_t sums[16] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        io.value(block + 4, f.sum);
        io.value(block + 8, f.q);
        io.value(block + 264, f.sums);
    }
    static void values(float, const Fields& f, float* y) {
        for (int e = 0; e < 256; ++e) y[e] = f.d * static_cast<float>(f.q[e]);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// One scale and one sum for the whole row.
struct Q8_KV : FormatBase<32, 32, RowHeader::f32_scale_and_sum> {
    struct Fields {
        int8_t q[32] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.q);
    }
    static void values(float d, const Fields& f, float* y) {
        for (int e = 0; e < 32; ++e) y[e] = d * static_cast<float>(f.q[e]);
    }
    static constexpr bool kHasEncoder = true;
    static float encode_row(const float* x, const float* w, int64_t n, Fields* blocks);
};

// The scale is 2^(exponent - 128); kMxfp4 holds twice the E2M1 numbers, hence 128 and not 127.
struct Mxfp4 : FormatBase<32, 17> {
    struct Fields {
        uint8_t exponent = 0;
        uint8_t q[32] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.exponent);
        nibbles_of_32(io, block + 1, f.q);
    }
    static float scale(int exponent) {
        return exponent < 2 ? std::bit_cast<float>(0x00200000u << exponent)  // 2^-128, 2^-127: denormal
                            : std::bit_cast<float>(static_cast<uint32_t>(exponent - 1) << 23);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = scale(f.exponent);
        for (int e = 0; e < 32; ++e) y[e] = d * static_cast<float>(kMxfp4[f.q[e]]);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

// Signs of 128 elements.
struct Q1_0_G128 : FormatBase<128, 18> {
    struct Fields {
        uint16_t d = 0;
        uint8_t q[128] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int, auto& f) {
        io.value(block, f.d);
        for (int e = 0; e < 128; ++e) io.bits(block[2 + e / 8], e % 8, 1, f.q[e]);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 128; ++e) y[e] = f.q[e] != 0 ? d : -d;
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};

}  // namespace cria::quant
