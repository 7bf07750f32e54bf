// Few activation rows times quantised rows, for AVX2. One weight row after the other, 256 elements at a time,
// decoded in registers and multiplied with up to four activation rows; eight rows take two passes, the second
// from the nearest cache.
#include "backend/cpu/lanes_avx2.h"
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/rows_avx2.h"

namespace cria::cpu {
namespace {

// The int8 form of kRows activation rows, from some chunk on.
template <int kRows>
struct Activation8 {
    const int8_t* q[kRows];
    const float* scales[kRows];
    const float* scaled_sums[kRows];
    const float* half_sums[kRows];
};

// Two accumulators for each activation row: one would make the loop wait for its own additions.
template <int kRows>
struct Sums {
    __m256 even[kRows];
    __m256 odd[kRows];
};

// Products of 32 elements in eight sums of four.
template <bool kIsSigned>
inline __m256 dot_32(__m256i w, const int8_t* q) {
    const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
    const __m256i pairs = kIsSigned ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w))
                                    : _mm256_maddubs_epi16(w, x);
    return _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

// a times the activation's scale, one for each group.
template <int kGroup>
inline void set_factors(const Scales& w, const float* x_scales, float (&factors)[16]) {
    const __m256 scales = _mm256_loadu_ps(x_scales);
    if constexpr (kGroup == 32) {
        _mm256_store_ps(factors, _mm256_mul_ps(_mm256_load_ps(w.a), scales));
    } else {
        const __m256 low = _mm256_permutevar8x32_ps(scales, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3));
        const __m256 high = _mm256_permutevar8x32_ps(scales, _mm256_setr_epi32(4, 4, 5, 5, 6, 6, 7, 7));
        _mm256_store_ps(factors, _mm256_mul_ps(_mm256_load_ps(w.a), low));
        _mm256_store_ps(factors + 8, _mm256_mul_ps(_mm256_load_ps(w.a + 8), high));
    }
}

// The factor of each lane of block `block` (32 elements).
template <int kGroup>
inline __m256 block_factor(const float (&factors)[16], int block) {
    if constexpr (kGroup == 32) return _mm256_set1_ps(factors[block]);
    return _mm256_set_m128(_mm_set1_ps(factors[2 * block + 1]), _mm_set1_ps(factors[2 * block]));
}

template <typename Rows, int kRows>
inline void multiply(const auto& chunk, const Activation8<kRows>& x, int64_t index, Sums<kRows>& sums) {
    constexpr int kGroup = Rows::kGroup;
    Scales w;
    chunk.scales(w);
    alignas(32) float factors[kRows][16];
#pragma GCC unroll 4
    for (int t = 0; t < kRows; ++t) {
        set_factors<kGroup>(w, x.scales[t] + 8 * index, factors[t]);
        if constexpr (!Rows::kHasOffset) continue;
        if constexpr (kGroup == 32) {
            sums.odd[t] = _mm256_fmadd_ps(_mm256_load_ps(w.b), _mm256_loadu_ps(x.scaled_sums[t] + 8 * index),
                                          sums.odd[t]);
        } else {
            const float* x_sums = x.half_sums[t] + 16 * index;
            sums.odd[t] = _mm256_fmadd_ps(_mm256_load_ps(w.b), _mm256_loadu_ps(x_sums), sums.odd[t]);
            sums.even[t] =
                _mm256_fmadd_ps(_mm256_load_ps(w.b + 8), _mm256_loadu_ps(x_sums + 8), sums.even[t]);
        }
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
        const Part part = chunk.part(j);
#pragma GCC unroll 4
        for (int t = 0; t < kRows; ++t) {
            const int8_t* q = x.q[t] + 256 * index + 64 * j;
            sums.even[t] = _mm256_fmadd_ps(dot_32<Rows::kIsSigned>(part.u[0], q),
                                           block_factor<kGroup>(factors[t], 2 * j), sums.even[t]);
            sums.odd[t] = _mm256_fmadd_ps(dot_32<Rows::kIsSigned>(part.u[1], q + 32),
                                          block_factor<kGroup>(factors[t], 2 * j + 1), sums.odd[t]);
        }
    }
}

// The last, incomplete chunk of the activations, padded with zeros.
struct Tail {
    int64_t count;
    alignas(32) int8_t q[kMaxFewRows][256];
    alignas(32) float scales[kMaxFewRows][8];
    alignas(32) float scaled_sums[kMaxFewRows][8];
    alignas(32) float half_sums[kMaxFewRows][16];
};

void fill_tail(Tail& tail, const Activations& x) {
    const int64_t count = x.row_length % kIntChunk;
    std::memset(&tail, 0, sizeof tail);
    tail.count = count;
    if (count == 0) return;
    const size_t blocks = static_cast<size_t>(count) / 32;
    for (int64_t t = 0; t < x.n_rows; ++t) {
        const int64_t first = (t + 1) * x.row_length - count;
        std::memcpy(tail.q[t], x.q + first, 32 * blocks);
        std::memcpy(tail.scales[t], x.scales + first / 32, sizeof(float) * blocks);
        std::memcpy(tail.scaled_sums[t], x.scaled_sums + first / 32, sizeof(float) * blocks);
        std::memcpy(tail.half_sums[t], x.half_sums + first / 16, sizeof(float) * 2 * blocks);
    }
}

// Rows first + t of x, or the last one where x has fewer rows than the kernel.
template <int kRows>
Activation8<kRows> activation_rows(const Activations& x, int first) {
    Activation8<kRows> rows;
    const int64_t blocks = x.row_length / 32;
    for (int t = 0; t < kRows; ++t) {
        const int64_t row = first + t < x.n_rows ? first + t : x.n_rows - 1;
        rows.q[t] = x.q + row * x.row_length;
        rows.scales[t] = x.scales + row * blocks;
        rows.scaled_sums[t] = x.scaled_sums + row * blocks;
        rows.half_sums[t] = x.half_sums + row * 2 * blocks;
    }
    return rows;
}

template <int kRows>
Activation8<kRows> tail_rows(const Tail& tail, int first) {
    Activation8<kRows> rows;
    for (int t = 0; t < kRows; ++t) {
        rows.q[t] = tail.q[first + t];
        rows.scales[t] = tail.scales[first + t];
        rows.scaled_sums[t] = tail.scaled_sums[first + t];
        rows.half_sums[t] = tail.half_sums[first + t];
    }
    return rows;
}

// One weight row times kRows activation rows from `first` on.
template <typename Rows, int kRows>
void multiply_row(const RowDotTask& task, const Rows& weights, const Tail& tail, int64_t row, int first) {
    const Activation8<kRows> x = activation_rows<kRows>(task.x, first);
    const int64_t n_chunks = task.x.row_length / kIntChunk;
    Sums<kRows> sums;
#pragma GCC unroll 4
    for (int t = 0; t < kRows; ++t) sums.even[t] = sums.odd[t] = _mm256_setzero_ps();
    for (int64_t index = 0; index < n_chunks; ++index) {
        multiply<Rows>(weights.chunk(row, index), x, index, sums);
    }
    if (tail.count != 0) {
        multiply<Rows>(weights.end(row, n_chunks, tail.count), tail_rows<kRows>(tail, first), 0, sums);
    }
    for (int t = 0; t < kRows && first + t < task.x.n_rows; ++t) {
        task.out[(first + t) * task.out_stride + row] = lanes_sum(_mm256_add_ps(sums.even[t], sums.odd[t]));
    }
}

template <typename Rows>
struct FewRows {
    static void run(const RowDotTask& task) {
        const Rows weights(*task.type, task.weights, task.row_bytes);
        Tail tail;
        fill_tail(tail, task.x);
        for (int64_t row = 0; row < task.n_rows; ++row) {
            for (int t = 0; t < task.x.n_rows; t += 4) {
                const int left = task.x.n_rows - t;
                if (left == 1) {
                    multiply_row<Rows, 1>(task, weights, tail, row, t);
                } else if (left == 2) {
                    multiply_row<Rows, 2>(task, weights, tail, row, t);
                } else {
                    multiply_row<Rows, 4>(task, weights, tail, row, t);
                }
            }
        }
    }
};

}  // namespace

RowDot quantized_row_dot_avx2(ElementType type) { return quantized_kernel<FewRows>(type); }

}  // namespace cria::cpu
