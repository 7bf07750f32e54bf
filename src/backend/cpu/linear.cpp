// Linear operations: products with weights, with bias, activation and residual applied while the results are
// still in the cache.
#include <algorithm>

#include "backend/cpu/lowering.h"
#include "base/checked.h"

namespace cria::cpu {
namespace {

// A task should read at least this much weight, or waking a thread for it costs more than it does.
constexpr int64_t kMinTaskBytes = 16 * 1024;
constexpr int64_t kTasksPerThread = 8;

bool is_few(int64_t n_rows) { return n_rows <= kMaxFewRows; }

// y = activation(scale * y + bias) + residual for columns [first, first + count) of n_rows rows.
struct Epilogue {
    float scale = 1.0f;
    const float* bias = nullptr;
    Activation activation = Activation::none;
    const float* residual = nullptr;
    int64_t residual_stride = 0;

    void apply(const VectorKernels& kernels, float* out, int64_t out_stride, int64_t n_rows, int64_t first,
               int64_t count) const {
        for (int64_t t = 0; t < n_rows; ++t) {
            float* y = out + t * out_stride;
            if (scale != 1.0f) kernels.scale(scale, y, y, count);
            if (bias != nullptr) kernels.add(y, bias + first, y, count);
            if (activation != Activation::none) kernels.activate(activation, y, y, count);
            if (residual != nullptr) kernels.add(y, residual + t * residual_stride + first, y, count);
        }
    }
};

// Pieces of several matrices as one list of tasks.
struct PartTasks {
    struct Part {
        int64_t n_rows, rows_per_task, first_task;
    };
    std::vector<Part> parts;
    int64_t n_tasks = 0;

    void add(int64_t n_rows, int64_t rows_per_task) {
        parts.push_back({n_rows, rows_per_task, n_tasks});
        n_tasks += ceil_div(n_rows, rows_per_task);
    }
    // Index of the part and its range of rows.
    void locate(int64_t task, size_t& part, int64_t& first, int64_t& count) const {
        part = parts.size() - 1;
        while (parts[part].first_task > task) --part;
        first = (task - parts[part].first_task) * parts[part].rows_per_task;
        count = std::min(parts[part].rows_per_task, parts[part].n_rows - first);
    }
};

}  // namespace

size_t activation_bytes(int64_t n_rows, int64_t width) {
    Carver measure(nullptr);
    measure.take<int8_t>(n_rows * width);
    measure.take<float>(n_rows * (width / kActivationBlock));
    measure.take<float>(n_rows * (width / kActivationBlock));
    measure.take<float>(n_rows * (width / kActivationBlock) * 2);
    return measure.used();
}

Activations prepare_activations(const Run& run, const float* x, int64_t n_rows, int64_t width,
                                std::span<const Weight* const> weights, Carver& memory) {
    Activations activations{
        .values = x, .stride = width, .row_length = width, .n_rows = static_cast<int32_t>(n_rows)};
    const bool needed = std::any_of(weights.begin(), weights.end(), [](const Weight* w) {
        return w != nullptr && wants_int8(w->type->type);
    });
    if (!needed) return activations;
    const int64_t blocks = width / kActivationBlock;
    auto* q = memory.take<int8_t>(n_rows * width);
    auto* scales = memory.take<float>(n_rows * blocks);
    auto* scaled_sums = memory.take<float>(n_rows * blocks);
    auto* half_sums = memory.take<float>(n_rows * blocks * 2);
    constexpr int64_t kRowsPerPiece = 4;
    run.for_pieces(n_rows, kRowsPerPiece, [&](int64_t first, int64_t last, int) {
        for (int64_t t = first; t < last; ++t) {
            run.kernels.matmul->quantize_row(x + t * width, width, q + t * width, scales + t * blocks,
                                             scaled_sums + t * blocks, half_sums + t * blocks * 2);
        }
    });
    activations.q = q;
    activations.scales = scales;
    activations.scaled_sums = scaled_sums;
    activations.half_sums = half_sums;
    return activations;
}

size_t product_scratch_bytes(const Run& run, const Weight& weight, int64_t n_rows) {
    if (is_few(n_rows)) return 0;
    return run.kernels.matmul->panel_scratch_bytes(weight.type->type, weight.row_length());
}

int64_t rows_per_task(const Run& run, int64_t n_weight_rows, int64_t n_activation_rows, int64_t row_bytes) {
    // More activation rows make a weight row more work, so fewer of them are enough for a task.
    const int64_t worth =
        ceil_div(kMinTaskBytes, row_bytes * std::max<int64_t>(1, n_activation_rows / kMaxFewRows));
    const int64_t fair = ceil_div(n_weight_rows, run.n_threads() * kTasksPerThread);
    return ceil_div(std::max({worth, fair, int64_t(1)}), int64_t(kPanelRows)) * kPanelRows;
}

void multiply_range(const Run& run, const ProductRange& range, const Activations& x, float* out,
                    int64_t out_stride, Carver scratch) {
    const Weight& weight = *range.weight;
    const int64_t row_bytes = weight.row_bytes();
    const std::byte* first_row = weight.matrix(range.matrix) + range.first * row_bytes;
    if (is_few(x.n_rows)) {
        run.kernels.matmul->row_dot(weight.type->type)({.type = weight.type,
                                                        .weights = first_row,
                                                        .row_bytes = row_bytes,
                                                        .n_rows = range.count,
                                                        .x = x,
                                                        .out = out,
                                                        .out_stride = out_stride});
        return;
    }
    auto* panel = scratch.take<std::byte>(static_cast<int64_t>(product_scratch_bytes(run, weight, x.n_rows)));
    for (int64_t r = 0; r < range.count; r += kPanelRows) {
        run.kernels.matmul->panel_product(
            {.type = weight.type,
             .weights = first_row + r * row_bytes,
             .row_bytes = row_bytes,
             .n_rows = static_cast<int32_t>(std::min<int64_t>(kPanelRows, range.count - r)),
             .x = x,
             .out = out + r,
             .out_stride = out_stride,
             .scratch = panel});
    }
}

void lower(const Linear& op, const Node& node, Run& run) {
    const int64_t n_rows = run.n_rows(node.in[0]);
    const int64_t width = run.width(node.in[0]);
    std::vector<const Weight*> weights;
    PartTasks tasks;
    size_t scratch_bytes = 0;
    for (const LinearPart& part : op.parts) {
        weights.push_back(part.weight);
        tasks.add(part.weight->n_rows(),
                  rows_per_task(run, part.weight->n_rows(), n_rows, part.weight->row_bytes()));
        scratch_bytes = std::max(scratch_bytes, product_scratch_bytes(run, *part.weight, n_rows));
    }
    Carver memory(run.workspace.require(activation_bytes(n_rows, width)));
    const Activations x = prepare_activations(run, run.data(node.in[0]), n_rows, width, weights, memory);
    const bool has_residual = node.in.size() > 1;
    run.pool.run(
        tasks.n_tasks,
        [&](int64_t task, int thread) {
            size_t i;
            int64_t first, count;
            tasks.locate(task, i, first, count);
            const LinearPart& part = op.parts[i];
            const int64_t out_width = part.weight->n_rows();
            float* out = run.data(node.out[i]) + first;
            const Carver scratch(run.thread_scratch[static_cast<size_t>(thread)].require(scratch_bytes));
            multiply_range(run, {part.weight, 0, first, count}, x, out, out_width, scratch);
            const Epilogue epilogue{.scale = part.scale,
                                    .bias = run.floats.get(part.bias),
                                    .activation = op.activation,
                                    .residual = has_residual && i == 0 ? run.data(node.in[1]) : nullptr,
                                    .residual_stride = out_width};
            epilogue.apply(*run.kernels.vector, out, out_width, n_rows, first, count);
        },
        run.control.n_threads);
}

void lower(const GatedLinear& op, const Node& node, Run& run) {
    const int64_t n_rows = run.n_rows(node.in[0]);
    const int64_t width = run.width(node.in[0]);
    const int64_t hidden = run.width(node.out[0]);
    const bool is_merged = op.gate.weight == nullptr;
    const LinearPart& gate = is_merged ? op.up : op.gate;
    const int64_t up_offset = is_merged ? hidden : 0;
    const Weight* const weights[] = {gate.weight, op.up.weight};
    Carver memory(run.workspace.require(activation_bytes(n_rows, width)));
    const Activations x = prepare_activations(run, run.data(node.in[0]), n_rows, width, weights, memory);

    const int64_t task_rows =
        rows_per_task(run, hidden, n_rows, gate.weight->row_bytes() + op.up.weight->row_bytes());
    Carver measure(nullptr);
    measure.take<float>(n_rows * task_rows);
    measure.take<float>(n_rows * task_rows);
    const size_t scratch_bytes = measure.used() + std::max(product_scratch_bytes(run, *gate.weight, n_rows),
                                                           product_scratch_bytes(run, *op.up.weight, n_rows));
    const float* gate_bias = run.floats.get(gate.bias);
    const float* up_bias = run.floats.get(op.up.bias);
    float* out = run.data(node.out[0]);
    run.pool.run(
        ceil_div(hidden, task_rows),
        [&](int64_t task, int thread) {
            const int64_t first = task * task_rows;
            const int64_t count = std::min(task_rows, hidden - first);
            Carver scratch(run.thread_scratch[static_cast<size_t>(thread)].require(scratch_bytes));
            auto* gates = scratch.take<float>(n_rows * task_rows);
            auto* ups = scratch.take<float>(n_rows * task_rows);
            multiply_range(run, {gate.weight, 0, first, count}, x, gates, count, scratch);
            multiply_range(run, {op.up.weight, 0, first + up_offset, count}, x, ups, count, scratch);
            const VectorKernels& v = *run.kernels.vector;
            Epilogue{.scale = gate.scale, .bias = gate_bias}.apply(v, gates, count, n_rows, first, count);
            Epilogue{.scale = op.up.scale, .bias = up_bias}.apply(v, ups, count, n_rows, first + up_offset,
                                                                  count);
            for (int64_t t = 0; t < n_rows; ++t) {
                v.gate(op.activation, op.limits, gates + t * count, ups + t * count, out + t * hidden + first,
                       count);
            }
        },
        run.control.n_threads);
}

}  // namespace cria::cpu
