// Sixteen floats at a time for the vector and attention kernels (vector_x86.h, attention_x86.h): what AVX-512
// does in its own way. simd_avx2.h has the same names for eight.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace cria::cpu {
namespace {

struct Floats16 {
    using V = __m512;
    static constexpr int kLanes = 16;

    static V load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
    // The first n (under kLanes) elements; loaded ones are followed by zeros.
    static V load_first(const float* p, int64_t n) { return _mm512_maskz_loadu_ps(first(n), p); }
    static void store_first(float* p, V v, int64_t n) { _mm512_mask_storeu_ps(p, first(n), v); }
    static V set(float x) { return _mm512_set1_ps(x); }

    static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
    // Both give b when one of them is NaN.
    static V max(V a, V b) { return _mm512_max_ps(a, b); }
    static V min(V a, V b) { return _mm512_min_ps(a, b); }
    static V abs(V a) { return _mm512_abs_ps(a); }
    static V with_sign_of(V size, V sign) {
        return _mm512_or_ps(size, _mm512_and_ps(sign, _mm512_set1_ps(-0.0f)));
    }
    static V round(V a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
    static V times_power_of_2(V a, V exponent) { return _mm512_scalef_ps(a, exponent); }
    // a < b ? x : y in each lane; y where NaN.
    static V select_less(V a, V b, V x, V y) {
        return _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), x);
    }
    // Lanes outside [begin, end) become x.
    static V fill_outside(V a, int begin, int end, float x) {
        const auto inside = static_cast<__mmask16>(((1u << end) - 1) & ~((1u << begin) - 1));
        return _mm512_mask_mov_ps(_mm512_set1_ps(x), inside, a);
    }

    static float sum(V a) { return _mm512_reduce_add_ps(a); }
    // Of lanes without NaN.
    static float largest(V a) { return _mm512_reduce_max_ps(a); }
    // Lane i of the result is the sum of v[i]; each sum adds in the same order.
    static V sums(const V (&v)[kLanes]) {
        V s[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            s[i] = _mm512_add_ps(_mm512_unpacklo_ps(v[2 * i], v[2 * i + 1]),
                                 _mm512_unpackhi_ps(v[2 * i], v[2 * i + 1]));
        }
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
            const __m512d a = _mm512_castps_pd(s[2 * i]);
            const __m512d b = _mm512_castps_pd(s[2 * i + 1]);
            s[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)),
                                 _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)));
        }
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) s[i] = fold_quarters(s[2 * i], s[2 * i + 1]);
        return fold_quarters(s[0], s[1]);
    }

    // Elements 0, 2, 4, ... and 1, 3, 5, ... of 2 * kLanes.
    static void load_pairs(const float* p, V& even, V& odd) {
        const __m512i index = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        const V low = load(p);
        const V high = load(p + 16);
        even = _mm512_permutex2var_ps(low, index, high);
        odd = _mm512_permutex2var_ps(low, _mm512_add_epi32(index, _mm512_set1_epi32(1)), high);
    }
    // (x, y) in even and odd lanes turned by (cos, sin): (x cos - y sin, x sin + y cos).
    static V turn_pairs(V xy, V cos_sin) {
        const V swapped = _mm512_permute_ps(xy, 0xb1);
        return _mm512_fmaddsub_ps(xy, _mm512_moveldup_ps(cos_sin), swapped * _mm512_movehdup_ps(cos_sin));
    }

    static V load_f16(const uint16_t* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static V load_f16_first(const uint16_t* p, int64_t n) {
        return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first(n), p));
    }
    static V load_bf16(const uint16_t* p) {
        const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
    // kLanes bytes as floats.
    static V load_i8(const void* p) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load_128(p))); }
    // 32 signed bytes as floats.
    static void from_i8(__m256i bytes, V (&out)[2]) {
        out[0] = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_castsi256_si128(bytes)));
        out[1] = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm256_extracti128_si256(bytes, 1)));
    }
    // p[i] - x, exact before it becomes a float.
    static V difference(const int32_t* p, int32_t x) {
        return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(p), _mm512_set1_epi32(x)));
    }

    static void store_f16(uint16_t* p, V v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), to_f16(v)); }
    static void store_f16_first(uint16_t* p, V v, int64_t n) {
        _mm256_mask_storeu_epi16(p, first(n), to_f16(v));
    }
    static void store_bf16(uint16_t* p, V v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), to_bf16(v));
    }
    static void store_bf16_first(uint16_t* p, V v, int64_t n) {
        _mm256_mask_storeu_epi16(p, first(n), to_bf16(v));
    }

  private:
    static __mmask16 first(int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
    static __m128i load_128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
    // Quarters (a0 + a1, a2 + a3, b0 + b1, b2 + b3).
    static V fold_quarters(V a, V b) {
        return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
    }
    static __m256i to_f16(V v) { return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
    // To nearest even; NaN stays NaN.
    static __m256i to_bf16(V v) {
        const __m512i bits = _mm512_castps_si512(v);
        const __m512i odd = _mm512_and_epi32(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
        const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
        const __m512i quiet = _mm512_or_epi32(bits, _mm512_set1_epi32(0x400000));
        const __m512i chosen = _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), quiet);
        return _mm512_cvtepi32_epi16(_mm512_srli_epi32(chosen, 16));
    }
};

}  // namespace
}  // namespace cria::cpu
