// Attention kernels (flash attention: Dao et al. 2022, on-line softmax): scores, softmax and the sum of
// values in one pass over the cells, for one K/V head and the query heads that share it. K and V are read
// where they lie, through the sequence's list of cells.
//
// Work is split by (query tile, K/V head, span of cells). Spans are cut at fixed multiples of kAttentionSpan
// counted from the start of the visible range, never by the number of threads, and combined in order, so that
// results do not depend on threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "backend/cpu/vector.h"
#include "backend/micro_batch.h"
#include "tensor/graph.h"

namespace cria::cpu {

// Cells one task walks through at the most.
inline constexpr int32_t kAttentionSpan = 512;
// Query tokens in one task at the most.
inline constexpr int32_t kAttentionTile = 32;

// Visible cells of one query: entries [first, last) of its sequence's list.
struct VisibleRange {
    int32_t first = 0;
    int32_t last = 0;
};
// What a query at `position` sees in cells sorted by position, by binary search: causal or not, window,
// chunk. O(log n). last >= first always.
VisibleRange visible_range(const AttentionParams& params, bool is_causal, const SequenceCells& sequence,
                           int32_t position);

// Consecutive query tokens of one sequence against the entries [span_first, span_last) of its list, for one
// K/V head.
struct AttentionTask {
    const AttentionParams* params = nullptr;
    const KvStorage* kv = nullptr;
    const SequenceCells* sequence = nullptr;
    int32_t kv_head = 0;
    int32_t n_queries = 0;  // 1 to kAttentionTile
    const float* q =
        nullptr;  // q[i * q_stride + h * k_dim + d]: head h of the n_heads / kv_heads sharing this K/V head
    int64_t q_stride = 0;
    const int32_t* positions = nullptr;     // [n_queries]
    const VisibleRange* visible = nullptr;  // [n_queries]
    const float* alibi_slopes = nullptr;    // [heads sharing] or null
    int32_t span_first = 0;
    int32_t span_last = 0;
    // Partial results, for query i and head h at index i * heads + h: sum of exp(score - max) * v [v_dim],
    // max of the scores (-inf when none is visible), sum of exp(score - max).
    float* out = nullptr;  // out[index * v_dim + d]
    float* max = nullptr;
    float* sum = nullptr;
    std::byte* scratch =
        nullptr;  // attention_scratch_bytes(...), 64-byte aligned, owned by the calling thread
};

struct AttentionKernels {
    Isa isa = Isa::scalar;
    void (*attend)(const AttentionTask& task) = nullptr;
    size_t (*scratch_bytes)(const AttentionParams& params, int32_t n_queries) = nullptr;
};

// The table of a set that is_supported(); throws Error{unsupported} otherwise.
const AttentionKernels& attention_kernels(Isa isa);

// Partial results of n indices, as attend() leaves them.
struct SpanResults {
    float* out = nullptr;
    float* max = nullptr;
    float* sum = nullptr;

    // Those of the indices from `first` on.
    SpanResults from(int64_t first, int32_t v_dim) const {
        return {out + first * v_dim, max + first, sum + first};
    }
};

// Spans of the same indices (query-major, then the heads sharing a K/V head) are merged one after the other
// into the first, in order; then the result is written. The order of additions is the same for every way to
// divide the work.
struct SpanMerge {
    const VectorKernels* vector = nullptr;
    int32_t n_indices = 0;
    int32_t v_dim = 0;
    SpanResults results;  // so far

    void add(const SpanResults& next) const;
    // Takes an optional sink score per head ([heads] or null) into the sum and writes token i's heads to
    // out[i * out_stride + h * v_dim]. Nothing visible and no sink: zeros.
    struct Output {
        int32_t heads = 0;
        const float* sinks = nullptr;
        float* out = nullptr;
        int64_t out_stride = 0;
    };
    void finish(const Output& output) const;
};

}  // namespace cria::cpu
