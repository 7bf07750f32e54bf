// Decoders from the bytes of quantised rows to registers, 256 elements at a time, for the AVX-512 kernels.
// Needs AVX-512 F, BW, DQ, VL. A chunk's weights are w = a[group] * u + b[group] with unsigned bytes u, as
// vpdpbusd wants them; formats with a zero point have it folded into b. Everything is in an unnamed
// namespace: no inline function compiled for this set may reach other files.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace cria::cpu {
namespace {

// a, b: one lane per group; with groups of 32 only lanes 0 to 7 count, and the upper lanes of b are zero.
struct Chunk {
    __m512i u[4];
    __m512 a;
    __m512 b;
};

inline __m128i load_128(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline __m256i load_256(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline __m512i load_512(const uint8_t* p) { return _mm512_loadu_si512(p); }
inline uint16_t load_u16(const uint8_t* p) {
    uint16_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline uint32_t load_u32(const uint8_t* p) {
    uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline uint64_t load_u64(const uint8_t* p) {
    uint64_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline float load_f16(const uint8_t* p) { return _cvtsh_ss(load_u16(p)); }

// Two halves of 32 bytes.
inline __m512i join(__m256i low, __m256i high) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
inline __m512i twice(__m256i half) { return _mm512_broadcast_i64x4(half); }
// 16 bytes at `low` twice, then 16 bytes at `high` twice.
inline __m512i twice_each(const uint8_t* low, const uint8_t* high) {
    return _mm512_mask_broadcast_i32x4(_mm512_broadcast_i32x4(load_128(low)), 0xff00, load_128(high));
}

// Words for variable shifts: one count for each half, or for each quarter.
inline __m512i counts_by_half(int low, int high) {
    return join(_mm256_set1_epi16(static_cast<int16_t>(low)), _mm256_set1_epi16(static_cast<int16_t>(high)));
}
// Blocks of 16 bytes twice: low nibbles of the first copy, high nibbles of the second.
inline __m512i nibbles_by_quarter(__m512i v) {
    const __m512i counts = _mm512_broadcast_i64x4(_mm256_set_m128i(_mm_set1_epi16(4), _mm_setzero_si128()));
    return _mm512_and_si512(_mm512_srlv_epi16(v, counts), _mm512_set1_epi8(15));
}
// 32 bytes: their low nibbles, then their high nibbles.
inline __m512i nibbles_by_half(const uint8_t* p) {
    return _mm512_and_si512(_mm512_srlv_epi16(twice(load_256(p)), counts_by_half(0, 4)),
                            _mm512_set1_epi8(15));
}
// 32 bytes: bits [shift, shift + 2), then bits [shift + 2, shift + 4).
inline __m512i two_bits_by_half(const uint8_t* p, int shift) {
    return _mm512_and_si512(_mm512_srlv_epi16(twice(load_256(p)), counts_by_half(shift, shift + 2)),
                            _mm512_set1_epi8(3));
}
// Adds `value` where bit `bit` of the 32 bytes is set, then where bit + 1 is.
inline __m512i add_where_bits(__m512i u, __m512i bytes_twice, int bit, int value) {
    const __m512i tested = join(_mm256_set1_epi8(static_cast<char>(1 << bit)),
                                _mm256_set1_epi8(static_cast<char>(1 << (bit + 1))));
    return _mm512_mask_add_epi8(u, _mm512_test_epi8_mask(bytes_twice, tested), u,
                                _mm512_set1_epi8(static_cast<char>(value)));
}

// Lanes 0 to 7; the others are zero.
inline __m512 eight(__m256 v) { return _mm512_zextps256_ps512(v); }
inline void set_scales(Chunk& chunk, __m256 a, float zero) {
    chunk.a = eight(a);
    chunk.b = eight(_mm256_mul_ps(a, _mm256_set1_ps(-zero)));
}
inline void set_scales(Chunk& chunk, __m512 a, float zero) {
    chunk.a = a;
    chunk.b = _mm512_mul_ps(a, _mm512_set1_ps(-zero));
}

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

// The f16 scales at the start of eight blocks, kWords words apart.
template <int kWords>
__m256 block_scales(const uint8_t* p) {
    using Where = FirstWords<kWords>;
    static constexpr Where kWhere;
    __m128i words = _mm512_castsi512_si128(
        _mm512_permutex2var_epi16(load_512(p), _mm512_load_si512(kWhere.in_head), load_512(p + 64)));
    if constexpr (Where::kFirstInTail < 8) {
        const uint8_t* tail = p + 2 * Where::kTail;
        const __m512i rest =
            _mm512_permutex2var_epi16(load_512(tail), _mm512_load_si512(kWhere.in_tail), load_512(tail + 64));
        words = _mm_mask_mov_epi16(words, static_cast<__mmask8>(0xff << Where::kFirstInTail),
                                   _mm512_castsi512_si128(rest));
    }
    return _mm256_cvtph_ps(words);
}

// The same for pairs (scale, offset) in dwords kDwords apart.
template <int kDwords>
void block_scales_and_offsets(Chunk& chunk, const uint8_t* p) {
    alignas(32) static constexpr int32_t kOffsets[8] = {0,           kDwords,     2 * kDwords, 3 * kDwords,
                                                        4 * kDwords, 5 * kDwords, 6 * kDwords, 7 * kDwords};
    const __m256i index = _mm256_load_si256(reinterpret_cast<const __m256i*>(kOffsets));
    constexpr int kTailDword = 8 * kDwords - 32;
    const __m512i low =
        _mm512_permutex2var_epi32(load_512(p), _mm512_castsi256_si512(index), load_512(p + 64));
    const uint8_t* tail = p + 4 * kTailDword;
    const __m512i high = _mm512_permutex2var_epi32(
        load_512(tail), _mm512_castsi256_si512(_mm256_sub_epi32(index, _mm256_set1_epi32(kTailDword))),
        load_512(tail + 64));
    constexpr int kFirstInTail = (32 + kDwords - 1) / kDwords;
    const __m256i pairs =
        _mm256_mask_mov_epi32(_mm512_castsi512_si256(low), static_cast<__mmask8>(0xff << kFirstInTail),
                              _mm512_castsi512_si256(high));
    chunk.a = eight(_mm256_cvtph_ps(_mm256_cvtepi32_epi16(pairs)));
    chunk.b = eight(_mm256_cvtph_ps(_mm256_cvtepi32_epi16(_mm256_srli_epi32(pairs, 16))));
}

// Sixteen unsigned bytes as floats.
inline __m512 bytes_to_floats(__m128i bytes) { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes)); }

struct Q8_0 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 34;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, block_scales<17>(p), 128.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const __m512i q = join(load_256(p + 68 * j + 2), load_256(p + 68 * j + 36));
            chunk.u[j] = _mm512_xor_si512(q, _mm512_set1_epi8(-128));
        }
        return chunk;
    }
};

struct Q4_0 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 18;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, block_scales<9>(p), 8.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j)
            chunk.u[j] = nibbles_by_quarter(twice_each(p + 36 * j + 2, p + 36 * j + 20));
        return chunk;
    }
};

struct Q4_1 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 20;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        block_scales_and_offsets<5>(chunk, p);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j)
            chunk.u[j] = nibbles_by_quarter(twice_each(p + 40 * j + 4, p + 40 * j + 24));
        return chunk;
    }
};

// Adds 16 where the fifth bits of two blocks are set.
inline __m512i add_fifth_bits(__m512i u, uint32_t low, uint32_t high) {
    const auto mask = static_cast<__mmask64>(low | static_cast<uint64_t>(high) << 32);
    return _mm512_mask_add_epi8(u, mask, u, _mm512_set1_epi8(16));
}

struct Q5_0 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 22;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, block_scales<11>(p), 16.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const uint8_t* two = p + 44 * j;
            chunk.u[j] = add_fifth_bits(nibbles_by_quarter(twice_each(two + 6, two + 28)), load_u32(two + 2),
                                        load_u32(two + 24));
        }
        return chunk;
    }
};

struct Q5_1 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 24;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        block_scales_and_offsets<6>(chunk, p);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const uint8_t* two = p + 48 * j;
            chunk.u[j] = add_fifth_bits(nibbles_by_quarter(twice_each(two + 8, two + 32)), load_u32(two + 4),
                                        load_u32(two + 28));
        }
        return chunk;
    }
};

struct Q6_0 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 26;
    // Eight bytes hold the upper two bits of 32 elements: each quarter of a block finds them at another
    // place.
    static __m512i high_bits(const uint8_t* two) {
        const __m512i bytes = join(_mm256_set1_epi64x(static_cast<int64_t>(load_u64(two + 2))),
                                   _mm256_set1_epi64x(static_cast<int64_t>(load_u64(two + 28))));
        const __m512i turns = _mm512_set_epi64(62, 2, 0, 4, 62, 2, 0, 4);
        return _mm512_and_si512(_mm512_rolv_epi64(bytes, turns), _mm512_set1_epi8(0x30));
    }
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, block_scales<13>(p), 32.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const uint8_t* two = p + 52 * j;
            chunk.u[j] = _mm512_or_si512(nibbles_by_quarter(twice_each(two + 10, two + 36)), high_bits(two));
        }
        return chunk;
    }
};

// The 16 values of IQ4_NL plus 128, and those of MXFP4 plus 12, in each quarter of a register.
inline __m512i iq4_curve() {
    return _mm512_broadcast_i32x4(
        _mm_setr_epi8(1, 24, 45, 63, 79, 93, 106, 118, static_cast<char>(129), static_cast<char>(141),
                      static_cast<char>(153), static_cast<char>(166), static_cast<char>(181),
                      static_cast<char>(197), static_cast<char>(217), static_cast<char>(241)));
}
inline __m512i mxfp4_curve() {
    return _mm512_broadcast_i32x4(_mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0));
}

struct Iq4Nl {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 18;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk = Q4_0::decode(p);
        set_scales(chunk, _mm512_castps512_ps256(chunk.a), 128.0f);
#pragma GCC unroll 16
        for (__m512i& u : chunk.u) u = _mm512_shuffle_epi8(iq4_curve(), u);
        return chunk;
    }
};

struct Mxfp4 {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 8 * 17;
    // 2^(E - 128) for the exponent bytes of eight blocks; E = 0 and 1 are denormals.
    static __m256 scales(const uint8_t* p) {
        const __m256i e = _mm256_setr_epi32(p[0], p[17], p[34], p[51], p[68], p[85], p[102], p[119]);
        const __m256i one = _mm256_set1_epi32(1);
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, one), 23);
        const __m256i denormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x200000), e);
        return _mm256_castsi256_ps(_mm256_mask_mov_epi32(denormal, _mm256_cmpgt_epi32_mask(e, one), normal));
    }
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, scales(p), 12.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const uint8_t* two = p + 34 * j;
            chunk.u[j] =
                _mm512_shuffle_epi8(mxfp4_curve(), nibbles_by_quarter(twice_each(two + 1, two + 18)));
        }
        return chunk;
    }
};

// Q4_K and Q5_K: eight 6-bit scales and eight 6-bit minima in 12 bytes.
inline void set_k_scales(Chunk& chunk, const uint8_t* p) {
    const uint32_t s0 = load_u32(p + 4), s1 = load_u32(p + 8), s2 = load_u32(p + 12);
    const uint32_t high_scales = (s2 & 0x0f0f0f0f) | (s0 >> 2 & 0x30303030);
    const uint32_t high_minima = (s2 >> 4 & 0x0f0f0f0f) | (s1 >> 2 & 0x30303030);
    const __m128i bytes = _mm_set_epi64x(static_cast<int64_t>(s1 & 0x3f3f3f3f) |
                                             static_cast<int64_t>(static_cast<uint64_t>(high_minima) << 32),
                                         static_cast<int64_t>(s0 & 0x3f3f3f3f) |
                                             static_cast<int64_t>(static_cast<uint64_t>(high_scales) << 32));
    const __m512 factors =
        _mm512_insertf32x8(_mm512_set1_ps(load_f16(p)), _mm256_set1_ps(-load_f16(p + 2)), 1);
    chunk.a = _mm512_mul_ps(bytes_to_floats(bytes), factors);
    chunk.b = eight(_mm512_extractf32x8_ps(chunk.a, 1));
}

struct Q4K {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 144;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_k_scales(chunk, p);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) chunk.u[j] = nibbles_by_half(p + 16 + 32 * j);
        return chunk;
    }
};

struct Q5K {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 176;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_k_scales(chunk, p);
        const __m512i high = twice(load_256(p + 16));
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            chunk.u[j] = add_where_bits(nibbles_by_half(p + 48 + 32 * j), high, 2 * j, 16);
        }
        return chunk;
    }
};

struct Q2K {
    static constexpr int kGroup = 16;
    static constexpr int kChunkBytes = 84;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        const __m128i codes = load_128(p);
        const __m128i mask = _mm_set1_epi8(15);
        chunk.a =
            _mm512_mul_ps(bytes_to_floats(_mm_and_si128(codes, mask)), _mm512_set1_ps(load_f16(p + 80)));
        chunk.b = _mm512_mul_ps(bytes_to_floats(_mm_and_si128(_mm_srli_epi16(codes, 4), mask)),
                                _mm512_set1_ps(-load_f16(p + 82)));
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) chunk.u[j] = two_bits_by_half(p + 16 + 32 * (j / 2), 4 * (j % 2));
        return chunk;
    }
};

struct Q3K {
    static constexpr int kGroup = 16;
    static constexpr int kChunkBytes = 110;
    // Sixteen 6-bit scales in 12 bytes: low nibbles in the first eight, upper two bits in the last four.
    static __m512 scales(const uint8_t* p) {
        constexpr uint64_t kNibbles = 0x0f0f0f0f0f0f0f0f;
        const uint64_t low = load_u64(p + 96);
        const uint64_t high = load_u32(p + 104);
        const uint64_t first = (high << 4 & 0x30303030) | (high << 2 & 0x30303030) << 32;
        const uint64_t second = (high & 0x30303030) | (high >> 2 & 0x30303030) << 32;
        const __m128i bytes = _mm_set_epi64x(static_cast<int64_t>((low >> 4 & kNibbles) | second),
                                             static_cast<int64_t>((low & kNibbles) | first));
        return _mm512_mul_ps(_mm512_sub_ps(bytes_to_floats(bytes), _mm512_set1_ps(32.0f)),
                             _mm512_set1_ps(load_f16(p + 108)));
    }
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, scales(p), 4.0f);
        const __m512i high = twice(load_256(p));
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            chunk.u[j] = add_where_bits(two_bits_by_half(p + 32 + 32 * (j / 2), 4 * (j % 2)), high, 2 * j, 4);
        }
        return chunk;
    }
};

struct Q6K {
    static constexpr int kGroup = 16;
    static constexpr int kChunkBytes = 210;
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        const __m512 codes = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load_128(p + 192)));
        set_scales(chunk, _mm512_mul_ps(codes, _mm512_set1_ps(load_f16(p + 208))), 32.0f);
#pragma GCC unroll 16
        for (int half = 0; half < 2; ++half) {
            const __m512i low = load_512(p + 64 * half);
            const __m512i high = twice(load_256(p + 128 + 32 * half));
            const __m512i first = _mm512_sllv_epi16(high, counts_by_half(4, 2));
            const __m512i second = _mm512_srlv_epi16(high, counts_by_half(0, 2));
            chunk.u[2 * half] = combine(low, first);
            chunk.u[2 * half + 1] = combine(_mm512_srli_epi16(low, 4), second);
        }
        return chunk;
    }
    static __m512i combine(__m512i low, __m512i high) {
        return _mm512_or_si512(_mm512_and_si512(low, _mm512_set1_epi8(15)),
                               _mm512_and_si512(high, _mm512_set1_epi8(0x30)));
    }
};

struct Iq4Xs {
    static constexpr int kGroup = 32;
    static constexpr int kChunkBytes = 136;
    static __m256 scales(const uint8_t* p) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i low = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(load_u32(p + 4))),
                                              _mm256_slli_epi32(lane, 2));
        const __m256i high =
            _mm256_srlv_epi32(_mm256_set1_epi32(load_u16(p + 2)), _mm256_slli_epi32(lane, 1));
        const __m256i code =
            _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi32(15)),
                            _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(code, _mm256_set1_epi32(32))),
                             _mm256_set1_ps(load_f16(p)));
    }
    static Chunk decode(const uint8_t* p) {
        Chunk chunk;
        set_scales(chunk, scales(p), 128.0f);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const __m512i codes = nibbles_by_quarter(twice_each(p + 8 + 32 * j, p + 24 + 32 * j));
            chunk.u[j] = _mm512_shuffle_epi8(iq4_curve(), codes);
        }
        return chunk;
    }
};

}  // namespace
}  // namespace cria::cpu
