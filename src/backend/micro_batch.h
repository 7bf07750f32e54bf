// What one run of a graph works on: tokens, their places in memory, and which results are wanted. Made by
// runtime/ for every micro-batch; executors only read it. All spans stay valid for the duration of the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quant/types.h"

namespace cria {

// K and V of one layer: one row per cell. A row holds the kv_heads of its cell one after the other; a
// quantised row is encoded as a whole. Rows of values are stored like those of keys (never transposed).
struct KvStorage {
    const TypeInfo* k_type = nullptr;
    const TypeInfo* v_type = nullptr;
    int64_t k_width = 0;  // kv_heads * k_dim
    int64_t v_width = 0;
    int64_t k_row_bytes = 0;
    int64_t v_row_bytes = 0;
    std::byte* k = nullptr;
    std::byte* v = nullptr;
};

// The cells of one sequence, ascending by position: cells[i] holds position positions[i].
struct SequenceCells {
    std::span<const int32_t> cells;
    std::span<const int32_t> positions;
};

struct MicroBatch {
    int32_t n_tokens = 0;
    std::span<const int32_t> tokens;     // [n_tokens], or empty when embeddings are given
    std::span<const float> embeddings;   // [n_tokens][width]
    std::span<const int32_t> positions;  // [n_tokens]; as the cells know them
    // For multi-section rope: the four positions of token t at [section * n_tokens + t]; empty: all equal to
    // `positions`.
    std::span<const int32_t> rope_positions;
    std::span<const int32_t> output_rows;  // ascending: tokens whose results are wanted
    std::span<const int32_t> cells;        // [n_tokens]: where token t stores its K and V
    std::span<const int32_t>
        sequence;  // [n_tokens]: index into `sequences` of the sequence token t attends to
    std::span<const SequenceCells> sequences;  // with this micro-batch's own tokens already in them
    std::span<const KvStorage> kv;             // by AttentionParams::cache_layer
    bool is_causal = true;
    // [n_layers][width] added after each layer, or empty; layers without one are zero.
    std::span<const float> control_vectors;
};

}  // namespace cria
