// Rows of floats in registers, for the AVX2 kernels.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cria::cpu {
namespace {

// Each type: 8 elements as floats.
struct F32 {
    static constexpr int kBytes = 4;
    static __m256 load(const std::byte* p) { return _mm256_loadu_ps(reinterpret_cast<const float*>(p)); }
};
struct F16 {
    static constexpr int kBytes = 2;
    static __m256 load(const std::byte* p) {
        return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
};
struct Bf16 {
    static constexpr int kBytes = 2;
    static __m256 load(const std::byte* p) {
        const __m256i halves = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
        return _mm256_castsi256_ps(_mm256_slli_epi32(halves, 16));
    }
};

// The first `count` (under 8) elements, then zeros.
template <typename Float>
__m256 load_some(const std::byte* p, int64_t count) {
    std::byte some[32] = {};
    std::memcpy(some, p, static_cast<size_t>(count * Float::kBytes));
    return Float::load(some);
}

}  // namespace
}  // namespace cria::cpu
