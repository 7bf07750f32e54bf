// 16 registers as a matrix of dwords, for the AVX-512 kernels.
#pragma once

#include <immintrin.h>

namespace cria::cpu {
namespace {

// Row i of the result is column i of r.
void transpose(__m512i (&r)[16]) {
    __m512i s[16];
#pragma GCC unroll 16
    for (int i = 0; i < 8; ++i) {
        s[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        s[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 4; ++i) {
        r[4 * i] = _mm512_unpacklo_epi64(s[4 * i], s[4 * i + 2]);
        r[4 * i + 1] = _mm512_unpackhi_epi64(s[4 * i], s[4 * i + 2]);
        r[4 * i + 2] = _mm512_unpacklo_epi64(s[4 * i + 1], s[4 * i + 3]);
        r[4 * i + 3] = _mm512_unpackhi_epi64(s[4 * i + 1], s[4 * i + 3]);
    }
// r[4 * i + c]: rows 4i to 4i + 3 of columns c, c + 4, c + 8, c + 12.
#pragma GCC unroll 16
    for (int c = 0; c < 4; ++c) {
        s[c] = _mm512_shuffle_i32x4(r[c], r[4 + c], 0x88);
        s[4 + c] = _mm512_shuffle_i32x4(r[c], r[4 + c], 0xdd);
        s[8 + c] = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0x88);
        s[12 + c] = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0xdd);
    }
#pragma GCC unroll 16
    for (int c = 0; c < 4; ++c) {
        r[c] = _mm512_shuffle_i32x4(s[c], s[8 + c], 0x88);
        r[8 + c] = _mm512_shuffle_i32x4(s[c], s[8 + c], 0xdd);
        r[4 + c] = _mm512_shuffle_i32x4(s[4 + c], s[12 + c], 0x88);
        r[12 + c] = _mm512_shuffle_i32x4(s[4 + c], s[12 + c], 0xdd);
    }
}

}  // namespace
}  // namespace cria::cpu
