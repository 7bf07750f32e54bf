// The run loop of the CPU backend: plans by size class, small weights as floats, one lowering per operation.
#include "backend/cpu/executor.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "backend/cpu/lowering.h"
#include "base/error.h"

namespace cria::cpu {

void FloatWeights::add(const Weight* weight) {
    if (weight == nullptr || weight->type->type == ElementType::f32 || converted_.contains(weight)) return;
    std::vector<float> values(static_cast<size_t>(weight->n_elements()));
    decode_weight(*weight, values.data());
    converted_.emplace(weight, std::move(values));
}

const float* FloatWeights::get(const Weight* weight) const {
    if (weight == nullptr) return nullptr;
    if (weight->type->type == ElementType::f32) return reinterpret_cast<const float*>(weight->data);
    const auto found = converted_.find(weight);
    CRIA_BUG_UNLESS(found != converted_.end());
    return found->second.data();
}

namespace {

void add_float_weights(const Graph& graph, FloatWeights& floats) {
    struct Visitor {
        FloatWeights& floats;
        void operator()(const Norm& op) const {
            floats.add(op.weight);
            floats.add(op.bias);
        }
        void operator()(const Linear& op) const {
            for (const LinearPart& part : op.parts) floats.add(part.bias);
        }
        void operator()(const GatedLinear& op) const {
            floats.add(op.gate.bias);
            floats.add(op.up.bias);
        }
        void operator()(const Rope& op) const { floats.add(op.params.factors); }
        void operator()(const Attention& op) const { floats.add(op.params.sinks); }
        void operator()(const MoeFeedForward& op) const {
            for (const LinearPart* part : {&op.gate, &op.up, &op.down}) floats.add(part->bias);
            floats.add(op.routing.selection_bias);
            floats.add(op.expert_scale);
        }
        void operator()(const Embed&) const {}
        void operator()(const AddEmbedding&) const {}
        void operator()(const Binary&) const {}
        void operator()(const Unary&) const {}
        void operator()(const Columns&) const {}
        void operator()(const SelectOutputs&) const {}
        void operator()(const AddControlVector&) const {}
    };
    for (const Node& node : graph.nodes) std::visit(Visitor{floats}, node.operation);
}

// Sizes are rounded up so that few plans serve all batches: 1, 2, 4, 8, ...
int64_t size_class(int64_t n) {
    int64_t size = 1;
    while (size < n) size *= 2;
    return size;
}

class CpuExecutor final : public Executor {
  public:
    CpuExecutor(const Graph& graph, ThreadPool& pool, Isa isa)
        : graph_(graph),
          pool_(pool),
          kernels_{&matmul_kernels(isa), &vector_kernels(isa), &attention_kernels(isa)},
          thread_scratch_(static_cast<size_t>(pool.size())) {
        add_float_weights(graph, floats_);
    }

    void run(const MicroBatch& batch, const RunControl& control) override {
        const MemoryPlan& plan = plan_for(batch);
        for (RopeTable& table : rope_tables_) table.is_current = false;
        Run run{.graph = graph_,
                .batch = batch,
                .control = control,
                .plan = plan,
                .arena = arena_.require(plan.arena_bytes),
                .pool = pool_,
                .kernels = kernels_,
                .floats = floats_,
                .workspace = workspace_,
                .thread_scratch = thread_scratch_,
                .rope_tables = rope_tables_};
        for (const Node& node : graph_.nodes) {
            if (control.stop != nullptr && (*control.stop)())
                fail(ErrorCode::cancelled, "stopped by the caller");
            run_node(node, run);
            if (control.observer != nullptr) observe(node, run);
        }
    }

    size_t working_bytes(const PlanSize& size) const override {
        return plan_memory(graph_, {size_class(size.n_tokens), size_class(size.n_outputs)}).arena_bytes;
    }

    void rotate_keys(const KvStorage& kv, const AttentionParams& attention, const RopeParams& rope,
                     std::span<const int32_t> cells, std::span<const int32_t> deltas) override;

    std::vector<OperationTime> profile() const override { return profile_; }
    void set_profiling(bool is_on) override {
        is_profiling_ = is_on;
        profile_.clear();
    }

  private:
    const MemoryPlan& plan_for(const MicroBatch& batch) {
        const PlanSize size{size_class(batch.n_tokens),
                            size_class(static_cast<int64_t>(batch.output_rows.size()))};
        const auto found =
            std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return plan->size == size; });
        if (found != plans_.end()) return **found;
        plans_.push_back(std::make_unique<MemoryPlan>(plan_memory(graph_, size)));
        return *plans_.back();
    }

    void run_node(const Node& node, Run& run) {
        // Rows nobody asked for: in a chunk of a long prompt the last layer has none.
        if (run.n_rows(node.out[0]) == 0) return;
        if (!is_profiling_) {
            std::visit([&](const auto& op) { lower(op, node, run); }, node.operation);
            return;
        }
        const auto start = std::chrono::steady_clock::now();
        std::visit([&](const auto& op) { lower(op, node, run); }, node.operation);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        const char* name = operation_name(node.operation);
        auto entry = std::find_if(profile_.begin(), profile_.end(),
                                  [&](const OperationTime& time) { return time.name == name; });
        if (entry == profile_.end()) entry = profile_.insert(entry, OperationTime{.name = name});
        entry->seconds += elapsed.count();
        ++entry->n_calls;
    }

    void observe(const Node& node, const Run& run) const {
        for (const ValueId id : node.out) {
            if (!(*run.control.observer)(node, graph_.info(id), run.data(id), run.n_rows(id))) {
                fail(ErrorCode::cancelled, "stopped by the observer at '{}'", graph_.info(id).name);
            }
        }
    }

    const Graph& graph_;
    ThreadPool& pool_;
    Kernels kernels_;
    FloatWeights floats_;
    std::vector<std::unique_ptr<MemoryPlan>> plans_;
    GrowingBuffer arena_;
    GrowingBuffer workspace_;
    std::vector<GrowingBuffer> thread_scratch_;
    std::vector<RopeTable> rope_tables_;
    bool is_profiling_ = false;
    std::vector<OperationTime> profile_;
};

void CpuExecutor::rotate_keys(const KvStorage& kv, const AttentionParams& attention, const RopeParams& rope,
                              std::span<const int32_t> cells, std::span<const int32_t> deltas) {
    // Keys already carry the magnitude; a further turn must not apply it again.
    RopeTable table = make_rope_table(rope, floats_.get(rope.factors));
    table.magnitude = 1.0f;
    constexpr int64_t kCellsPerTask = 64;
    const auto n = static_cast<int64_t>(cells.size());
    pool_.run((n + kCellsPerTask - 1) / kCellsPerTask, [&](int64_t task, int) {
        std::vector<float> row(static_cast<size_t>(kv.k_width));
        std::vector<float> angles(static_cast<size_t>(rope.n_rot));
        for (int64_t i = task * kCellsPerTask; i < std::min(n, (task + 1) * kCellsPerTask); ++i) {
            const auto at = static_cast<size_t>(i);
            if (deltas[at] == 0) continue;
            std::byte* stored = kv.k + cells[at] * kv.k_row_bytes;
            kv.k_type->decode(stored, row.data(), 1, kv.k_width);
            fill_angles(table, deltas[at], angles.data());
            kernels_.vector->rope(row.data(), attention.kv_heads, attention.k_dim, rope.n_rot,
                                  rope.kind != RopeKind::normal, angles.data());
            kv.k_type->encode(row.data(), stored, 1, kv.k_width, nullptr);
        }
    });
}

}  // namespace

std::unique_ptr<Executor> make_executor(const Graph& graph, ThreadPool& pool, Isa isa) {
    return std::make_unique<CpuExecutor>(graph, pool, isa);
}

}  // namespace cria::cpu
