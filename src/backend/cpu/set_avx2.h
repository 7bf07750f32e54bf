// The steps of decoding and multiplying that AVX2 does in its own way.
#pragma once

#include "backend/cpu/decode_x86.h"
#include "backend/cpu/lanes_avx2.h"

namespace cria::cpu {
namespace {

struct Avx2 {
    // Added to signed weights to make them unsigned, and so to be taken off again by the offset: here
    // nothing.
    static constexpr float kSignedZero = 0.0f;

    // Activation rows in one pass: as many as registers hold.
    static constexpr int kMostRows = 4;

    // f16 numbers at the start of eight blocks, kBytes bytes apart.
    template <int kBytes>
    static __m256 eight_f16(const uint8_t* p) {
        const auto word = [p](int i) { return static_cast<int16_t>(load_u16(p + i * kBytes)); };
        return _mm256_cvtph_ps(
            _mm_setr_epi16(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)));
    }
    // The same for pairs of them.
    template <int kBytes>
    static void eight_f16_pairs(const uint8_t* p, __m256& first, __m256& second) {
        first = eight_f16<kBytes>(p);
        second = eight_f16<kBytes>(p + 2);
    }
    // Sets `value` in the bytes whose bit `mask` is set in `bits`.
    static __m256i add_where(__m256i u, __m256i bits, __m256i mask, int value) {
        const __m256i is_set = _mm256_cmpeq_epi8(_mm256_and_si256(bits, mask), mask);
        return _mm256_or_si256(u, _mm256_and_si256(is_set, _mm256_set1_epi8(static_cast<char>(value))));
    }
    // Adds 16 to byte i where bit i of `bits` is set.
    static __m256i add_fifth_bits(__m256i u, uint32_t bits) {
        const __m256i spread =
            _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)),
                                _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2,
                                                 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
        return add_where(u, spread, _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201)), 16);
    }
    // Two accumulators for each activation row: one would make the loop wait for its own additions.
    struct Sums {
        __m256 even, odd;
    };
    static Sums no_sums() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
    static float total(const Sums& sums) { return lanes_sum(_mm256_add_ps(sums.even, sums.odd)); }

    // a times the activation's scale, one for each group.
    struct Factors {
        __m256 low, high;  // high: of groups 8 to 15
    };
    template <int kGroup>
    static Factors factors(const Scales& w, const float* x_scales) {
        const __m256 scales = _mm256_loadu_ps(x_scales);
        if constexpr (kGroup == 32) return {_mm256_mul_ps(w.a[0], scales), scales};
        const __m256 low = _mm256_permutevar8x32_ps(scales, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
        const __m256 high = _mm256_permutevar8x32_ps(scales, _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7));
        return {_mm256_mul_ps(w.a[0], low), _mm256_mul_ps(w.a[1], high)};
    }
    template <int kGroup>
    static void add_offsets(const Scales& w, const float* x_sums, Sums& sums) {
        sums.odd = _mm256_fmadd_ps(w.b[0], _mm256_loadu_ps(x_sums), sums.odd);
        if constexpr (kGroup == 32) return;
        sums.even = _mm256_fmadd_ps(w.b[1], _mm256_loadu_ps(x_sums + 8), sums.even);
    }

    // Elements multiplied at once, and where the activations keep 16 of them.
    static constexpr int64_t kPartElements = 64;
    static int64_t piece_place(int64_t, int64_t piece) { return 16 * piece; }

    template <bool kIsSigned>
    static Part weights(const auto& chunk, int j) {
        return chunk.part(j);
    }
    // Products of 32 elements in eight sums of four. vpmaddubsw adds two products of an unsigned and a signed
    // byte in 16 bits, which holds for unsigned bytes up to 128; signed weights hand their signs to the
    // activations.
    template <bool kIsSigned>
    static __m256 dot_32(__m256i w, const int8_t* q) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
        const __m256i pairs = kIsSigned ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
                                        : _mm256_maddubs_epi16(w, x);
        return _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    // The factor of each lane of block `block` of 32 elements.
    template <int kGroup>
    static __m256 block_factor(const Factors& factors, int block) {
        if constexpr (kGroup == 32) return _mm256_permutevar8x32_ps(factors.low, _mm256_set1_epi32(block));
        const int first = 2 * block % 8;
        const __m256i lanes =
            _mm256_setr_epi32(first, first, first, first, first + 1, first + 1, first + 1, first + 1);
        return _mm256_permutevar8x32_ps(block < 4 ? factors.low : factors.high, lanes);
    }
    // 64 elements from part j of a chunk on.
    template <int kGroup, bool kIsSigned>
    static void add_products(const Part& w, const int8_t* q, const Factors& factors, int j, Sums& sums) {
        sums.even =
            _mm256_fmadd_ps(dot_32<kIsSigned>(w.u[0], q), block_factor<kGroup>(factors, 2 * j), sums.even);
        sums.odd = _mm256_fmadd_ps(dot_32<kIsSigned>(w.u[1], q + 32),
                                   block_factor<kGroup>(factors, 2 * j + 1), sums.odd);
    }
};

}  // namespace
}  // namespace cria::cpu
