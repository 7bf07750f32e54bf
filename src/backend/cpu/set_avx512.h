// The steps of decoding and multiplying that AVX-512 (with VNNI) does in its own way.
#pragma once

#include "backend/cpu/decode_x86.h"
#include "backend/cpu/halves_avx512.h"

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

// 128 unsigned weights in the order of the activations (halves_avx512.h): the first halves of four blocks,
// then the second.
struct Halves {
    __m512i u[2];
};

struct Avx512;
// decode(bytes of a chunk, part): for formats whose bytes come in that order more easily than one block after
// the other.
template <typename Format>
struct DirectHalves {};

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
    // Elements multiplied at once, and where the activations keep 16 of them.
    static constexpr int64_t kPartElements = 128;
    static int64_t piece_place(int64_t row_length, int64_t piece) {
        return cpu::piece_place(row_length, piece);
    }

    // Part j of a chunk in the order of the activations.
    template <bool kIsSigned, typename Chunk>
    static Halves weights(const Chunk& chunk, int j) {
        if constexpr (requires { DirectHalves<typename Chunk::Of>::decode(chunk.bytes, j); }) {
            return DirectHalves<typename Chunk::Of>::decode(chunk.bytes, j);
        } else {
            const __m512i low = joined<kIsSigned>(chunk.part(2 * j));
            const __m512i high = joined<kIsSigned>(chunk.part(2 * j + 1));
            return {{_mm512_shuffle_i64x2(low, high, 0x88), _mm512_shuffle_i64x2(low, high, 0xdd)}};
        }
    }
    // Each lane has four elements, each quarter of a register a block; the halves of a block are groups of
    // their own or one together.
    template <int kGroup, bool kIsSigned>
    static void add_products(const Halves& w, const int8_t* q, const Factors& factors, int j, Sums& sums) {
        const __m512i quarter = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        __m512i even = _mm512_dpbusd_epi32(_mm512_setzero_si512(), w.u[0], _mm512_loadu_si512(q));
        if constexpr (kGroup == 32) {
            even = _mm512_dpbusd_epi32(even, w.u[1], _mm512_loadu_si512(q + 64));
            const __m512i group = _mm512_add_epi32(quarter, _mm512_set1_epi32(4 * j));
            __m512& sum = j == 0 ? sums.even : sums.odd;
            sum = _mm512_fmadd_ps(_mm512_cvtepi32_ps(even), _mm512_permutexvar_ps(group, factors), sum);
        } else {
            const __m512i odd =
                _mm512_dpbusd_epi32(_mm512_setzero_si512(), w.u[1], _mm512_loadu_si512(q + 64));
            const __m512i group =
                _mm512_add_epi32(_mm512_add_epi32(quarter, quarter), _mm512_set1_epi32(8 * j));
            const __m512i next = _mm512_add_epi32(group, _mm512_set1_epi32(1));
            sums.even =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(even), _mm512_permutexvar_ps(group, factors), sums.even);
            sums.odd =
                _mm512_fmadd_ps(_mm512_cvtepi32_ps(odd), _mm512_permutexvar_ps(next, factors), sums.odd);
        }
    }

  private:
    static __m512 joined_floats(const __m256 (&halves)[2]) {
        return _mm512_insertf32x8(_mm512_castps256_ps512(halves[0]), halves[1], 1);
    }
    static __m512i load_512(const uint8_t* p) { return _mm512_loadu_si512(p); }
};

// 16 bytes of four blocks, kBytes apart.
template <int kBytes>
inline __m512i four_pieces(const uint8_t* p) {
    const __m512i two = _mm512_castsi256_si512(
        _mm256_inserti128_si256(_mm256_castsi128_si256(load_128(p)), load_128(p + kBytes), 1));
    return _mm512_inserti32x4(_mm512_inserti32x4(two, load_128(p + 2 * kBytes), 2), load_128(p + 3 * kBytes),
                              3);
}
inline __m512i low_nibbles(__m512i v) { return _mm512_and_si512(v, _mm512_set1_epi8(15)); }
// Low nibbles, then high nibbles.
inline Halves nibble_halves(__m512i v) { return {{low_nibbles(v), low_nibbles(_mm512_srli_epi16(v, 4))}}; }
// The same through a curve of 16 values.
inline Halves on_curve(__m512i v, __m128i curve) {
    const __m512i values = _mm512_broadcast_i32x4(curve);
    const Halves codes = nibble_halves(v);
    return {{_mm512_shuffle_epi8(values, codes.u[0]), _mm512_shuffle_epi8(values, codes.u[1])}};
}
inline __m128i unsigned_iq4_curve() {
    return _mm_xor_si128(_mm256_castsi256_si128(iq4_curve()), _mm_set1_epi8(-128));
}

template <>
struct DirectHalves<Q4_0<Avx512>> {
    static Halves decode(const uint8_t* p, int j) { return nibble_halves(four_pieces<18>(p + 72 * j + 2)); }
};
template <>
struct DirectHalves<Q4_1<Avx512>> {
    static Halves decode(const uint8_t* p, int j) { return nibble_halves(four_pieces<20>(p + 80 * j + 4)); }
};
template <>
struct DirectHalves<Iq4Nl<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return on_curve(four_pieces<18>(p + 72 * j + 2), unsigned_iq4_curve());
    }
};
template <>
struct DirectHalves<Iq4Xs<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return on_curve(_mm512_loadu_si512(p + 8 + 64 * j), unsigned_iq4_curve());
    }
};
template <>
struct DirectHalves<Mxfp4<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return on_curve(four_pieces<17>(p + 68 * j + 1), mxfp4_curve());
    }
};

// The fifth bits of four blocks, kBytes apart: 16 of each block in each half.
template <int kBytes>
inline Halves add_fifth_bits(const Halves& w, const uint8_t* p) {
    Halves result;
    for (int half = 0; half < 2; ++half) {
        const uint8_t* at = p + 2 * half;
        const uint64_t bits = load_u16(at) | static_cast<uint64_t>(load_u16(at + kBytes)) << 16 |
                              static_cast<uint64_t>(load_u16(at + 2 * kBytes)) << 32 |
                              static_cast<uint64_t>(load_u16(at + 3 * kBytes)) << 48;
        result.u[half] = _mm512_mask_add_epi8(w.u[half], bits, w.u[half], _mm512_set1_epi8(16));
    }
    return result;
}
template <>
struct DirectHalves<Q5_0<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return add_fifth_bits<22>(nibble_halves(four_pieces<22>(p + 88 * j + 6)), p + 88 * j + 2);
    }
};
template <>
struct DirectHalves<Q5_1<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return add_fifth_bits<24>(nibble_halves(four_pieces<24>(p + 96 * j + 8)), p + 96 * j + 4);
    }
};

// One value for each quarter, in all its words.
inline __m512i by_quarter(int a, int b, int c, int d) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_set_m128i(_mm_set1_epi16(static_cast<int16_t>(b)),
                                                _mm_set1_epi16(static_cast<int16_t>(a)))),
        _mm256_set_m128i(_mm_set1_epi16(static_cast<int16_t>(d)), _mm_set1_epi16(static_cast<int16_t>(c))),
        1);
}
// K-quants' nibbles: 32 bytes hold two blocks of 32, one in the low and one in the high nibbles.
inline Halves k_nibbles(const uint8_t* p) {
    const __m512i v = _mm512_loadu_si512(p);
    const __m512i shifts = by_quarter(0, 4, 0, 4);
    return {{low_nibbles(_mm512_srlv_epi16(_mm512_shuffle_i64x2(v, v, 0xa0), shifts)),
             low_nibbles(_mm512_srlv_epi16(_mm512_shuffle_i64x2(v, v, 0xf5), shifts))}};
}
// Adds `value` where bit 4j + quarter of 32 bytes is set: block 4j + quarter's own bits.
inline Halves add_block_bits(const Halves& w, const uint8_t* p, int j, int value) {
    const auto both = [j](int quarter) { return 0x101 << (4 * j + quarter); };
    const __m512i mask = by_quarter(both(0), both(1), both(2), both(3));
    Halves result;
    for (int half = 0; half < 2; ++half) {
        const __m512i bits = _mm512_broadcast_i32x4(load_128(p + 16 * half));
        result.u[half] = _mm512_mask_add_epi8(w.u[half], _mm512_test_epi8_mask(bits, mask), w.u[half],
                                              _mm512_set1_epi8(static_cast<char>(value)));
    }
    return result;
}
// Four blocks in the bit pairs of 32 bytes.
inline Halves bit_pairs(const uint8_t* p) {
    const __m512i shifts = by_quarter(0, 2, 4, 6);
    const __m512i mask = _mm512_set1_epi8(3);
    Halves w;
    for (int half = 0; half < 2; ++half) {
        const __m512i bytes = _mm512_broadcast_i32x4(load_128(p + 16 * half));
        w.u[half] = _mm512_and_si512(_mm512_srlv_epi16(bytes, shifts), mask);
    }
    return w;
}

template <>
struct DirectHalves<Q4K<Avx512>> {
    static Halves decode(const uint8_t* p, int j) { return k_nibbles(p + 16 + 64 * j); }
};
template <>
struct DirectHalves<Q5K<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return add_block_bits(k_nibbles(p + 48 + 64 * j), p + 16, j, 16);
    }
};
template <>
struct DirectHalves<Q2K<Avx512>> {
    static Halves decode(const uint8_t* p, int j) { return bit_pairs(p + 16 + 32 * j); }
};
template <>
struct DirectHalves<Q3K<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        return add_block_bits(bit_pairs(p + 32 + 32 * j), p, j, 4);
    }
};
template <>
struct DirectHalves<Q6K<Avx512>> {
    static Halves decode(const uint8_t* p, int j) {
        const __m512i low = _mm512_loadu_si512(p + 64 * j);
        const __m512i shifts = by_quarter(0, 0, 4, 4);
        const __m512i turns = _mm512_setr_epi64(4, 4, 2, 2, 0, 0, 62, 62);
        const Halves nibbles{{_mm512_shuffle_i64x2(low, low, 0x88), _mm512_shuffle_i64x2(low, low, 0xdd)}};
        Halves w;
        for (int half = 0; half < 2; ++half) {
            const __m512i high = _mm512_broadcast_i32x4(load_128(p + 128 + 32 * j + 16 * half));
            w.u[half] =
                _mm512_or_si512(low_nibbles(_mm512_srlv_epi16(nibbles.u[half], shifts)),
                                _mm512_and_si512(_mm512_rolv_epi64(high, turns), _mm512_set1_epi8(0x30)));
        }
        return w;
    }
};

}  // namespace
}  // namespace cria::cpu
