// Few activation rows times quantised rows, for AVX-512 with VNNI. One weight row after the other, 256
// elements at a time: the chunk is decoded to unsigned bytes once and multiplied with every activation row.
#include "backend/cpu/chunk_avx512.h"
#include "backend/cpu/matmul_sets.h"

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
    __m512 even[kRows];
    __m512 odd[kRows];
};

// Lanes of `a` for register j of a chunk: each of its groups as often as it has lanes.
template <int kGroup>
__m512i group_lanes(int j) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_srli_epi32(lane, kGroup == 32 ? 3 : 2),
                            _mm512_set1_epi32(j * 64 / kGroup));
}

template <int kGroup, int kRows>
inline void multiply(const Chunk& w, const Activation8<kRows>& x, int64_t index, Sums<kRows>& sums) {
    const __m512i pairs = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        __m512 scales = eight(_mm256_loadu_ps(x.scales[t] + 8 * index));
        __m512 x_sums;
        if constexpr (kGroup == 16) {
            scales = _mm512_permutexvar_ps(pairs, scales);
            x_sums = _mm512_loadu_ps(x.half_sums[t] + 16 * index);
        } else {
            x_sums = eight(_mm256_loadu_ps(x.scaled_sums[t] + 8 * index));
        }
        const __m512 factors = _mm512_mul_ps(w.a, scales);
        sums.odd[t] = _mm512_fmadd_ps(w.b, x_sums, sums.odd[t]);
#pragma GCC unroll 16
        for (int j = 0; j < 4; ++j) {
            const __m512i q = _mm512_loadu_si512(x.q[t] + 256 * index + 64 * j);
            const __m512 dots = _mm512_cvtepi32_ps(_mm512_dpbusd_epi32(_mm512_setzero_si512(), w.u[j], q));
            const __m512 factor = _mm512_permutexvar_ps(group_lanes<kGroup>(j), factors);
            __m512& sum = j % 2 == 0 ? sums.even[t] : sums.odd[t];
            sum = _mm512_fmadd_ps(dots, factor, sum);
        }
    }
}

// The last, incomplete chunk of the activations, padded with zeros.
struct Tail {
    int64_t count = 0;
    alignas(64) int8_t q[kMaxFewRows][256];
    alignas(64) float scales[kMaxFewRows][8];
    alignas(64) float scaled_sums[kMaxFewRows][8];
    alignas(64) float half_sums[kMaxFewRows][16];
};

void fill_tail(Tail& tail, const Activations& x) {
    tail.count = x.row_length % kIntChunk;
    if (tail.count == 0) return;
    std::memset(tail.q, 0, sizeof tail.q);
    std::memset(tail.scales, 0, sizeof tail.scales);
    std::memset(tail.scaled_sums, 0, sizeof tail.scaled_sums);
    std::memset(tail.half_sums, 0, sizeof tail.half_sums);
    const size_t blocks = static_cast<size_t>(tail.count) / 32;
    for (int64_t t = 0; t < x.n_rows; ++t) {
        const int64_t first = (t + 1) * x.row_length - tail.count;
        std::memcpy(tail.q[t], x.q + first, 32 * blocks);
        std::memcpy(tail.scales[t], x.scales + first / 32, sizeof(float) * blocks);
        std::memcpy(tail.scaled_sums[t], x.scaled_sums + first / 32, sizeof(float) * blocks);
        std::memcpy(tail.half_sums[t], x.half_sums + first / 16, sizeof(float) * 2 * blocks);
    }
}

// Row t of x, or the last one where x has fewer rows than the kernel.
template <int kRows>
Activation8<kRows> activation_rows(const Activations& x) {
    Activation8<kRows> rows;
    const int64_t blocks = x.row_length / 32;
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        const int64_t row = t < x.n_rows ? t : x.n_rows - 1;
        rows.q[t] = x.q + row * x.row_length;
        rows.scales[t] = x.scales + row * blocks;
        rows.scaled_sums[t] = x.scaled_sums + row * blocks;
        rows.half_sums[t] = x.half_sums + row * 2 * blocks;
    }
    return rows;
}

template <int kRows>
Activation8<kRows> tail_rows(const Tail& tail) {
    Activation8<kRows> rows;
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        rows.q[t] = tail.q[t];
        rows.scales[t] = tail.scales[t];
        rows.scaled_sums[t] = tail.scaled_sums[t];
        rows.half_sums[t] = tail.half_sums[t];
    }
    return rows;
}

template <typename Rows, int kRows>
void multiply_rows(const RowDotTask& task) {
    const Rows weights(*task.type, task.weights, task.row_bytes);
    const Activation8<kRows> x = activation_rows<kRows>(task.x);
    Tail tail;
    fill_tail(tail, task.x);
    const Activation8<kRows> x_tail = tail_rows<kRows>(tail);
    const int64_t n_chunks = task.x.row_length / kIntChunk;
    for (int64_t row = 0; row < task.n_rows; ++row) {
        Sums<kRows> sums;
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) sums.even[t] = sums.odd[t] = _mm512_setzero_ps();
        for (int64_t index = 0; index < n_chunks; ++index) {
            multiply<Rows::kGroup>(weights.chunk(row, index), x, index, sums);
        }
        if (tail.count != 0) multiply<Rows::kGroup>(weights.end(row, n_chunks, tail.count), x_tail, 0, sums);
        for (int t = 0; t < kRows && t < task.x.n_rows; ++t) {
            task.out[t * task.out_stride + row] =
                _mm512_reduce_add_ps(_mm512_add_ps(sums.even[t], sums.odd[t]));
        }
    }
}

template <typename Rows>
struct FewRows {
    static void run(const RowDotTask& task) {
        if (task.x.n_rows == 1) return multiply_rows<Rows, 1>(task);
        if (task.x.n_rows == 2) return multiply_rows<Rows, 2>(task);
        if (task.x.n_rows <= 4) return multiply_rows<Rows, 4>(task);
        return multiply_rows<Rows, 8>(task);
    }
};

}  // namespace

RowDot quantized_row_dot_avx512(ElementType type) { return quantized_kernel<FewRows>(type); }

}  // namespace cria::cpu
