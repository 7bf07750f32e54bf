// Many activation rows times 16 rows of floats, for AVX2: the rows are turned into a tile of f32 with two
// registers per element.
#include "backend/cpu/float_avx2.h"
#include "backend/cpu/lanes_avx2.h"
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

// tile[k][16 rows], k up to the next multiple of 8.
template <typename Float>
void fill_tile(const PanelTask& task, float* tile) {
    const int64_t n = task.x.row_length;
    for (int first = 0; first < kPanelRows; first += 8) {
        for (int64_t k = 0; k < n; k += 8) {
            __m256i rows[8];
            for (int row = 0; row < 8; ++row) {
                const std::byte* p = task.weights + (first + row) * task.row_bytes + k * Float::kBytes;
                __m256 values = _mm256_setzero_ps();
                if (first + row < task.n_rows)
                    values = n - k >= 8 ? Float::load(p) : load_some<Float>(p, n - k);
                rows[row] = _mm256_castps_si256(values);
            }
            transpose(rows);
            for (int i = 0; i < 8; ++i) {
                _mm256_store_si256(reinterpret_cast<__m256i*>(tile + (k + i) * kPanelRows + first), rows[i]);
            }
        }
    }
}

template <int kRows>
void multiply_tile(const PanelTask& task, const float* tile, int32_t first) {
    const int64_t stride = task.x.stride;
    const float* x = task.x.values + first * stride;
    __m256 sums[kRows][2];
#pragma GCC unroll 6
    for (int t = 0; t < kRows; ++t) sums[t][0] = sums[t][1] = _mm256_setzero_ps();
    for (int64_t k = 0; k < task.x.row_length; ++k) {
        const __m256 low = _mm256_load_ps(tile + k * kPanelRows);
        const __m256 high = _mm256_load_ps(tile + k * kPanelRows + 8);
#pragma GCC unroll 6
        for (int t = 0; t < kRows; ++t) {
            const __m256 value = _mm256_set1_ps(x[t * stride + k]);
            sums[t][0] = _mm256_fmadd_ps(low, value, sums[t][0]);
            sums[t][1] = _mm256_fmadd_ps(high, value, sums[t][1]);
        }
    }
#pragma GCC unroll 6
    for (int t = 0; t < kRows; ++t) {
        alignas(32) float out[kPanelRows];
        _mm256_store_ps(out, sums[t][0]);
        _mm256_store_ps(out + 8, sums[t][1]);
        std::memcpy(task.out + (first + t) * task.out_stride, out,
                    sizeof(float) * static_cast<size_t>(task.n_rows));
    }
}

}  // namespace

size_t float_panel_scratch_bytes_avx2(int64_t row_length) {
    return static_cast<size_t>((row_length + 7) / 8 * 8) * kPanelRows * sizeof(float);
}

void float_panel_avx2(const PanelTask& task) {
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
    for (; t + 6 <= task.x.n_rows; t += 6) multiply_tile<6>(task, tile, t);
    for (; t + 2 <= task.x.n_rows; t += 2) multiply_tile<2>(task, tile, t);
    for (; t < task.x.n_rows; ++t) multiply_tile<1>(task, tile, t);
}

}  // namespace cria::cpu
