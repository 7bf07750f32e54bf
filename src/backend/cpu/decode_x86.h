// Decoders from the bytes of quantised rows to registers, 256 elements at a time, for AVX2 and above; the few
// steps that differ are a Set's (set_avx2.h, set_avx512.h). w = a[group] * u + b[group]. Formats of up to 7
// bits come as unsigned bytes with their zero point folded into b; the others are signed (kIsSigned).
// Everything is in an unnamed namespace: no inline function compiled for a set may reach others.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace cria::cpu {
namespace {

// One value per group: eight in the first register, the groups 8 to 15 (when groups are of 16) in the second.
struct Scales {
    __m256 a[2];
    __m256 b[2];
};
// 64 elements.
struct Part {
    __m256i u[2];
};

inline __m128i load_128(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline __m256i load_256(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
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

inline __m256i low_nibbles(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi8(15)); }
inline __m256i high_nibbles(__m256i v) { return low_nibbles(_mm256_srli_epi16(v, 4)); }
// 16 bytes: low nibbles, then high nibbles.
inline __m256i nibbles(const uint8_t* p) {
    const __m128i v = load_128(p);
    return low_nibbles(_mm256_set_m128i(_mm_srli_epi16(v, 4), v));
}
inline void set_scales(Scales& scales, __m256 a, float zero) {
    scales.a[0] = a;
    scales.b[0] = _mm256_mul_ps(a, _mm256_set1_ps(-zero));
}
// Eight bytes as floats, from byte `first` on.
inline __m256 bytes_to_floats(__m128i bytes) { return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)); }
// Sixteen factors times d, for groups of 16.
inline void set_scales_16(Scales& scales, __m256 low, __m256 high, float d, float zero) {
    const __m256 factor = _mm256_set1_ps(d);
    const __m256 shift = _mm256_set1_ps(-zero);
    const __m256 low_a = _mm256_mul_ps(low, factor);
    const __m256 high_a = _mm256_mul_ps(high, factor);
    scales.a[0] = low_a;
    scales.a[1] = high_a;
    scales.b[0] = _mm256_mul_ps(low_a, shift);
    scales.b[1] = _mm256_mul_ps(high_a, shift);
}

// kQuadsPerSum: how many vpmaddubsw results may be added in 16 bits.
template <typename Set>
struct Q8_0 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 34, kQuadsPerSum = 1;
    static constexpr bool kIsSigned = true, kHasOffset = false;
    static void scales(const uint8_t* p, Scales& scales) {
        set_scales(scales, Set::template eight_f16<34>(p), 0.0f);
    }
    static Part part(const uint8_t* p, int j) {
        return {{load_256(p + 68 * j + 2), load_256(p + 68 * j + 36)}};
    }
};

template <typename Set>
struct Q4_0 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 18, kQuadsPerSum = 8;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        set_scales(scales, Set::template eight_f16<18>(p), 8.0f);
    }
    static Part part(const uint8_t* p, int j) {
        return {{nibbles(p + 36 * j + 2), nibbles(p + 36 * j + 20)}};
    }
};

template <typename Set>
struct Q4_1 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 20, kQuadsPerSum = 8;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        Set::template eight_f16_pairs<20>(p, scales.a[0], scales.b[0]);
    }
    static Part part(const uint8_t* p, int j) {
        return {{nibbles(p + 40 * j + 4), nibbles(p + 40 * j + 24)}};
    }
};

template <typename Set>
struct Q5_0 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 22, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        set_scales(scales, Set::template eight_f16<22>(p), 16.0f);
    }
    static __m256i block(const uint8_t* p) { return Set::add_fifth_bits(nibbles(p + 6), load_u32(p + 2)); }
    static Part part(const uint8_t* p, int j) { return {{block(p + 44 * j), block(p + 44 * j + 22)}}; }
};

template <typename Set>
struct Q5_1 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 24, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        Set::template eight_f16_pairs<24>(p, scales.a[0], scales.b[0]);
    }
    static __m256i block(const uint8_t* p) { return Set::add_fifth_bits(nibbles(p + 8), load_u32(p + 4)); }
    static Part part(const uint8_t* p, int j) { return {{block(p + 48 * j), block(p + 48 * j + 24)}}; }
};

template <typename Set>
struct Q6_0 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 26, kQuadsPerSum = 2;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        set_scales(scales, Set::template eight_f16<26>(p), 32.0f);
    }
    // Eight bytes hold the upper two bits of 32 elements: each quarter finds them at another place.
    static __m256i block(const uint8_t* p) {
        const __m256i bytes = _mm256_set1_epi64x(static_cast<int64_t>(load_u64(p + 2)));
        const __m256i moved = _mm256_srlv_epi64(_mm256_sllv_epi64(bytes, _mm256_setr_epi64x(4, 0, 2, 0)),
                                                _mm256_setr_epi64x(0, 0, 0, 2));
        return _mm256_or_si256(nibbles(p + 10), _mm256_and_si256(moved, _mm256_set1_epi8(0x30)));
    }
    static Part part(const uint8_t* p, int j) { return {{block(p + 52 * j), block(p + 52 * j + 26)}}; }
};

inline __m256i iq4_curve() {
    return _mm256_broadcastsi128_si256(
        _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113));
}

template <typename Set>
struct Iq4Nl {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 18, kQuadsPerSum = 1;
    static constexpr bool kIsSigned = true, kHasOffset = false;
    static void scales(const uint8_t* p, Scales& scales) {
        set_scales(scales, Set::template eight_f16<18>(p), 0.0f);
    }
    static Part part(const uint8_t* p, int j) {
        return {{_mm256_shuffle_epi8(iq4_curve(), nibbles(p + 36 * j + 2)),
                 _mm256_shuffle_epi8(iq4_curve(), nibbles(p + 36 * j + 20))}};
    }
};

// MXFP4's values plus 12.
inline __m128i mxfp4_curve() {
    return _mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
}

template <typename Set>
struct Mxfp4 {
    static constexpr int kGroup = 32, kChunkBytes = 8 * 17, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    // 2^(E - 128) for the exponent bytes of eight blocks; E = 0 and 1 are denormals.
    static void scales(const uint8_t* p, Scales& scales) {
        const __m256i e = _mm256_setr_epi32(p[0], p[17], p[34], p[51], p[68], p[85], p[102], p[119]);
        const __m256i one = _mm256_set1_epi32(1);
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, one), 23);
        const __m256i denormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x200000), e);
        const __m256i bits = _mm256_blendv_epi8(denormal, normal, _mm256_cmpgt_epi32(e, one));
        set_scales(scales, _mm256_castsi256_ps(bits), 12.0f);
    }
    static __m256i block(const uint8_t* p) {
        const __m256i curve = _mm256_broadcastsi128_si256(mxfp4_curve());
        return _mm256_shuffle_epi8(curve, nibbles(p + 1));
    }
    static Part part(const uint8_t* p, int j) { return {{block(p + 34 * j), block(p + 34 * j + 17)}}; }
};

// Q4_K and Q5_K: eight 6-bit scales and eight 6-bit minima in the 12 bytes s0, s1, s2 (dwords). Their upper
// or lower bits are gathered as (s0, s2, s1, s2 >> 4), the other bits as (-, s0 >> 2, -, s1 >> 2).
inline void set_k_scales(const uint8_t* p, Scales& scales) {
    const __m128i s = load_128(p + 4);
    const __m128i low = _mm_and_si128(_mm_srlv_epi32(_mm_shuffle_epi32(s, 0x98), _mm_setr_epi32(0, 0, 0, 4)),
                                      _mm_setr_epi32(0x3f3f3f3f, 0x0f0f0f0f, 0x3f3f3f3f, 0x0f0f0f0f));
    const __m128i high = _mm_and_si128(_mm_srli_epi32(_mm_shuffle_epi32(s, 0x50), 2),
                                       _mm_setr_epi32(0, 0x30303030, 0, 0x30303030));
    const __m128i codes = _mm_or_si128(low, high);
    const __m256i halves = _mm256_set1_epi32(static_cast<int>(load_u32(p)));
    const __m256 d =
        _mm256_cvtph_ps(_mm_shufflelo_epi16(_mm_shufflehi_epi16(_mm256_castsi256_si128(halves), 0x00), 0x00));
    const __m256 dmin =
        _mm256_cvtph_ps(_mm_shufflelo_epi16(_mm_shufflehi_epi16(_mm256_castsi256_si128(halves), 0x55), 0x55));
    const __m256 minus = _mm256_xor_ps(dmin, _mm256_set1_ps(-0.0f));
    scales.a[0] = _mm256_mul_ps(bytes_to_floats(codes), d);
    scales.b[0] = _mm256_mul_ps(bytes_to_floats(_mm_srli_si128(codes, 8)), minus);
}

template <typename Set>
struct Q4K {
    static constexpr int kGroup = 32, kChunkBytes = 144, kQuadsPerSum = 8;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) { set_k_scales(p, scales); }
    static Part part(const uint8_t* p, int j) {
        const __m256i v = load_256(p + 16 + 32 * j);
        return {{low_nibbles(v), high_nibbles(v)}};
    }
};

template <typename Set>
struct Q5K {
    static constexpr int kGroup = 32, kChunkBytes = 176, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) { set_k_scales(p, scales); }
    static Part part(const uint8_t* p, int j) {
        const __m256i v = load_256(p + 48 + 32 * j);
        const __m256i high = load_256(p + 16);
        const __m256i first = _mm256_set1_epi8(static_cast<char>(1 << (2 * j)));
        const __m256i second = _mm256_set1_epi8(static_cast<char>(2 << (2 * j)));
        return {{Set::add_where(low_nibbles(v), high, first, 16),
                 Set::add_where(high_nibbles(v), high, second, 16)}};
    }
};

// Bits [shift, shift + 2) of bytes, and the two above them.
inline Part two_bits(const uint8_t* p, int shift) {
    const __m256i v = load_256(p);
    const __m256i mask = _mm256_set1_epi8(3);
    return {{_mm256_and_si256(_mm256_srli_epi16(v, shift), mask),
             _mm256_and_si256(_mm256_srli_epi16(v, shift + 2), mask)}};
}

template <typename Set>
struct Q2K {
    static constexpr int kGroup = 16, kChunkBytes = 84, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        const __m128i mask = _mm_set1_epi8(15);
        const __m128i codes = _mm_and_si128(load_128(p), mask);
        const __m128i minima = _mm_and_si128(_mm_srli_epi16(load_128(p), 4), mask);
        const __m256 d = _mm256_set1_ps(load_f16(p + 80));
        const __m256 dmin = _mm256_set1_ps(-load_f16(p + 82));
        scales.a[0] = _mm256_mul_ps(bytes_to_floats(codes), d);
        scales.a[1] = _mm256_mul_ps(bytes_to_floats(_mm_srli_si128(codes, 8)), d);
        scales.b[0] = _mm256_mul_ps(bytes_to_floats(minima), dmin);
        scales.b[1] = _mm256_mul_ps(bytes_to_floats(_mm_srli_si128(minima, 8)), dmin);
    }
    static Part part(const uint8_t* p, int j) { return two_bits(p + 16 + 32 * (j / 2), 4 * (j % 2)); }
};

template <typename Set>
struct Q3K {
    static constexpr int kGroup = 16, kChunkBytes = 110, kQuadsPerSum = 4;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    // Sixteen 6-bit scales in 12 bytes: low nibbles in the first eight, upper two bits in the last four.
    static void scales(const uint8_t* p, Scales& scales) {
        constexpr uint64_t kNibbles = 0x0f0f0f0f0f0f0f0f;
        const uint64_t low = load_u64(p + 96);
        const uint64_t high = load_u32(p + 104);
        const uint64_t first = (high << 4 & 0x30303030) | (high << 2 & 0x30303030) << 32;
        const uint64_t second = (high & 0x30303030) | (high >> 2 & 0x30303030) << 32;
        const __m256 offset = _mm256_set1_ps(32.0f);
        const auto floats = [offset](uint64_t bytes) {
            return _mm256_sub_ps(bytes_to_floats(_mm_cvtsi64_si128(static_cast<int64_t>(bytes))), offset);
        };
        set_scales_16(scales, floats((low & kNibbles) | first), floats((low >> 4 & kNibbles) | second),
                      load_f16(p + 108), 4.0f);
    }
    static Part part(const uint8_t* p, int j) {
        Part part = two_bits(p + 32 + 32 * (j / 2), 4 * (j % 2));
        const __m256i high = load_256(p);
        const __m256i first = _mm256_set1_epi8(static_cast<char>(1 << (2 * j)));
        const __m256i second = _mm256_set1_epi8(static_cast<char>(2 << (2 * j)));
        part.u[0] = Set::add_where(part.u[0], high, first, 4);
        part.u[1] = Set::add_where(part.u[1], high, second, 4);
        return part;
    }
};

template <typename Set>
struct Q6K {
    static constexpr int kGroup = 16, kChunkBytes = 210, kQuadsPerSum = 2;
    static constexpr bool kIsSigned = false, kHasOffset = true;
    static void scales(const uint8_t* p, Scales& scales) {
        const __m128i codes = load_128(p + 192);
        set_scales_16(scales, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(codes)),
                      _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(codes, 8))), load_f16(p + 208),
                      32.0f);
    }
    static Part part(const uint8_t* p, int j) {
        const uint8_t* low = p + 64 * (j / 2);
        const Part high = two_bits(p + 128 + 32 * (j / 2), 4 * (j % 2));
        const int shift = 4 * (j % 2);
        return {{_mm256_or_si256(low_nibbles(_mm256_srli_epi16(load_256(low), shift)),
                                 _mm256_slli_epi16(high.u[0], 4)),
                 _mm256_or_si256(low_nibbles(_mm256_srli_epi16(load_256(low + 32), shift)),
                                 _mm256_slli_epi16(high.u[1], 4))}};
    }
};

template <typename Set>
struct Iq4Xs {
    static constexpr int kGroup = 32, kChunkBytes = 136, kQuadsPerSum = 1;
    static constexpr bool kIsSigned = true, kHasOffset = false;
    static void scales(const uint8_t* p, Scales& scales) {
        const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        const __m256i low = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(load_u32(p + 4))),
                                              _mm256_slli_epi32(lane, 2));
        const __m256i high =
            _mm256_srlv_epi32(_mm256_set1_epi32(load_u16(p + 2)), _mm256_slli_epi32(lane, 1));
        const __m256i code =
            _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi32(15)),
                            _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4));
        const __m256 factors = _mm256_cvtepi32_ps(_mm256_sub_epi32(code, _mm256_set1_epi32(32)));
        set_scales(scales, _mm256_mul_ps(factors, _mm256_set1_ps(load_f16(p))), 0.0f);
    }
    static Part part(const uint8_t* p, int j) {
        return {{_mm256_shuffle_epi8(iq4_curve(), nibbles(p + 8 + 32 * j)),
                 _mm256_shuffle_epi8(iq4_curve(), nibbles(p + 24 + 32 * j))}};
    }
};

}  // namespace
}  // namespace cria::cpu
