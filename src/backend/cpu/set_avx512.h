// The steps of decoding and multiplying that AVX-512 (with VNNI) does in its own way.
#pragma once

#include "backend/cpu/decode_x86.h"

namespace cria::cpu {
namespace {

// Where the first words of eight blocks, kWords apart, are in a chunk: some in its first 64 words, the others
// in its last (at most) 64.
template <int kWords>
struct FirstWords {
    static constexpr int kTail = 8 * kWords - 64 > 64 ? 64 : 8 * kWords - 64;
    static constexpr int kFirstInTail = (64 + kWords - 1) / kWords;
    alignas(64) uint16_t in_head[32];
    alignas(64) uint16_t in_tail[32];
    constexpr FirstWords() : in_head(), in_tail() {
#pragma GCC unroll 16
        for (int i = 0; i < 8; ++i) {
            in_head[i] = static_cast<uint16_t>((i * kWords) & 63);
            in_tail[i] = static_cast<uint16_t>((i * kWords - kTail) & 63);
        }
    }
};

struct Avx512 {
    // Added to signed weights to make them unsigned; the offset takes it off again.
    static constexpr float kSignedZero = 128.0f;

    // Activation rows in one pass: as many as registers hold.
    static constexpr int kMostRows = 8;

    // f16 numbers at the start of eight blocks, kBytes bytes apart.
    template <int kBytes>
    static __m256 eight_f16(const uint8_t* p) {
        using Where = FirstWords<kBytes / 2>;
        static constexpr Where kWhere;
        __m128i words = _mm512_castsi512_si128(
            _mm512_permutex2var_epi16(load_512(p), _mm512_load_si512(kWhere.in_head), load_512(p + 64)));
        if constexpr (Where::kFirstInTail < 8) {
            const uint8_t* tail = p + 2 * Where::kTail;
            const __m512i rest = _mm512_permutex2var_epi16(load_512(tail), _mm512_load_si512(kWhere.in_tail),
                                                           load_512(tail + 64));
            words = _mm_mask_mov_epi16(words, static_cast<__mmask8>(0xff << Where::kFirstInTail),
                                       _mm512_castsi512_si128(rest));
        }
        return _mm256_cvtph_ps(words);
    }
    // The same for pairs of them.
    template <int kBytes>
    static void eight_f16_pairs(const uint8_t* p, __m256& first, __m256& second) {
        constexpr int kDwords = kBytes / 4;
        constexpr int kTail = 8 * kDwords - 32;
        constexpr int kFirstInTail = (32 + kDwords - 1) / kDwords;
        const __m256i index = _mm256_setr_epi32(0, kDwords, 2 * kDwords, 3 * kDwords, 4 * kDwords,
                                                5 * kDwords, 6 * kDwords, 7 * kDwords);
        const __m256i tail_index = _mm256_sub_epi32(index, _mm256_set1_epi32(kTail));
        const uint8_t* tail = p + 4 * kTail;
        const __m512i low =
            _mm512_permutex2var_epi32(load_512(p), _mm512_castsi256_si512(index), load_512(p + 64));
        const __m512i high = _mm512_permutex2var_epi32(load_512(tail), _mm512_castsi256_si512(tail_index),
                                                       load_512(tail + 64));
        const __m256i pairs =
            _mm256_mask_mov_epi32(_mm512_castsi512_si256(low), static_cast<__mmask8>(0xff << kFirstInTail),
                                  _mm512_castsi512_si256(high));
        first = _mm256_cvtph_ps(_mm256_cvtepi32_epi16(pairs));
        second = _mm256_cvtph_ps(_mm256_cvtepi32_epi16(_mm256_srli_epi32(pairs, 16)));
    }
    // Adds `value` to the bytes whose bit `mask` is set in `bits`.
    static __m256i add_where(__m256i u, __m256i bits, __m256i mask, int value) {
        return _mm256_mask_add_epi8(u, _mm256_test_epi8_mask(bits, mask), u,
                                    _mm256_set1_epi8(static_cast<char>(value)));
    }
    // Adds 16 to byte i where bit i of `bits` is set.
    static __m256i add_fifth_bits(__m256i u, uint32_t bits) {
        return _mm256_mask_add_epi8(u, bits, u, _mm256_set1_epi8(16));
    }
    // Two accumulators for each activation row: one would make the loop wait for its own additions.
    struct Sums {
        __m512 even, odd;
    };
    static Sums no_sums() { return {_mm512_setzero_ps(), _mm512_setzero_ps()}; }
    static float total(const Sums& sums) { return _mm512_reduce_add_ps(_mm512_add_ps(sums.even, sums.odd)); }

    // a times the activation's scale, one for each group; eight or sixteen lanes count. In registers, and
    // spread by a shuffle: broadcasts from memory were measured to wait for the store before them (35 cycles
    // for 256 elements of Q8_0 against 21).
    using Factors = __m512;
    template <int kGroup>
    static Factors factors(const Scales& w, const float* x_scales) {
        const __m256 scales = _mm256_loadu_ps(x_scales);
        if constexpr (kGroup == 32) return _mm512_zextps256_ps512(_mm256_mul_ps(w.a[0], scales));
        const __m512i pairs = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        return _mm512_mul_ps(joined_floats(w.a),
                             _mm512_permutexvar_ps(pairs, _mm512_castps256_ps512(scales)));
    }
    template <int kGroup>
    static void add_offsets(const Scales& w, const float* x_sums, Sums& sums) {
        if constexpr (kGroup == 32) {
            sums.odd = _mm512_fmadd_ps(_mm512_zextps256_ps512(w.b[0]),
                                       _mm512_zextps256_ps512(_mm256_loadu_ps(x_sums)), sums.odd);
        } else {
            sums.odd = _mm512_fmadd_ps(joined_floats(w.b), _mm512_loadu_ps(x_sums), sums.odd);
        }
    }

    // 64 unsigned weights in one register.
    template <bool kIsSigned>
    static __m512i joined(const Part& part) {
        const __m512i w = _mm512_inserti64x4(_mm512_castsi256_si512(part.u[0]), part.u[1], 1);
        return kIsSigned ? _mm512_xor_si512(w, _mm512_set1_epi8(-128)) : w;
    }
    // 64 elements from part j of a chunk on: each lane has four of them, and the factor of their group.
    template <int kGroup, bool kIsSigned>
    static void add_products(__m512i w, const int8_t* q, const Factors& factors, int j, Sums& sums) {
        const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __m512i group = _mm512_add_epi32(_mm512_srli_epi32(lane, kGroup == 32 ? 3 : 2),
                                               _mm512_set1_epi32(j * 64 / kGroup));
        const __m512 dots =
            _mm512_cvtepi32_ps(_mm512_dpbusd_epi32(_mm512_setzero_si512(), w, _mm512_loadu_si512(q)));
        __m512& sum = j % 2 == 0 ? sums.even : sums.odd;
        sum = _mm512_fmadd_ps(dots, _mm512_permutexvar_ps(group, factors), sum);
    }

  private:
    static __m512 joined_floats(const __m256 (&halves)[2]) {
        return _mm512_insertf32x8(_mm512_castps256_ps512(halves[0]), halves[1], 1);
    }
    static __m512i load_512(const uint8_t* p) { return _mm512_loadu_si512(p); }
};

}  // namespace
}  // namespace cria::cpu
