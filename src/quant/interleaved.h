// Row-interleaved formats: the blocks of one column of 4, 8 or 16 rows merged, so that one load serves
// several rows. Each is its base format with another layout: fields, values and encoder are inherited. k is
// the row in the group, f an element of a sub-block of 32. Private to src/quant.
#pragma once

#include "quant/iq.h"
#include "quant/iqk.h"
#include "quant/k_quants.h"
#include "quant/legacy.h"
#include "quant/ternary.h"

namespace cria::quant {

// These formats are defined as q * d minus an offset, which never gives the zero of the other sign that (q -
// zero) * d does.
inline void make_zeros_positive(float* y, int n) {
    for (int e = 0; e < n; ++e) y[e] += 0.0f;
}

// ---- 32 elements ----

struct Iq4NlR4 : Iq4Nl {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        nibbles_r4(io, block + 8, 32, k, f.q);
    }
};

struct Q5_0R4 : Q5_0 {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        high_bits_r4(io, block + 8, 32, k, f.q, 4,
                     [](int f) { return f / 16 + 2 * (f / 4 % 2) + 4 * (f / 8 % 2); });
        nibbles_r4(io, block + 24, 32, k, f.q);
    }
    static void values(float row_scale, const Fields& f, float* y) {
        Q5_0::values(row_scale, f, y);
        make_zeros_positive(y, 32);
    }
};

struct Q6_0R4 : Q6_0 {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        high_two_bits_r4(io, block + 8, 32, k, f.q, [](int f) { return 2 * (f / 4 % 2) + 4 * (f / 8 % 2); });
        nibbles_r4(io, block + 40, 32, k, f.q);
    }
    static void values(float row_scale, const Fields& f, float* y) {
        Q6_0::values(row_scale, f, y);
        make_zeros_positive(y, 32);
    }
};

struct Q4_0R8 : Q4_0 {
    static constexpr int kGroupRows = 8;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        nibbles_r8(io, block + 16, 32, k, f.q);
    }
};

struct Mxfp4R8 : Mxfp4 {
    static constexpr int kGroupRows = 8;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + k, f.exponent);
        nibbles_r8(io, block + 8, 32, k, f.q);
    }
};

struct Q8_0R8 : Q8_0 {
    static constexpr int kGroupRows = 8;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        bytes_by_4<8>(io, block + 16, 32, k, f.q);
    }
};

// Strips of kWidth bytes; nibbles are two's complement numbers, that is Q4_0's with the upper bit turned.
template <int kRows, int kWidth>
struct Q4_0Strips : Q4_0 {
    static constexpr int kGroupRows = kRows;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        const auto turned = [](uint8_t nibble) -> uint8_t { return nibble ^ 8; };
        io.value(block + 2 * k, f.d);
        for (int e = 0; e < 32; ++e) {
            const int m = e % 16;
            auto& byte = block[2 * kRows + kRows * kWidth * (m / kWidth) + kWidth * k + m % kWidth];
            recoded(io, byte, 4 * (e / 16), 4, f.q[e], turned, turned);
        }
    }
};

// A shorter header than Q8_KV's: no sum.
struct Q8_KVR8 : Q8_KV {
    static constexpr int kGroupRows = 8;
    static constexpr RowHeader kRowHeader = RowHeader::f32_scale;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        bytes_by_4<8>(io, block, 32, k, f.q);
    }
};

// Pairs of elements. The row length must be even, which the plain type's block of one element does not say.
struct Bf16R16 : FormatBase<2, 4> {
    static constexpr int kGroupRows = 16;
    struct Fields {
        uint16_t value[2] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 4 * k, f.value);
    }
    static void values(float, const Fields& f, float* y) {
        for (int e = 0; e < 2; ++e) y[e] = bf16_to_f32(f.value[e]);
    }
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float*, Fields& f) {
        for (int e = 0; e < 2; ++e) f.value[e] = f32_to_bf16(x[e]);
    }
};
struct Bf16Pairs : Bf16R16 {
    static constexpr int kGroupRows = 1;
};

// ---- K-quants ----

struct Q2_KR4 : Q2_K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        io.value(block + 8 + 2 * k, f.dmin);
        for (int s = 0; s < 16; ++s) {
            io.bits(block[16 + 4 * s + k], 0, 4, f.scale[s]);
            io.bits(block[16 + 4 * s + k], 4, 4, f.min[s]);
        }
        two_bits_r4(io, block + 80, 256, k, f.q);
    }
};

// n 6-bit scales of kRows rows: low nibbles in 32 bytes behind the upper bits in 16.
template <int kRows, typename Io>
void scales_of_6_bits(Io io, auto* high, auto* low, int n, int k, auto& scale) {
    for (int s = 0; s < n; ++s) {
        const int u = kRows * s + k;
        io.bits(low[u % 32], 4 * (u / 32), 4, scale[s]);
        io.bits(high[u % 16], 2 * (u / 16), 2, scale[s], 4);
    }
}

struct Q3_KR4 : Q3_K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        scales_of_6_bits<4>(io, block + 8, block + 24, 16, k, f.scale);
        high_bits_r4(io, block + 56, 256, k, f.q, 2, [](int f) { return f / 4; });
        two_bits_r4(io, block + 184, 256, k, f.q);
    }
};

// The first 64 bytes of Q4_K_R4 and Q5_K_R4.
template <typename Io>
void q45_k_scales_r4(Io io, auto* block, int k, auto& f) {
    io.value(block + 2 * k, f.d);
    io.value(block + 8 + 2 * k, f.dmin);
    for (int c = 0; c < 8; ++c) {
        const int u = 4 * c + k;
        io.bits(block[32 + u], 0, 4, f.scale[c]);
        io.bits(block[32 + u], 4, 4, f.min[c]);
        io.bits(block[16 + u % 16], 4 * (u / 16), 2, f.scale[c], 4);
        io.bits(block[16 + u % 16], 4 * (u / 16) + 2, 2, f.min[c], 4);
    }
}

struct Q4_KR4 : Q4_K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        q45_k_scales_r4(io, block, k, f);
        nibbles_r4(io, block + 64, 256, k, f.q);
    }
};

struct Q5_KR4 : Q5_K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        q45_k_scales_r4(io, block, k, f);
        high_bits_r4(io, block + 64, 256, k, f.q, 4,
                     [](int f) { return f / 8 % 2 + 2 * (f / 4 % 2) + 4 * (f / 16); });
        nibbles_r4(io, block + 192, 256, k, f.q);
    }
};

struct Q6_KR4 : Q6_K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        for (int s = 0; s < 16; ++s) io.value(block + 8 + 4 * s + k, f.scale[s]);
        high_two_bits_r4(io, block + 72, 256, k, f.q,
                         [](int f) { return 2 * (f / 8 % 2) + 4 * (f / 4 % 2); });
        nibbles_r4(io, block + 328, 256, k, f.q);
    }
};

// Bytes of one f16 scale per row, then quants. Made from Q8_K's numbers, whose scale is f32: not an exact
// copy.
template <int kRows, int kZero>
struct Q8_KBytes : FormatBase<256, 258> {
    static constexpr int kGroupRows = kRows;
    struct Fields {
        uint16_t d = 0;
        uint8_t q[256] = {};
    };
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        bytes_by_4<kRows>(io, block + 2 * kRows, 256, k, f.q);
    }
    static void values(float, const Fields& f, float* y) {
        const float d = f16_to_f32(f.d);
        for (int e = 0; e < 256; ++e) y[e] = d * static_cast<float>(static_cast<int8_t>(f.q[e] - kZero));
    }
};
struct Q8_KR8 : Q8_KBytes<8, 0> {
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
};
struct Q8_KR16 : Q8_KBytes<16, 128> {
    static constexpr bool kHasEncoder = true;
    static void encode_block(const float* x, const float* w, Fields& f);
    static void values(float row_scale, const Fields& f, float* y) {
        Q8_KBytes::values(row_scale, f, y);
        make_zeros_positive(y, 256);
    }
};

// ---- The IQ4 curve ----

struct Iq4XsR8 : Iq4Xs {
    static constexpr int kGroupRows = 8;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        scales_of_6_bits<8>(io, block + 16, block + 32, 8, k, f.scale);
        for (int e = 0; e < 256; ++e) {
            io.bits(block[64 + 32 * (e / 8) + 4 * k + e % 4], 4 * (e / 4 % 2), 4, f.q[e]);
        }
    }
};

// ---- Curves with selectors ----

// The selector of sub-block s of 16.
template <typename Io>
void selectors_r4(Io io, auto* bytes, int k, auto& f) {
    for (int s = 0; s < 16; ++s) io.bits(bytes[k + 4 * (s % 2)], s / 2, 1, f.min[s]);
}
// The upper bit of five, in IQ5_K_R4's and IQ5_KS_R4's order.
template <typename Io>
void iq5_high_bits_r4(Io io, auto* qh, int k, auto& q) {
    high_bits_r4(io, qh, 256, k, q, 4, [](int f) { return f / 8 % 2 + 2 * (f / 16) + 4 * (f / 4 % 2); });
}

struct Iq2KR4 : Iq2K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        selectors_r4(io, block + 8, k, f);
        for (int s = 0; s < 16; ++s) {
            const int u = 4 * s + k;
            io.bits(block[16 + u % 32], 4 * (u / 32), 4, f.scale[s]);
        }
        two_bits_r4(io, block + 48, 256, k, f.q);
    }
};

struct Iq3KR4 : Iq3K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        selectors_r4(io, block + 8, k, f);
        for (int s = 0; s < 16; ++s) {
            const int u = 4 * s + k;
            io.bits(block[24 + u % 32], 4 * (u / 32), 4, f.scale[s]);
            io.bits(block[16 + u % 8], u / 8, 1, f.scale[s], 4);
        }
        two_bits_r4(io, block + 56, 256, k, f.q);
        high_bits_r4(io, block + 312, 256, k, f.q, 2, [](int f) { return f / 4; });
    }
};

struct Iq4KR4 : Iq4K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        io.value(block + 2 * k, f.d);
        selectors_r4(io, block + 8, k, f);
        scales_of_6_bits<4>(io, block + 16, block + 32, 16, k, f.scale);
        nibbles_r4(io, block + 64, 256, k, f.q);
    }
};

struct Iq5KR4 : Iq5K {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        Iq4KR4::layout(io, block, k, f);
        iq5_high_bits_r4(io, block + 576, k, f.q);
    }
};

struct Iq4KsR4 : Iq4Ks {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        for (int c = 0; c < 8; ++c) even_scale_byte(io, block[4 * c + k], c, f);
        nibbles_r4(io, block + 32, 256, k, f.q);
    }
};

struct Iq5KsR4 : Iq5Ks {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        Iq4KsR4::layout(io, block, k, f);
        iq5_high_bits_r4(io, block + 544, k, f.q);
    }
};

struct Iq2BnR4 : Iq2Bn {
    static constexpr int kGroupRows = 4;
    template <typename Io>
    static void layout(Io io, auto* block, int k, auto& f) {
        two_bits_r4(io, block, 64, k, f.q);
    }
};

}  // namespace cria::quant
