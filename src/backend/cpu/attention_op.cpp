// Attention: stores the micro-batch's keys and values, divides the work into (queries, K/V head, span of
// cells), and combines spans.
#include <algorithm>
#include <cmath>

#include "backend/cpu/lowering.h"
#include "base/checked.h"
#include "base/error.h"

namespace cria::cpu {
namespace {

// With so few tokens single tasks may be too short to wake a thread for.
constexpr int32_t kFewTokens = 8;
// Memory for the partial results of spans that are tasks of their own.
constexpr int64_t kMaxPartialBytes = int64_t(64) << 20;

// Consecutive tokens of one sequence.
struct Tile {
    int32_t first_token = 0;
    int32_t n_queries = 0;
    int32_t span_begin = 0;  // in units of kAttentionSpan entries
    int32_t n_spans = 0;
    int64_t partial_offset = 0;  // of its partial results, in (query, head, span) units
};

void encode_row(const VectorKernels& kernels, const TypeInfo& type, const float* x, int64_t width,
                std::byte* row) {
    switch (type.type) {
        case ElementType::f32:
            std::copy(x, x + width, reinterpret_cast<float*>(row));
            break;
        case ElementType::f16:
            kernels.f32_to_f16(x, reinterpret_cast<uint16_t*>(row), width);
            break;
        case ElementType::bf16:
            kernels.f32_to_bf16(x, reinterpret_cast<uint16_t*>(row), width);
            break;
        default:
            (type.encode_fast != nullptr ? type.encode_fast : type.encode)(x, row, 1, width, nullptr);
            break;
    }
}

void store(const Run& run, const KvStorage& kv, const float* k, const float* v) {
    constexpr int64_t kTokensPerPiece = 8;
    run.for_pieces(run.batch.n_tokens, kTokensPerPiece, [&](int64_t first, int64_t last, int) {
        for (int64_t t = first; t < last; ++t) {
            const int64_t cell = run.batch.cells[static_cast<size_t>(t)];
            encode_row(*run.kernels.vector, *kv.k_type, k + t * kv.k_width, kv.k_width,
                       kv.k + cell * kv.k_row_bytes);
            encode_row(*run.kernels.vector, *kv.v_type, v + t * kv.v_width, kv.v_width,
                       kv.v + cell * kv.v_row_bytes);
        }
    });
}

// ALiBi slopes of all heads (Press et al. 2021, and the authors' rule for head counts that are no power of
// two).
std::vector<float> alibi_slopes(const AttentionParams& params) {
    std::vector<float> slopes;
    if (params.alibi_max_bias <= 0) return slopes;
    int32_t power = 1;
    while (power * 2 <= params.n_heads) power *= 2;
    const float base = std::exp2(-params.alibi_max_bias / static_cast<float>(power));
    const float half_base = std::exp2(-params.alibi_max_bias / 2.0f / static_cast<float>(power));
    for (int32_t h = 0; h < params.n_heads; ++h) {
        slopes.push_back(h < power ? std::pow(base, static_cast<float>(h + 1))
                                   : std::pow(half_base, static_cast<float>(2 * (h - power) + 1)));
    }
    return slopes;
}

std::vector<Tile> make_tiles(const Run& run, std::span<const VisibleRange> visible, int32_t heads) {
    std::vector<Tile> tiles;
    int64_t offset = 0;
    const auto sequence = run.batch.sequence;
    for (int32_t t = 0; t < run.batch.n_tokens;) {
        Tile tile{.first_token = t};
        int32_t lowest = INT32_MAX;
        int32_t highest = 0;
        while (t < run.batch.n_tokens && tile.n_queries < kAttentionTile &&
               sequence[static_cast<size_t>(t)] == sequence[static_cast<size_t>(tile.first_token)]) {
            const VisibleRange& range = visible[static_cast<size_t>(t)];
            if (range.first < range.last) lowest = std::min(lowest, range.first);
            highest = std::max(highest, range.last);
            ++tile.n_queries;
            ++t;
        }
        tile.span_begin = std::min(lowest, highest) / kAttentionSpan;
        tile.n_spans = std::max(1, ceil_div(highest, kAttentionSpan) - tile.span_begin);
        tile.partial_offset = offset;
        offset += int64_t(tile.n_queries) * heads * tile.n_spans;
        tiles.push_back(tile);
    }
    return tiles;
}

SpanResults take_results(Carver& memory, int64_t n, int32_t v_dim) {
    SpanResults results;
    results.out = memory.take<float>(n * v_dim);
    results.max = memory.take<float>(n);
    results.sum = memory.take<float>(n);
    return results;
}

class AttentionRun {
  public:
    AttentionRun(const Attention& op, const Node& node, Run& run)
        : run_(run),
          p_(op.params),
          kv_(run.batch.kv[static_cast<size_t>(op.params.cache_layer)]),
          heads_(p_.n_heads / p_.kv_heads),
          q_(run.data(node.in[0])),
          out_(run.data(node.out[0])),
          slopes_(alibi_slopes(p_)),
          sinks_(run.floats.get(p_.sinks)) {}

    void attend() {
        for (int32_t t = 0; t < run_.batch.n_tokens; ++t) {
            const auto i = static_cast<size_t>(t);
            visible_.push_back(
                visible_range(p_, run_.batch.is_causal, sequence_of(t), run_.batch.positions[i]));
        }
        tiles_ = make_tiles(run_, visible_, heads_);
        if (has_few_tiles() && partial_bytes() <= kMaxPartialBytes) {
            attend_split();
        } else {
            attend_whole();
        }
    }

  private:
    const SequenceCells& sequence_of(int32_t token) const {
        return run_.batch.sequences[static_cast<size_t>(run_.batch.sequence[static_cast<size_t>(token)])];
    }

    // Partial results in units of (query, head, span), per K/V head.
    int64_t n_units() const { return tiles_.back().partial_offset + tile_units(tiles_.back()); }
    int64_t partial_bytes() const {
        return n_units() * p_.kv_heads * (p_.v_dim + 2) * static_cast<int64_t>(sizeof(float));
    }
    // Then spans become tasks of their own, so that a long context keeps all threads busy, and a short one
    // only as many as it is worth.
    bool has_few_tiles() const {
        return static_cast<int64_t>(tiles_.size()) * p_.kv_heads < int64_t(4) * run_.n_threads() ||
               run_.batch.n_tokens <= kFewTokens;
    }

    void run_span(const Tile& tile, int32_t kv_head, int32_t span, const SpanResults& results,
                  std::byte* scratch) const {
        const auto t = static_cast<size_t>(tile.first_token);
        const SequenceCells& sequence = sequence_of(tile.first_token);
        const int32_t first = (tile.span_begin + span) * kAttentionSpan;
        run_.kernels.attention->attend(
            {.params = &p_,
             .kv = &kv_,
             .sequence = &sequence,
             .kv_head = kv_head,
             .n_queries = tile.n_queries,
             .q = q_ + int64_t(tile.first_token) * p_.n_heads * p_.k_dim +
                  int64_t(kv_head) * heads_ * p_.k_dim,
             .q_stride = int64_t(p_.n_heads) * p_.k_dim,
             .positions = run_.batch.positions.data() + t,
             .visible = visible_.data() + t,
             .alibi_slopes = slopes_.empty() ? nullptr : slopes_.data() + kv_head * heads_,
             .span_first = first,
             .span_last =
                 std::min<int32_t>(first + kAttentionSpan, static_cast<int32_t>(sequence.cells.size())),
             .out = results.out,
             .max = results.max,
             .sum = results.sum,
             .scratch = scratch});
    }

    int64_t per_span(const Tile& tile) const { return int64_t(tile.n_queries) * heads_; }
    SpanMerge merge_of(const Tile& tile, const SpanResults& results) const {
        return {.vector = run_.kernels.vector,
                .n_indices = static_cast<int32_t>(per_span(tile)),
                .v_dim = p_.v_dim,
                .results = results};
    }
    // Writes a tile's merged results for one K/V head into the output rows.
    void finish(const Tile& tile, int32_t kv_head, const SpanMerge& merge) const {
        const int64_t stride = int64_t(p_.n_heads) * p_.v_dim;
        merge.finish({.heads = heads_,
                      .sinks = sinks_ == nullptr ? nullptr : sinks_ + kv_head * heads_,
                      .out = out_ + tile.first_token * stride + int64_t(kv_head) * heads_ * p_.v_dim,
                      .out_stride = stride});
    }

    int64_t tile_units(const Tile& tile) const { return int64_t(tile.n_queries) * heads_ * tile.n_spans; }

    // One task per span; then spans are merged.
    void attend_split() {
        const int64_t units = n_units();
        Carver measure(nullptr);
        take_results(measure, units * p_.kv_heads, p_.v_dim);
        Carver memory(run_.workspace.require(measure.used()));
        const SpanResults partials = take_results(memory, units * p_.kv_heads, p_.v_dim);
        const auto part = [&](const Tile& tile, int32_t head, int32_t span) {
            return partials.from(head * units + tile.partial_offset + span * per_span(tile), p_.v_dim);
        };

        struct Task {
            const Tile* tile;
            int32_t kv_head, span;
        };
        std::vector<Task> tasks;
        int32_t most_queries = 0;
        for (const Tile& tile : tiles_) {
            most_queries = std::max(most_queries, tile.n_queries);
            for (int32_t head = 0; head < p_.kv_heads; ++head) {
                for (int32_t span = 0; span < tile.n_spans; ++span) tasks.push_back({&tile, head, span});
            }
        }
        const size_t scratch_bytes = run_.kernels.attention->scratch_bytes(p_, most_queries);
        // A task over a short context is not worth waking a thread for.
        run_.for_pieces(static_cast<int64_t>(tasks.size()), tasks_per_piece(),
                        [&](int64_t first, int64_t last, int thread) {
                            for (int64_t i = first; i < last; ++i) {
                                const Task& task = tasks[static_cast<size_t>(i)];
                                run_span(*task.tile, task.kv_head, task.span,
                                         part(*task.tile, task.kv_head, task.span),
                                         scratch_of(thread, scratch_bytes));
                            }
                        });
        for (const Tile& tile : tiles_) {
            for (int32_t head = 0; head < p_.kv_heads; ++head) {
                const SpanMerge merge = merge_of(tile, part(tile, head, 0));
                for (int32_t span = 1; span < tile.n_spans; ++span) merge.add(part(tile, head, span));
                finish(tile, head, merge);
            }
        }
    }

    int64_t tasks_per_piece() const {
        constexpr int64_t kMinPieceBytes = 64 * 1024;
        int64_t longest = 1;
        for (const VisibleRange& range : visible_)
            longest = std::max<int64_t>(longest, range.last - range.first);
        const int64_t per_cell =
            std::max<int64_t>(1, (kv_.k_row_bytes + kv_.v_row_bytes) / p_.kv_heads) * tiles_[0].n_queries;
        return ceil_div(kMinPieceBytes, std::min<int64_t>(longest, kAttentionSpan) * per_cell);
    }

    // One task per (tile, K/V head) walks through all spans.
    void attend_whole() {
        const auto n_tiles = static_cast<int64_t>(tiles_.size());
        run_.pool.run(
            n_tiles * p_.kv_heads,
            [&](int64_t index, int thread) {
                // Later tiles see more: they come first, so that no long task is left for the end.
                const Tile& tile = tiles_[static_cast<size_t>(n_tiles - 1 - index / p_.kv_heads)];
                const auto head = static_cast<int32_t>(index % p_.kv_heads);
                const auto kernel_bytes =
                    static_cast<int64_t>(run_.kernels.attention->scratch_bytes(p_, tile.n_queries));
                Carver measure(nullptr);
                take_results(measure, 2 * per_span(tile), p_.v_dim);
                measure.take<std::byte>(kernel_bytes);
                Carver memory(scratch_of(thread, measure.used()));
                const SpanResults first = take_results(memory, 2 * per_span(tile), p_.v_dim);
                const SpanResults next = first.from(per_span(tile), p_.v_dim);
                auto* scratch = memory.take<std::byte>(kernel_bytes);
                const SpanMerge merge = merge_of(tile, first);
                for (int32_t span = 0; span < tile.n_spans; ++span) {
                    run_span(tile, head, span, span == 0 ? first : next, scratch);
                    if (span > 0) merge.add(next);
                }
                finish(tile, head, merge);
            },
            run_.control.n_threads);
    }

    std::byte* scratch_of(int thread, size_t bytes) const {
        return run_.thread_scratch[static_cast<size_t>(thread)].require(bytes);
    }

    Run& run_;
    const AttentionParams& p_;
    const KvStorage& kv_;
    const int32_t heads_;  // sharing one K/V head
    const float* q_;
    float* out_;
    std::vector<float> slopes_;
    const float* sinks_;
    std::vector<VisibleRange> visible_;
    std::vector<Tile> tiles_;
};

}  // namespace

void lower(const Attention& op, const Node& node, Run& run) {
    CRIA_BUG_UNLESS(static_cast<size_t>(op.params.cache_layer) < run.batch.kv.size());
    if (node.in.size() == 3)
        store(run, run.batch.kv[static_cast<size_t>(op.params.cache_layer)], run.data(node.in[1]),
              run.data(node.in[2]));
    AttentionRun(op, node, run).attend();
}

}  // namespace cria::cpu
