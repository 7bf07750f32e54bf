// Rows of floats in registers, for the AVX-512 kernels.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace cria::cpu {
namespace {

// Each type: 16 elements as floats; with a mask, the others are zero and not read.
struct F32 {
    static constexpr int kBytes = 4;
    static __m512 load(const std::byte* p) { return _mm512_loadu_ps(p); }
    static __m512 load(const std::byte* p, __mmask16 mask) { return _mm512_maskz_loadu_ps(mask, p); }
};
struct F16 {
    static constexpr int kBytes = 2;
    static __m512 load(const std::byte* p) {
        return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static __m512 load(const std::byte* p, __mmask16 mask) {
        return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, p));
    }
};
struct Bf16 {
    static constexpr int kBytes = 2;
    static __m512 widen(__m256i halves) {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
    static __m512 load(const std::byte* p) {
        return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
    }
    static __m512 load(const std::byte* p, __mmask16 mask) {
        return widen(_mm256_maskz_loadu_epi16(mask, p));
    }
};

}  // namespace
}  // namespace cria::cpu
