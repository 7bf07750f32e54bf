// Across the lanes of registers, for the AVX2 kernels.
#pragma once

#include <immintrin.h>

namespace cria::cpu {
namespace {

inline float lanes_sum(__m256 v) {
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
}

// Row i of the result is column i of r, eight dwords each.
inline void transpose(__m256i (&r)[8]) {
    __m256i s[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        s[2 * i] = _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        s[2 * i + 1] = _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    // r[4 * i + c]: rows 4i to 4i + 3 of columns c and c + 4.
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
        r[4 * i] = _mm256_unpacklo_epi64(s[4 * i], s[4 * i + 2]);
        r[4 * i + 1] = _mm256_unpackhi_epi64(s[4 * i], s[4 * i + 2]);
        r[4 * i + 2] = _mm256_unpacklo_epi64(s[4 * i + 1], s[4 * i + 3]);
        r[4 * i + 3] = _mm256_unpackhi_epi64(s[4 * i + 1], s[4 * i + 3]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
        const __m256i low = r[c];
        const __m256i high = r[4 + c];
        r[c] = _mm256_permute2x128_si256(low, high, 0x20);
        r[4 + c] = _mm256_permute2x128_si256(low, high, 0x31);
    }
}

}  // namespace
}  // namespace cria::cpu
