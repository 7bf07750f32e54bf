// From batches to micro-batches to outputs.
#include "runtime/context.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "backend/cpu/executor.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/log.h"

namespace cria {
namespace {

constexpr int32_t kMaxCells = 1 << 28;
constexpr int32_t kMaxBatch = 1 << 20;
constexpr int32_t kMaxSequences = 1 << 16;

int32_t checked_option(const char* name, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most) {
        fail(ErrorCode::invalid_argument, "{} is {}, expected {} to {}", name, value, least, most);
    }
    return static_cast<int32_t>(value);
}

std::vector<memory::KvLayer> cache_layers(const arch::ModelSpec& spec, const ContextOptions& options) {
    std::vector<memory::KvLayer> layers;
    for (const arch::LayerSpec& layer : spec.layers) {
        const AttentionParams& p = layer.attention.params;
        layers.push_back({.k_width = int64_t(p.kv_heads) * p.k_dim,
                          .v_width = int64_t(p.kv_heads) * p.v_dim,
                          .k_type = options.k_type,
                          .v_type = options.v_type});
    }
    return layers;
}

// Refuses a cache that cannot be in memory before a page of it is touched: the system would end the process
// instead of saying so.
void check_memory(const Model& model, const ContextOptions& options) {
    constexpr double kGibibyte = 1 << 30;
    const size_t available = memory_size().total_bytes;
    const size_t needed = memory::kv_cache_bytes(cache_layers(model.spec(), options), options.n_ctx);
    if (available == 0 || needed <= available) return;
    const double fitting = static_cast<double>(available) / static_cast<double>(needed) * options.n_ctx;
    fail(ErrorCode::out_of_memory,
         "a context of {} tokens needs {:.1f} GiB for its cache, but this machine has {:.1f} GiB; at most {} "
         "tokens fit",
         options.n_ctx, static_cast<double>(needed) / kGibibyte, static_cast<double>(available) / kGibibyte,
         static_cast<int64_t>(fitting));
}

ContextOptions resolved(const Model& model, ContextOptions options) {
    const arch::ModelSpec& spec = model.spec();
    if (options.n_ctx == 0)
        options.n_ctx = static_cast<int32_t>(std::min<int64_t>(spec.n_ctx_train, kMaxCells));
    checked_option("n_ctx", options.n_ctx, 1, kMaxCells);
    checked_option("n_batch", options.n_batch, 1, kMaxBatch);
    checked_option("n_ubatch", options.n_ubatch, 1, kMaxBatch);
    checked_option("n_seq_max", options.n_seq_max, 1, kMaxSequences);
    checked_option("n_threads", options.n_threads, 0, ThreadPool::kMaxThreads);
    checked_option("n_threads_batch", options.n_threads_batch, 0, ThreadPool::kMaxThreads);
    if (options.n_threads == 0) options.n_threads = default_thread_count();
    if (options.n_threads_batch == 0) options.n_threads_batch = options.n_threads;
    options.n_ubatch = std::min(options.n_ubatch, options.n_batch);
    if (options.pooling == Pooling::unspecified) options.pooling = static_cast<Pooling>(spec.pooling_type);
    if (options.pooling == Pooling::rank)
        fail(ErrorCode::unsupported, "pooling for ranking is not supported yet");
    check_memory(model, options);
    return options;
}

arch::GraphOptions graph_options_for(const ContextOptions& options, bool has_control_vectors) {
    return {.output = options.embeddings ? arch::GraphOutput::embeddings : arch::GraphOutput::logits,
            .n_ctx_per_sequence = options.n_ctx / options.n_seq_max,
            .has_control_vectors = has_control_vectors,
            .rope = options.rope};
}

class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Batch Batch::of_sequence(std::span<const int32_t> tokens, int32_t first_position, int32_t sequence) {
    Batch batch{.tokens = tokens, .n = static_cast<int32_t>(tokens.size())};
    batch.positions.resize(tokens.size());
    std::iota(batch.positions.begin(), batch.positions.end(), first_position);
    batch.sequences.assign(tokens.size(), {sequence});
    return batch;
}

Context::Context(std::shared_ptr<const Model> model, const ContextOptions& options)
    : model_(std::move(model)),
      options_(resolved(*model_, options)),
      isa_(cpu::choose_isa()),
      is_causal_(options.is_causal.value_or(model_->spec().is_causal)),
      forgets_(!model_->spec().is_causal),
      cells_(options_.n_ctx),
      cache_(cache_layers(model_->spec(), options_), options_.n_ctx),
      pool_(std::make_unique<ThreadPool>(std::max(options_.n_threads, options_.n_threads_batch))) {
    rebuild_graph();
}

Context::~Context() = default;

arch::GraphOptions Context::graph_options() const {
    return graph_options_for(options_, !control_vectors_.empty());
}

void Context::rebuild_graph() {
    executor_.reset();
    graph_ = arch::build_graph(model_->spec(), graph_options());
    executor_ = cpu::make_executor(graph_, *pool_, isa_);
    output_width_ = graph_.info(graph_.logits.is_valid() ? graph_.logits : graph_.embeddings).width;
}

void Context::set_threads(int32_t n_threads, int32_t n_threads_batch) {
    options_.n_threads = checked_option("n_threads", n_threads == 0 ? default_thread_count() : n_threads, 1,
                                        ThreadPool::kMaxThreads);
    options_.n_threads_batch =
        checked_option("n_threads_batch", n_threads_batch == 0 ? options_.n_threads : n_threads_batch, 1,
                       ThreadPool::kMaxThreads);
    const int32_t most = std::max(options_.n_threads, options_.n_threads_batch);
    if (most <= pool_->size()) return;
    executor_.reset();
    pool_ = std::make_unique<ThreadPool>(most);
    rebuild_graph();
}

void Context::set_embeddings(bool embeddings) {
    if (options_.embeddings == embeddings) return;
    options_.embeddings = embeddings;
    rebuild_graph();
}

void Context::set_control_vectors(std::vector<float> vectors) {
    const arch::ModelSpec& spec = model_->spec();
    if (!vectors.empty() && vectors.size() != static_cast<size_t>(spec.n_layers * spec.width)) {
        fail(ErrorCode::invalid_argument, "control vectors hold {} values, expected {} layers of {}",
             vectors.size(), spec.n_layers, spec.width);
    }
    const bool had_any = !control_vectors_.empty();
    control_vectors_ = std::move(vectors);
    if (had_any == control_vectors_.empty()) rebuild_graph();
}

void Context::clear_memory() { cells_.clear(); }

void Context::check(const Batch& batch) const {
    const auto n = static_cast<size_t>(std::max(batch.n, 0));
    if (batch.n <= 0) fail(ErrorCode::invalid_argument, "the batch has no tokens");
    if (batch.n > options_.n_batch) {
        fail(ErrorCode::invalid_argument, "the batch has {} tokens, but n_batch is {}; divide it", batch.n,
             options_.n_batch);
    }
    if (batch.tokens.empty() == batch.embeddings.empty()) {
        fail(ErrorCode::invalid_argument, "a batch holds either tokens or embeddings");
    }
    const arch::ModelSpec& spec = model_->spec();
    if (!batch.embeddings.empty() && batch.embeddings.size() != n * static_cast<size_t>(spec.width)) {
        fail(ErrorCode::invalid_argument, "the batch has {} embedding values for {} rows of {}",
             batch.embeddings.size(), n, spec.width);
    }
    if ((!batch.tokens.empty() && batch.tokens.size() != n) || batch.positions.size() != n ||
        batch.sequences.size() != n || (!batch.wants_output.empty() && batch.wants_output.size() != n) ||
        (!batch.rope_positions.empty() && batch.rope_positions.size() != 4 * n)) {
        fail(ErrorCode::invalid_argument, "the batch's arrays differ in length from its {} tokens", n);
    }
    for (size_t i = 0; i < n; ++i) {
        if (!batch.tokens.empty() && (batch.tokens[i] < 0 || batch.tokens[i] >= spec.n_vocab)) {
            fail(ErrorCode::invalid_argument, "token {} of the batch is {}, but the model has tokens 0 to {}",
                 i, batch.tokens[i], spec.n_vocab - 1);
        }
        if (batch.positions[i] < 0 || batch.positions[i] == memory::kMaxPosition) {
            fail(ErrorCode::invalid_argument, "token {} of the batch has position {}", i, batch.positions[i]);
        }
        if (batch.sequences[i].empty())
            fail(ErrorCode::invalid_argument, "token {} of the batch belongs to no sequence", i);
        for (const int32_t id : batch.sequences[i]) {
            if (id < 0)
                fail(ErrorCode::invalid_argument, "token {} of the batch belongs to sequence {}", i, id);
        }
    }
    if (batch.n > cells_.n_free()) {
        fail(ErrorCode::no_space,
             "the batch needs {} cells, but {} of {} are free; remove tokens or make a larger context",
             batch.n, cells_.n_free(), cells_.size());
    }
}

void Context::decode(const Batch& batch) {
    check(batch);
    update();
    const Stopwatch watch;
    n_outputs_ = 0;
    outputs_ = {};
    pooled_.clear();
    const bool pools = options_.embeddings && options_.pooling != Pooling::none;
    std::vector<int32_t> wanted;
    output_row_.assign(static_cast<size_t>(batch.n), -1);
    for (int32_t i = 0; i < batch.n; ++i) {
        const bool is_wanted =
            pools ||
            (batch.wants_output.empty() ? i == batch.n - 1 : batch.wants_output[static_cast<size_t>(i)]);
        if (!is_wanted) continue;
        output_row_[static_cast<size_t>(i)] = static_cast<int32_t>(wanted.size());
        wanted.push_back(i);
    }
    output_memory_.resize(
        std::max(output_memory_.size(), wanted.size() * static_cast<size_t>(output_width_)));

    // Tokens that see what comes after them must be computed together.
    const int32_t step = is_causal_ ? options_.n_ubatch : batch.n;
    size_t n_done = 0;
    for (int32_t first = 0; first < batch.n; first += step) {
        const int32_t count = std::min(step, batch.n - first);
        const auto end = std::lower_bound(wanted.begin(), wanted.end(), first + count);
        const std::span<const int32_t> part(wanted.data() + n_done,
                                            static_cast<size_t>(end - wanted.begin()) - n_done);
        run_part(batch, first, count, part,
                 output_memory_.data() + n_done * static_cast<size_t>(output_width_));
        n_done += part.size();
    }
    n_outputs_ = static_cast<int32_t>(wanted.size());
    outputs_ = {output_memory_.data(), wanted.size() * static_cast<size_t>(output_width_)};
    if (pools) pool(batch);
    if (forgets_) cells_.clear();
    (batch.n == 1 ? timings_.n_generated : timings_.n_prompt) += batch.n;
    (batch.n == 1 ? timings_.generate_seconds : timings_.prompt_seconds) += watch.seconds();
}

void Context::run_part(const Batch& batch, int32_t first, int32_t count,
                       std::span<const int32_t> output_tokens, float* result) {
    const auto begin = static_cast<size_t>(first);
    const auto n = static_cast<size_t>(count);
    std::vector<int32_t> cells, sequence_index, sequence_ids, output_rows, rope_positions;
    for (size_t i = begin; i < begin + n; ++i) {
        cells.push_back(cells_.occupy(batch.positions[i], batch.sequences[i]));
        const int32_t id = batch.sequences[i][0];
        const auto known = std::find(sequence_ids.begin(), sequence_ids.end(), id);
        sequence_index.push_back(static_cast<int32_t>(known - sequence_ids.begin()));
        if (known == sequence_ids.end()) sequence_ids.push_back(id);
    }
    std::vector<SequenceCells> sequences;
    for (const int32_t id : sequence_ids) sequences.push_back(cells_.sequence(id));
    for (const int32_t token : output_tokens) output_rows.push_back(token - first);
    for (size_t section = 0; section < 4 && !batch.rope_positions.empty(); ++section) {
        const auto from = batch.rope_positions.begin() +
                          static_cast<std::ptrdiff_t>(section * static_cast<size_t>(batch.n) + begin);
        rope_positions.insert(rope_positions.end(), from, from + count);
    }
    const auto width = static_cast<size_t>(model_->spec().width);
    const MicroBatch micro{.n_tokens = count,
                           .tokens = batch.tokens.empty() ? batch.tokens : batch.tokens.subspan(begin, n),
                           .embeddings = batch.embeddings.empty()
                                             ? batch.embeddings
                                             : batch.embeddings.subspan(begin * width, n * width),
                           .positions = std::span(batch.positions).subspan(begin, n),
                           .rope_positions = rope_positions,
                           .output_rows = output_rows,
                           .cells = cells,
                           .sequence = sequence_index,
                           .sequences = sequences,
                           .kv = cache_.layers(),
                           .is_causal = is_causal_,
                           .control_vectors = control_vectors_};
    executor_->run(micro, {.n_threads = batch.n == 1 ? options_.n_threads : options_.n_threads_batch,
                           .stop = options_.stop ? &options_.stop : nullptr,
                           .observer = options_.observer ? &options_.observer : nullptr,
                           .result = result});
}

void Context::pool(const Batch& batch) {
    const auto width = static_cast<size_t>(output_width_);
    std::unordered_map<int32_t, int32_t> counts, chosen_position;
    for (int32_t i = 0; i < batch.n; ++i) {
        const auto token = static_cast<size_t>(i);
        const std::span<const float> row = outputs_.subspan(token * width, width);
        const int32_t position = batch.positions[token];
        for (const int32_t id : batch.sequences[token]) {
            std::vector<float>& vector = pooled_[id];
            const bool is_first = vector.empty();
            if (is_first) vector.assign(width, 0.0f);
            if (options_.pooling == Pooling::mean) {
                for (size_t d = 0; d < width; ++d) vector[d] += row[d];
                ++counts[id];
                continue;
            }
            int32_t& chosen = chosen_position[id];
            const bool is_better = options_.pooling == Pooling::cls ? position < chosen : position >= chosen;
            if (!is_first && !is_better) continue;
            chosen = position;
            vector.assign(row.begin(), row.end());
        }
    }
    for (auto& [id, count] : counts) {
        for (float& value : pooled_[id]) value /= static_cast<float>(count);
    }
}

std::span<float> Context::logits(int32_t i) {
    if (!graph_.logits.is_valid())
        fail(ErrorCode::invalid_argument, "this context gives embeddings, no logits");
    return output_of(i);
}

std::span<float> Context::embeddings(int32_t i) {
    if (graph_.logits.is_valid())
        fail(ErrorCode::invalid_argument, "this context gives logits; ask for embeddings when making it");
    return output_of(i);
}

std::span<float> Context::output_of(int32_t i) {
    int32_t row = -1;
    if (i < 0) {
        row = n_outputs_ + i;
    } else if (static_cast<size_t>(i) < output_row_.size() && n_outputs_ > 0) {
        row = output_row_[static_cast<size_t>(i)];
    }
    if (row < 0 || row >= n_outputs_) {
        fail(ErrorCode::invalid_argument,
             "no result for token {} of the last batch of {} ({} outputs were asked for)", i,
             output_row_.size(), n_outputs_);
    }
    return outputs_.subspan(static_cast<size_t>(row) * static_cast<size_t>(output_width_),
                            static_cast<size_t>(output_width_));
}

std::span<float> Context::pooled_embedding(int32_t sequence) {
    const auto found = pooled_.find(sequence);
    return found == pooled_.end() ? std::span<float>() : std::span<float>(found->second);
}

void Context::update(bool compact) {
    if (cells_.has_shifts()) {
        const memory::CellTable::Shifts shifts = cells_.take_shifts();
        const arch::ModelSpec& spec = model_->spec();
        for (int64_t i = 0; i < spec.n_layers; ++i) {
            const RopeParams rope = arch::layer_rope(spec, i, graph_options());
            if (rope.kind == RopeKind::none) continue;
            const AttentionParams& attention = spec.layers[static_cast<size_t>(i)].attention.params;
            executor_->rotate_keys(cache_.layers()[static_cast<size_t>(attention.cache_layer)], attention,
                                   rope, shifts.cells, shifts.deltas);
        }
    }
    if (compact) cache_.move_cells(cells_.compact());
}

Context::MemoryUse Context::memory_use() const {
    const int32_t n_tokens = std::min(options_.n_ubatch, options_.n_ctx);
    return {.cache_bytes = cache_.total_bytes(),
            .working_bytes = executor_->working_bytes({.n_tokens = n_tokens, .n_outputs = 1}),
            .output_bytes = output_memory_.capacity() * sizeof(float)};
}

Context::MemoryUse forecast_memory(const Model& model, const ContextOptions& wanted) {
    const ContextOptions options = resolved(model, wanted);
    const arch::ModelSpec& spec = model.spec();
    const Graph graph = arch::build_graph(spec, graph_options_for(options, false));
    const int64_t n_tokens = std::min(options.n_ubatch, options.n_ctx);
    const int64_t width = graph.info(graph.logits.is_valid() ? graph.logits : graph.embeddings).width;
    return {.cache_bytes = memory::kv_cache_bytes(cache_layers(spec, options), options.n_ctx),
            .working_bytes = plan_memory(graph, {.n_tokens = n_tokens, .n_outputs = 1}).arena_bytes,
            .output_bytes = static_cast<size_t>(width) * sizeof(float)};
}

}  // namespace cria
