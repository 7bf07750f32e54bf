// Few activation rows times quantised rows, for AVX2 and above; Set is what differs. One weight row after the
// other, 256 elements at a time, decoded in registers and multiplied with up to Set::kMostRows activation
// rows; more take further passes from the nearest cache.
#pragma once

#include "backend/cpu/rows_x86.h"

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

template <typename Set, typename Rows, int kRows>
inline void multiply(const auto& chunk, const Activation8<kRows>& x, int64_t index,
                     typename Set::Sums (&sums)[kRows]) {
    constexpr int kGroup = Rows::kGroup;
    Scales w;
    chunk.scales(w);
    set_offsets<Set, Rows>(w);
    typename Set::Factors factors[kRows];
#pragma GCC unroll 8
    for (int t = 0; t < kRows; ++t) {
        factors[t] = Set::template factors<kGroup>(w, x.scales[t] + 8 * index);
        if constexpr (!kHasOffset<Set, Rows>) continue;
        const float* x_sums = kGroup == 32 ? x.scaled_sums[t] + 8 * index : x.half_sums[t] + 16 * index;
        Set::template add_offsets<kGroup>(w, x_sums, sums[t]);
    }
#pragma GCC unroll 4
    for (int j = 0; j < kIntChunk / Set::kPartElements; ++j) {
        const auto part = Set::template weights<Rows::kIsSigned>(chunk, j);
#pragma GCC unroll 8
        for (int t = 0; t < kRows; ++t) {
            const int8_t* q = x.q[t] + kIntChunk * index + Set::kPartElements * j;
            Set::template add_products<kGroup, Rows::kIsSigned>(part, q, factors[t], j, sums[t]);
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

template <typename Set>
void fill_tail(Tail& tail, const Activations& x) {
    const int64_t count = x.row_length % kIntChunk;
    std::memset(&tail, 0, sizeof tail);
    tail.count = count;
    if (count == 0) return;
    const size_t blocks = static_cast<size_t>(count) / 32;
    for (int64_t t = 0; t < x.n_rows; ++t) {
        const int64_t first = (t + 1) * x.row_length - count;
        for (int64_t piece = 0; piece < count / 16; ++piece) {
            const int64_t from = Set::piece_place(x.row_length, (x.row_length - count) / 16 + piece);
            std::memcpy(tail.q[t] + Set::piece_place(kIntChunk, piece), x.q + t * x.row_length + from, 16);
        }
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
template <typename Set, typename Rows, int kRows>
void multiply_row(const RowDotTask& task, const Rows& weights, const Tail& tail, int64_t row, int first) {
    const Activation8<kRows> x = activation_rows<kRows>(task.x, first);
    const int64_t n_chunks = task.x.row_length / kIntChunk;
    typename Set::Sums sums[kRows];
#pragma GCC unroll 8
    for (int t = 0; t < kRows; ++t) sums[t] = Set::no_sums();
    for (int64_t index = 0; index < n_chunks; ++index) {
        multiply<Set, Rows>(weights.chunk(row, index), x, index, sums);
    }
    if (tail.count != 0) {
        multiply<Set, Rows>(weights.end(row, n_chunks, tail.count), tail_rows<kRows>(tail, first), 0, sums);
    }
    for (int t = 0; t < kRows && first + t < task.x.n_rows; ++t) {
        task.out[(first + t) * task.out_stride + row] = Set::total(sums[t]);
    }
}

template <typename Set, typename Rows>
void multiply_rows(const RowDotTask& task) {
    const Rows weights(*task.type, task.weights, task.row_bytes);
    Tail tail;
    fill_tail<Set>(tail, task.x);
    for (int64_t row = 0; row < task.n_rows; ++row) {
        for (int t = 0; t < task.x.n_rows; t += Set::kMostRows) {
            const int left = task.x.n_rows - t;
            if (left == 1) {
                multiply_row<Set, Rows, 1>(task, weights, tail, row, t);
            } else if (left == 2) {
                multiply_row<Set, Rows, 2>(task, weights, tail, row, t);
            } else if (left <= 4 || Set::kMostRows == 4) {
                multiply_row<Set, Rows, 4>(task, weights, tail, row, t);
            } else {
                multiply_row<Set, Rows, Set::kMostRows>(task, weights, tail, row, t);
            }
        }
    }
}

}  // namespace
}  // namespace cria::cpu
