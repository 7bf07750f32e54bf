// What the lowerings of operations share: the state of one run and the memory they may use. Private to the
// CPU backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "backend/cpu/attention.h"
#include "backend/cpu/matmul.h"
#include "backend/cpu/vector.h"
#include "backend/executor.h"
#include "backend/micro_batch.h"
#include "base/aligned_buffer.h"
#include "base/thread_pool.h"
#include "tensor/graph.h"

namespace cria::cpu {

// A block of memory that only grows, by at least half, so that a run like the last one never allocates.
class GrowingBuffer {
  public:
    std::byte* require(size_t n_bytes) {
        if (n_bytes > buffer_.size()) {
            const size_t grown = std::max(n_bytes, buffer_.size() + buffer_.size() / 2);
            buffer_ = AlignedBuffer();
            buffer_ = AlignedBuffer(grown);
        }
        return buffer_.data();
    }
    size_t size() const { return buffer_.size(); }

  private:
    AlignedBuffer buffer_;
};

// Hands out pieces of a block, each aligned for vectors. measure() first, then take the same pieces.
class Carver {
  public:
    explicit Carver(std::byte* start) : start_(start) {}
    template <typename T>
    T* take(int64_t count) {
        T* piece = start_ == nullptr ? nullptr : reinterpret_cast<T*>(start_ + used_);
        used_ += (static_cast<size_t>(count) * sizeof(T) + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
        return piece;
    }
    size_t used() const { return used_; }

  private:
    std::byte* start_;
    size_t used_ = 0;
};

// The angles of one rope setting for every token of the micro-batch: [n_tokens][n_rot / 2] pairs (cos, sin).
struct RopeTable {
    RopeParams params;
    std::vector<float> frequencies;  // radians per position, by pair
    float magnitude = 1.0f;
    std::vector<float> cos_sin;
    bool is_current = false;
};

// Small tensors as f32 (norm weights, biases, sinks), converted once where the file has them otherwise.
class FloatWeights {
  public:
    void add(const Weight* weight);
    // Null for null. The weight must have been added.
    const float* get(const Weight* weight) const;

  private:
    std::unordered_map<const Weight*, std::vector<float>> converted_;
};

struct Kernels {
    const MatmulKernels* matmul = nullptr;
    const VectorKernels* vector = nullptr;
    const AttentionKernels* attention = nullptr;
};

// One run. Lowerings read and write values through it.
class Run {
  public:
    const Graph& graph;
    const MicroBatch& batch;
    const RunControl& control;
    const MemoryPlan& plan;
    std::byte* arena;
    ThreadPool& pool;
    const Kernels& kernels;
    const FloatWeights& floats;
    GrowingBuffer& workspace;                    // of the operation that runs
    std::vector<GrowingBuffer>& thread_scratch;  // by thread
    std::vector<RopeTable>& rope_tables;

    int64_t n_rows(ValueId id) const {
        return graph.info(id).rows == RowKind::tokens ? batch.n_tokens
                                                      : static_cast<int64_t>(batch.output_rows.size());
    }
    int64_t width(ValueId id) const { return graph.info(id).width; }
    float* data(ValueId id) const {
        if (id == graph.logits || id == graph.embeddings) return control.result;
        return reinterpret_cast<float*>(arena + plan.offsets[static_cast<size_t>(id.index)]);
    }
    int n_threads() const {
        return control.n_threads > 0 ? std::min(control.n_threads, pool.size()) : pool.size();
    }

    // Calls work(first, last, thread) for pieces of [0, n), as many as are worth waking threads for: each has
    // at least `grain` items. The pieces do not depend on timing; results must not depend on the pieces.
    template <typename Work>
    void for_pieces(int64_t n, int64_t grain, const Work& work) const {
        const int64_t most = std::max<int64_t>(1, int64_t(4) * n_threads());
        const int64_t pieces = std::clamp<int64_t>(n / std::max<int64_t>(1, grain), 1, most);
        pool.run(
            pieces,
            [&](int64_t piece, int thread) {
                const int64_t first = n * piece / pieces;
                const int64_t last = n * (piece + 1) / pieces;
                if (first < last) work(first, last, thread);
            },
            control.n_threads);
    }
};

// One function per operation, in linear.cpp, moe.cpp, attention_op.cpp and elementwise.cpp.
void lower(const Embed& op, const Node& node, Run& run);
void lower(const AddEmbedding& op, const Node& node, Run& run);
void lower(const Norm& op, const Node& node, Run& run);
void lower(const Linear& op, const Node& node, Run& run);
void lower(const GatedLinear& op, const Node& node, Run& run);
void lower(const Rope& op, const Node& node, Run& run);
void lower(const Attention& op, const Node& node, Run& run);
void lower(const MoeFeedForward& op, const Node& node, Run& run);
void lower(const Binary& op, const Node& node, Run& run);
void lower(const Unary& op, const Node& node, Run& run);
void lower(const Columns& op, const Node& node, Run& run);
void lower(const SelectOutputs& op, const Node& node, Run& run);
void lower(const AddControlVector& op, const Node& node, Run& run);

// Matrix products over rows that share their activations; linear.cpp. Used by linear, gated and expert
// operations.

// n_rows rows of x as activations for these weights: with the int8 form, in memory carved from `memory`, if
// any of the weights wants it for this number of rows. Runs on all threads.
Activations prepare_activations(const Run& run, const float* x, int64_t n_rows, int64_t width,
                                std::span<const Weight* const> weights, Carver& memory);
// Bytes prepare_activations may take.
size_t activation_bytes(int64_t n_rows, int64_t width);
// Rows [first, first + count) of matrix `matrix` of the weight times x into out[t * out_stride + r], r from
// 0, by one thread.
struct ProductRange {
    const Weight* weight = nullptr;
    int64_t matrix = 0;
    int64_t first = 0;
    int64_t count = 0;
};
void multiply_range(const Run& run, const ProductRange& range, const Activations& x, float* out,
                    int64_t out_stride, Carver scratch);
// Scratch bytes multiply_range takes.
size_t product_scratch_bytes(const Run& run, const Weight& weight, int64_t n_rows);
// Rows per task: a multiple of every panel and group, few enough for balance, enough to be worth a task.
int64_t rows_per_task(const Run& run, int64_t n_weight_rows, int64_t n_activation_rows, int64_t row_bytes);

// The magnitudes and angles of a rope setting (linear, YaRN), without positions: fills frequencies and
// magnitude. elementwise.cpp.
RopeTable make_rope_table(const RopeParams& params, const float* factors);
// cos and sin for one position into out[n_rot].
void fill_angles(const RopeTable& table, double position, float* out);

}  // namespace cria::cpu
