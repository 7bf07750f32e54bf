// Few activation rows times rows of floats, for AVX-512; and the int8 form of activations.
#include "backend/cpu/float_avx512.h"
#include "backend/cpu/halves_avx512.h"
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

// kWeights rows of weights times kRows activation rows: each activation is loaded once for all of them. Two
// accumulators for each output, whatever the numbers, so that results do not depend on them.
template <typename Float, int kWeights, int kRows>
struct Block {
    __m512 sums[kWeights][kRows][2];

    void clear() {
#pragma GCC unroll 4
        for (auto& row : sums) {
#pragma GCC unroll 8
            for (auto& output : row) output[0] = output[1] = _mm512_setzero_ps();
        }
    }
    // 16 elements from `at` on, to accumulator `part`.
    void add(const std::byte* w, int64_t row_bytes, const float* const (&x)[kRows], int64_t at,
             __mmask16 mask, int part) {
        __m512 values[kRows];
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) values[t] = _mm512_maskz_loadu_ps(mask, x[t] + at);
#pragma GCC unroll 4
        for (int r = 0; r < kWeights; ++r) {
            const __m512 weights = Float::load(w + r * row_bytes + at * Float::kBytes, mask);
#pragma GCC unroll 8
            for (int t = 0; t < kRows; ++t) {
                sums[r][t][part] = _mm512_fmadd_ps(weights, values[t], sums[r][t][part]);
            }
        }
    }
};

template <typename Float, int kWeights, int kRows>
void multiply_block(const RowDotTask& task, int64_t row, int32_t first) {
    const float* x[kRows];
    for (int t = 0; t < kRows; ++t) {
        const int64_t from = first + t < task.x.n_rows ? first + t : task.x.n_rows - 1;
        x[t] = task.x.values + from * task.x.stride;
    }
    const std::byte* w = task.weights + row * task.row_bytes;
    const int64_t n = task.x.row_length;
    Block<Float, kWeights, kRows> block;
    block.clear();
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        block.add(w, task.row_bytes, x, i, 0xffff, 0);
        block.add(w, task.row_bytes, x, i + 16, 0xffff, 1);
    }
    for (; i < n; i += 16) {
        const auto mask = static_cast<__mmask16>(n - i >= 16 ? 0xffff : (1 << (n - i)) - 1);
        block.add(w, task.row_bytes, x, i, mask, 0);
    }
#pragma GCC unroll 4
    for (int r = 0; r < kWeights; ++r) {
        for (int t = 0; t < kRows && first + t < task.x.n_rows; ++t) {
            const __m512 sum = _mm512_add_ps(block.sums[r][t][0], block.sums[r][t][1]);
            task.out[(first + t) * task.out_stride + row + r] = _mm512_reduce_add_ps(sum);
        }
    }
}

// More than kRows activation rows take further passes, with the weights in the nearest cache.
template <typename Float, int kWeights, int kRows>
void multiply_rows(const RowDotTask& task) {
    int64_t row = 0;
    for (; row + kWeights <= task.n_rows; row += kWeights) {
        for (int32_t t = 0; t < task.x.n_rows; t += kRows)
            multiply_block<Float, kWeights, kRows>(task, row, t);
    }
    for (; row < task.n_rows; ++row) {
        for (int32_t t = 0; t < task.x.n_rows; t += kRows) multiply_block<Float, 1, kRows>(task, row, t);
    }
}

template <typename Float>
void row_dot(const RowDotTask& task) {
    if (task.x.n_rows == 1) return multiply_rows<Float, 4, 1>(task);
    if (task.x.n_rows == 2) return multiply_rows<Float, 4, 2>(task);
    return multiply_rows<Float, 2, 4>(task);
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
