// A context: a model at work. Takes batches of tokens of any sequences, remembers their keys and values,
// gives logits or embeddings.
//
//   auto model = Model::load("model.gguf");
//   Context context(model, {.n_ctx = 4096});
//   context.decode(Batch::of_sequence(tokens, /*position=*/0, /*sequence=*/0));
//   std::span<const float> logits = context.logits(-1);
//
// Not thread-safe: one call at a time. Contexts of one model are independent of each other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "arch/build.h"
#include "backend/cpu/isa.h"
#include "backend/executor.h"
#include "base/thread_pool.h"
#include "memory/cells.h"
#include "memory/kv_cache.h"
#include "model/model.h"

namespace cria {

enum class Pooling : int8_t { unspecified = -1, none = 0, mean = 1, cls = 2, last = 3, rank = 4 };

struct ContextOptions {
    int32_t n_ctx = 0;  // cells: tokens remembered over all sequences; 0: what the model was trained with
    int32_t n_batch = 2048;  // most tokens in one decode()
    int32_t n_ubatch = 512;  // most tokens computed at once
    int32_t n_seq_max =
        1;  // sequences that share the cells: divides n_ctx only where rope factors depend on it
    int32_t n_threads = 0;        // for single tokens; 0: one per core
    int32_t n_threads_batch = 0;  // for prompts; 0: as n_threads
    ElementType k_type = ElementType::f16;
    ElementType v_type = ElementType::f16;
    bool embeddings = false;                 // give embeddings instead of logits
    Pooling pooling = Pooling::unspecified;  // of embeddings; unspecified: the model's own
    std::optional<bool> is_causal;           // empty: the model's own
    arch::RopeOverrides rope;
    StopCheck stop;          // asked between operations; true ends decode() with Error{cancelled}
    ValueObserver observer;  // sees every value computed
};

// Tokens to compute. Spans must stay valid during decode(). Either tokens or embeddings are set.
struct Batch {
    std::span<const int32_t> tokens;
    std::span<const float> embeddings;  // [n][width]
    int32_t n = 0;
    std::vector<int32_t> positions;       // [n]
    std::vector<int32_t> rope_positions;  // empty, or [4][n] for multi-section rope
    std::vector<std::vector<int32_t>>
        sequences;                   // [n]: a token attends to its first sequence, and is remembered by all
    std::vector<bool> wants_output;  // [n]; empty: the last token's alone

    // Tokens at consecutive positions of one sequence.
    static Batch of_sequence(std::span<const int32_t> tokens, int32_t first_position, int32_t sequence);
};

struct Timings {
    int64_t n_prompt = 0;     // tokens of batches with more than one
    int64_t n_generated = 0;  // tokens of batches with one
    double prompt_seconds = 0.0;
    double generate_seconds = 0.0;
};

class Context {
  public:
    // Throws Error{invalid_argument} for options out of range, Error{unsupported} for cache types that do not
    // fit the model, Error{out_of_memory} with the sizes.
    Context(std::shared_ptr<const Model> model, const ContextOptions& options);
    ~Context();

    const Model& model() const { return *model_; }
    const std::shared_ptr<const Model>& shared_model() const { return model_; }
    int32_t n_ctx() const { return cells_.size(); }
    int32_t n_batch() const { return options_.n_batch; }
    int32_t n_ubatch() const { return options_.n_ubatch; }
    int32_t n_seq_max() const { return options_.n_seq_max; }
    int32_t n_threads() const { return options_.n_threads; }
    int32_t n_threads_batch() const { return options_.n_threads_batch; }
    Pooling pooling() const { return options_.pooling; }
    cpu::Isa isa() const { return isa_; }

    // Computes a batch. Throws Error{invalid_argument} (nothing changed) for an impossible batch,
    // Error{no_space} (nothing changed) when the free cells do not suffice, Error{cancelled} when stopped:
    // tokens computed so far stay remembered, outputs are gone.
    void decode(const Batch& batch);

    // Results of token i of the last batch; negative i counts outputs from the end. Valid until the next
    // decode(). Throws Error{invalid_argument} when there is no such token or its output was not asked for.
    std::span<float> logits(int32_t i);
    std::span<float> embeddings(int32_t i);
    // All outputs of the last batch, in the order of its tokens: [n_outputs()][width].
    std::span<float> outputs() { return outputs_; }
    int32_t n_outputs() const { return n_outputs_; }
    int64_t output_width() const { return output_width_; }
    bool gives_embeddings() const { return options_.embeddings; }
    // The pooled embedding of a sequence of the last batch; empty when there is none.
    std::span<float> pooled_embedding(int32_t sequence);

    // Cells and sequences; see memory/cells.h for the operations. Shifted keys are turned before the next
    // decode, or by update().
    memory::CellTable& cells() { return cells_; }
    const memory::CellTable& cells() const { return cells_; }
    const memory::KvCache& kv_cache() const { return cache_; }
    void clear_memory();
    // Turns shifted keys and, if asked, moves used cells together.
    void update(bool compact = false);

    void set_threads(int32_t n_threads, int32_t n_threads_batch);
    void set_embeddings(bool embeddings);
    void set_causal(bool is_causal) { is_causal_ = is_causal; }
    void set_stop(StopCheck stop) { options_.stop = std::move(stop); }
    void set_observer(ValueObserver observer) { options_.observer = std::move(observer); }
    // One vector per layer, [n_layers][width]; empty: none.
    void set_control_vectors(std::vector<float> vectors);

    const Timings& timings() const { return timings_; }
    void reset_timings() { timings_ = {}; }

    // Bytes of cache, working memory for the largest batch, and outputs.
    struct MemoryUse {
        size_t cache_bytes = 0;
        size_t working_bytes = 0;
        size_t output_bytes = 0;
    };
    MemoryUse memory_use() const;
    Executor& executor() { return *executor_; }

  private:
    void check(const Batch& batch) const;
    void rebuild_graph();
    void run_part(const Batch& batch, int32_t first, int32_t count, std::span<const int32_t> output_tokens,
                  float* result);
    void pool(const Batch& batch);
    std::span<float> output_of(int32_t i);
    arch::GraphOptions graph_options() const;

    std::shared_ptr<const Model> model_;
    ContextOptions options_;
    cpu::Isa isa_;
    bool is_causal_ = true;
    bool forgets_ = false;  // encoders: nothing is remembered between batches
    memory::CellTable cells_;
    memory::KvCache cache_;
    std::unique_ptr<ThreadPool> pool_;
    Graph graph_;
    std::unique_ptr<Executor> executor_;
    std::vector<float> control_vectors_;

    std::vector<float> output_memory_;
    std::span<float> outputs_;
    std::vector<int32_t> output_row_;  // by token of the last batch; -1: none
    int32_t n_outputs_ = 0;
    int64_t output_width_ = 0;
    std::unordered_map<int32_t, std::vector<float>> pooled_;
    Timings timings_;
};

// What a context with these options will take, before anything is allocated. Throws as the constructor does
// for impossible options.
Context::MemoryUse forecast_memory(const Model& model, const ContextOptions& options);

}  // namespace cria
