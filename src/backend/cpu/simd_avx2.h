// Eight floats at a time for the vector and attention kernels (vector_x86.h, attention_x86.h): what AVX2 does
// in its own way. simd_avx512.h has the same names for sixteen.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backend/cpu/lanes_avx2.h"

namespace cria::cpu {
namespace {

struct Floats8 {
    using V = __m256;
    static constexpr int kLanes = 8;

    static V load(const float* p) { return _mm256_loadu_ps(p); }
    static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
    // The first n (under kLanes) elements; loaded ones are followed by zeros.
    static V load_first(const float* p, int64_t n) { return _mm256_maskload_ps(p, first(n)); }
    static void store_first(float* p, V v, int64_t n) { _mm256_maskstore_ps(p, first(n), v); }
    static V set(float x) { return _mm256_set1_ps(x); }

    static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
    // Both give b when one of them is NaN.
    static V max(V a, V b) { return _mm256_max_ps(a, b); }
    static V min(V a, V b) { return _mm256_min_ps(a, b); }
    static V abs(V a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
    static V with_sign_of(V size, V sign) {
        return _mm256_or_ps(size, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
    }
    static V round(V a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
    // For exponents of -200 to 200: in two steps, since 2^exponent itself may be no normal float.
    static V times_power_of_2(V a, V exponent) {
        const __m256i e = _mm256_cvtps_epi32(exponent);
        const __m256i half = _mm256_srai_epi32(e, 1);
        return a * power_of_2(half) * power_of_2(_mm256_sub_epi32(e, half));
    }
    // a < b ? x : y in each lane; y where NaN.
    static V select_less(V a, V b, V x, V y) {
        return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
    }
    // Lanes outside [begin, end) become x.
    static V fill_outside(V a, int begin, int end, float x) {
        const __m256i inside = _mm256_andnot_si256(first(begin), first(end));
        return _mm256_blendv_ps(_mm256_set1_ps(x), a, _mm256_castsi256_ps(inside));
    }

    static float sum(V a) { return lanes_sum(a); }
    // Of lanes without NaN.
    static float largest(V a) {
        __m128 m = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
        m = _mm_max_ps(m, _mm_movehl_ps(m, m));
        return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
    }
    // Lane i of the result is the sum of v[i]; each sum adds in the same order.
    static V sums(const V (&v)[kLanes]) {
        V s[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            s[i] = _mm256_add_ps(_mm256_unpacklo_ps(v[2 * i], v[2 * i + 1]),
                                 _mm256_unpackhi_ps(v[2 * i], v[2 * i + 1]));
        }
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            const __m256d a = _mm256_castps_pd(s[2 * i]);
            const __m256d b = _mm256_castps_pd(s[2 * i + 1]);
            s[i] = _mm256_add_ps(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)),
                                 _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)));
        }
        return _mm256_add_ps(_mm256_permute2f128_ps(s[0], s[1], 0x20),
                             _mm256_permute2f128_ps(s[0], s[1], 0x31));
    }

    // Elements 0, 2, 4, ... and 1, 3, 5, ... of 2 * kLanes.
    static void load_pairs(const float* p, V& even, V& odd) {
        const V low = load(p);
        const V high = load(p + 8);
        even = in_order(_mm256_shuffle_ps(low, high, 0x88));
        odd = in_order(_mm256_shuffle_ps(low, high, 0xdd));
    }
    // (x, y) in even and odd lanes turned by (cos, sin): (x cos - y sin, x sin + y cos).
    static V turn_pairs(V xy, V cos_sin) {
        const V swapped = _mm256_permute_ps(xy, 0xb1);
        return _mm256_fmaddsub_ps(xy, _mm256_moveldup_ps(cos_sin), swapped * _mm256_movehdup_ps(cos_sin));
    }

    static V load_f16(const uint16_t* p) { return _mm256_cvtph_ps(load_128(p)); }
    static V load_f16_first(const uint16_t* p, int64_t n) {
        uint16_t some[8] = {};
        std::memcpy(some, p, static_cast<size_t>(n) * sizeof(uint16_t));
        return load_f16(some);
    }
    static V load_bf16(const uint16_t* p) {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_128(p)), 16));
    }
    // kLanes bytes as floats.
    static V load_i8(const void* p) {
        return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
    }
    // 32 signed bytes as floats.
    static void from_i8(__m256i bytes, V (&out)[4]) {
        const __m128i half[2] = {_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)};
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const __m128i eight = i % 2 == 0 ? half[i / 2] : _mm_unpackhi_epi64(half[i / 2], half[i / 2]);
            out[i] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight));
        }
    }
    // p[i] - x, exact before it becomes a float.
    static V difference(const int32_t* p, int32_t x) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        return _mm256_cvtepi32_ps(_mm256_sub_epi32(v, _mm256_set1_epi32(x)));
    }

    static void store_f16(uint16_t* p, V v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), to_f16(v)); }
    static void store_f16_first(uint16_t* p, V v, int64_t n) { store_some(p, to_f16(v), n); }
    static void store_bf16(uint16_t* p, V v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), to_bf16(v)); }
    static void store_bf16_first(uint16_t* p, V v, int64_t n) { store_some(p, to_bf16(v), n); }

  private:
    // All bits set in the first n lanes.
    static __m256i first(int64_t n) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                                  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    }
    static __m128i load_128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
    static void store_some(uint16_t* p, __m128i halves, int64_t n) {
        uint16_t some[8];
        _mm_storeu_si128(reinterpret_cast<__m128i*>(some), halves);
        std::memcpy(p, some, static_cast<size_t>(n) * sizeof(uint16_t));
    }
    static V in_order(V v) { return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8)); }
    static V power_of_2(__m256i exponent) {
        return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
    }
    static __m128i to_f16(V v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
    // To nearest even; NaN stays NaN.
    static __m128i to_bf16(V v) {
        const __m256i bits = _mm256_castps_si256(v);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
        const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
        const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
        const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
        const __m256i words = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, is_nan), 16);
        return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    }
};

}  // namespace
}  // namespace cria::cpu
