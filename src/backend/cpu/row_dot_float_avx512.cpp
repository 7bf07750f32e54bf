// Few activation rows times rows of floats, for AVX-512; and the int8 form of activations.
#include "backend/cpu/float_avx512.h"
#include "backend/cpu/halves_avx512.h"
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

// Four accumulators for each activation row, so that additions do not wait for each other.
template <typename Float, int kRows>
void multiply_row(const std::byte* w, const float* const (&x)[kRows], int64_t n, float (&out)[kRows]) {
    constexpr int kParts = 4;
    __m512 sums[kRows][kParts];
#pragma GCC unroll 16
    for (auto& row : sums) {
#pragma GCC unroll 16
        for (__m512& sum : row) sum = _mm512_setzero_ps();
    }
    int64_t i = 0;
    for (; i + 16 * kParts <= n; i += 16 * kParts) {
#pragma GCC unroll 16
        for (int part = 0; part < kParts; ++part) {
            const int64_t at = i + 16 * part;
            const __m512 weights = Float::load(w + at * Float::kBytes);
#pragma GCC unroll 16
            for (int t = 0; t < kRows; ++t) {
                sums[t][part] = _mm512_fmadd_ps(weights, _mm512_loadu_ps(x[t] + at), sums[t][part]);
            }
        }
    }
    for (; i < n; i += 16) {
        const auto mask = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
        const __m512 weights = Float::load(w + i * Float::kBytes, mask);
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            sums[t][0] = _mm512_fmadd_ps(weights, _mm512_maskz_loadu_ps(mask, x[t] + i), sums[t][0]);
        }
    }
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        out[t] = _mm512_reduce_add_ps(
            _mm512_add_ps(_mm512_add_ps(sums[t][0], sums[t][1]), _mm512_add_ps(sums[t][2], sums[t][3])));
    }
}

template <typename Float, int kRows>
void multiply_rows(const RowDotTask& task, int32_t first) {
    const float* x[kRows];
    const int32_t left = task.x.n_rows - first;
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t)
        x[t] = task.x.values + (first + (t < left ? t : left - 1)) * task.x.stride;
    for (int64_t row = 0; row < task.n_rows; ++row) {
        float out[kRows];
        multiply_row<Float>(task.weights + row * task.row_bytes, x, task.x.row_length, out);
#pragma GCC unroll 16
        for (int t = 0; t < kRows && t < left; ++t) task.out[(first + t) * task.out_stride + row] = out[t];
    }
}

template <typename Float>
void row_dot(const RowDotTask& task) {
    if (task.x.n_rows == 1) return multiply_rows<Float, 1>(task, 0);
    if (task.x.n_rows == 2) return multiply_rows<Float, 2>(task, 0);
    if (task.x.n_rows <= 4) return multiply_rows<Float, 4>(task, 0);
    return multiply_rows<Float, 8>(task, 0);
}

}  // namespace

RowDot float_row_dot_avx512(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return row_dot<F32>;
        case ElementType::f16:
            return row_dot<F16>;
        case ElementType::bf16:
            return row_dot<Bf16>;
        default:
            return row_dot_scalar;
    }
}

void quantize_row_avx512(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums) {
    const __m512 finite_limit = _mm512_set1_ps(3.402823466e38f);
    for (int64_t b = 0; b < row_length / kActivationBlock; ++b) {
        const __m512 low = _mm512_loadu_ps(x + 32 * b);
        const __m512 high = _mm512_loadu_ps(x + 32 * b + 16);
        const __m512 low_size = _mm512_abs_ps(low);
        const __m512 high_size = _mm512_abs_ps(high);
        const bool is_finite = (_mm512_cmp_ps_mask(low_size, finite_limit, _CMP_LE_OQ) &
                                _mm512_cmp_ps_mask(high_size, finite_limit, _CMP_LE_OQ)) == 0xffff;
        const float largest = _mm512_reduce_max_ps(_mm512_max_ps(low_size, high_size));
        const bool is_zero = !is_finite || largest < kActivationFloor;
        const __m512 inverse = _mm512_set1_ps(is_zero ? 0.0f : 127.0f / largest);
        const float scale = !is_finite ? __builtin_nanf("") : is_zero ? 0.0f : largest / 127.0f;
        __m512i low_q = _mm512_cvtps_epi32(_mm512_mul_ps(low, inverse));
        __m512i high_q = _mm512_cvtps_epi32(_mm512_mul_ps(high, inverse));
        if (is_zero) low_q = high_q = _mm512_setzero_si512();
        _mm_storeu_si128(reinterpret_cast<__m128i*>(q + piece_place(row_length, 2 * b)),
                         _mm512_cvtepi32_epi8(low_q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(q + piece_place(row_length, 2 * b + 1)),
                         _mm512_cvtepi32_epi8(high_q));
        const int low_sum = _mm512_reduce_add_epi32(low_q);
        const int high_sum = _mm512_reduce_add_epi32(high_q);
        scales[b] = scale;
        scaled_sums[b] = scale * static_cast<float>(low_sum + high_sum);
        half_sums[2 * b] = scale * static_cast<float>(low_sum);
        half_sums[2 * b + 1] = scale * static_cast<float>(high_sum);
    }
}

}  // namespace cria::cpu
