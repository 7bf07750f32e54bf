// Many activation rows times 16 rows of floats, for AVX-512: the rows are turned into a tile of f32 with one
// register per element.
#include "backend/cpu/float_avx512.h"
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/transpose_avx512.h"

namespace cria::cpu {
namespace {

// tile[k][16 rows], k up to the next multiple of 16.
template <typename Float>
void fill_tile(const PanelTask& task, float* tile) {
    const int64_t n = task.x.row_length;
    __m512i rows[16];
    for (int64_t k = 0; k < n; k += 16) {
        const auto mask = static_cast<__mmask16>(n - k >= 16 ? 0xffff : (1 << (n - k)) - 1);
        for (int row = 0; row < kPanelRows; ++row) {
            rows[row] = row >= task.n_rows
                            ? _mm512_setzero_si512()
                            : _mm512_castps_si512(
                                  Float::load(task.weights + row * task.row_bytes + k * Float::kBytes, mask));
        }
        transpose(rows);
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) _mm512_store_si512(tile + (k + i) * kPanelRows, rows[i]);
    }
}

// Eight elements at a time, so that the tile's registers are loaded once for all kRows activation rows from
// `first` on.
template <int kRows>
void multiply_tile(const PanelTask& task, const float* tile, int32_t first) {
    constexpr int kSteps = 8;
    const int64_t n = task.x.row_length;
    const float* x = task.x.values + first * task.x.stride;
    __m512 sums[kRows];
#pragma GCC unroll 16
    for (__m512& sum : sums) sum = _mm512_setzero_ps();
    int64_t k = 0;
    for (; k + kSteps <= n; k += kSteps) {
        __m512 w[kSteps];
#pragma GCC unroll 16
        for (int i = 0; i < kSteps; ++i) w[i] = _mm512_load_ps(tile + (k + i) * kPanelRows);
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            const float* values = x + t * task.x.stride + k;
#pragma GCC unroll 16
            for (int i = 0; i < kSteps; ++i)
                sums[t] = _mm512_fmadd_ps(w[i], _mm512_set1_ps(values[i]), sums[t]);
        }
    }
    for (; k < n; ++k) {
        const __m512 w = _mm512_load_ps(tile + k * kPanelRows);
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            sums[t] = _mm512_fmadd_ps(w, _mm512_set1_ps(x[t * task.x.stride + k]), sums[t]);
        }
    }
    const auto mask = static_cast<__mmask16>((1u << task.n_rows) - 1);
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        _mm512_mask_storeu_ps(task.out + (first + t) * task.out_stride, mask, sums[t]);
    }
}

}  // namespace

size_t float_panel_scratch_bytes_avx512(int64_t row_length) {
    return static_cast<size_t>((row_length + 15) / 16 * 16) * kPanelRows * sizeof(float);
}

void float_panel_avx512(const PanelTask& task) {
    auto* tile = reinterpret_cast<float*>(task.scratch);
    switch (task.type->type) {
        case ElementType::f32:
            fill_tile<F32>(task, tile);
            break;
        case ElementType::f16:
            fill_tile<F16>(task, tile);
            break;
        case ElementType::bf16:
            fill_tile<Bf16>(task, tile);
            break;
        default:
            return panel_product_scalar(task);
    }
    int32_t t = 0;
    for (; t + 16 <= task.x.n_rows; t += 16) multiply_tile<16>(task, tile, t);
    for (; t + 8 <= task.x.n_rows; t += 8) multiply_tile<8>(task, tile, t);
    for (; t + 4 <= task.x.n_rows; t += 4) multiply_tile<4>(task, tile, t);
    for (; t < task.x.n_rows; ++t) multiply_tile<1>(task, tile, t);
}

}  // namespace cria::cpu
