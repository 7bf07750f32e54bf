// Mixture of experts: choose experts per token, gather the tokens of each expert, run its feed-forward on
// them, and add the results up.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/lowering.h"
#include "base/checked.h"

namespace cria::cpu {
namespace {

// The experts of each token and the tokens of each expert.
struct Assignment {
    int32_t n_used = 0;
    std::vector<int32_t> expert;    // [token][n_used]
    std::vector<float> weight;      // [token][n_used]
    std::vector<int32_t> slot;      // [token][n_used]: row in the gathered matrices
    std::vector<int32_t> first;     // [expert + 1]: its rows are [first[e], first[e + 1])
    std::vector<int32_t> token;     // [row]
    std::vector<float> row_weight;  // [row]
};

void probabilities(const Run& run, RouterKind kind, const float* logits, float* p, int64_t n) {
    std::copy(logits, logits + n, p);
    switch (kind) {
        case RouterKind::softmax:
            run.kernels.vector->softmax(p, n);
            break;
        case RouterKind::sigmoid:
            run.kernels.vector->activate(Activation::sigmoid, p, p, n);
            break;
        case RouterKind::softmax_selected:
            break;
        case RouterKind::sqrt_softplus:
            run.kernels.vector->activate(Activation::softplus, p, p, n);
            for (int64_t i = 0; i < n; ++i) p[i] = std::sqrt(p[i]);
            break;
    }
}

// The group's score is the sum of its two best; experts outside the best n_groups_used groups lose their
// chance.
void keep_best_groups(const Routing& routing, float* selection, int64_t n_experts) {
    const int64_t size = n_experts / routing.n_groups;
    std::vector<std::pair<float, int32_t>> groups;
    for (int32_t g = 0; g < routing.n_groups; ++g) {
        float best = -INFINITY, second = -INFINITY;
        for (int64_t e = g * size; e < (g + 1) * size; ++e) {
            if (selection[e] > best) {
                second = best;
                best = selection[e];
            } else if (selection[e] > second) {
                second = selection[e];
            }
        }
        groups.emplace_back(size > 1 ? best + second : best, g);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = static_cast<size_t>(routing.n_groups_used); i < groups.size(); ++i) {
        std::fill_n(selection + groups[i].second * size, size, -INFINITY);
    }
}

void weigh(const Run& run, const Routing& routing, float* weights) {
    const int32_t n = routing.n_used;
    if (routing.kind == RouterKind::softmax_selected) run.kernels.vector->softmax(weights, n);
    if (routing.normalise) {
        const float sum = std::accumulate(weights, weights + n, 0.0f);
        const float divisor = std::max(sum, routing.normalise_floor);
        for (int32_t i = 0; i < n; ++i) weights[i] /= divisor;
    }
    for (int32_t i = 0; i < n; ++i) weights[i] *= routing.scale;
}

void choose_experts(const Run& run, const Routing& routing, const float* logits, int64_t n_experts,
                    int32_t* experts, float* weights) {
    std::vector<float> p(static_cast<size_t>(n_experts));
    probabilities(run, routing.kind, logits, p.data(), n_experts);
    std::vector<float> selection = p;
    if (const float* bias = run.floats.get(routing.selection_bias); bias != nullptr) {
        for (int64_t e = 0; e < n_experts; ++e) selection[static_cast<size_t>(e)] += bias[e];
    }
    if (routing.n_groups > 1) keep_best_groups(routing, selection.data(), n_experts);
    std::vector<int32_t> order(static_cast<size_t>(n_experts));
    std::iota(order.begin(), order.end(), 0);
    // NaN sorts last and ties keep the lower index, so the order is always defined.
    const auto better = [&](int32_t a, int32_t b) {
        const float x = selection[static_cast<size_t>(a)];
        const float y = selection[static_cast<size_t>(b)];
        if (x > y || (y != y && x == x)) return true;
        return !(y > x) && !(x != x && y == y) && a < b;
    };
    std::partial_sort(order.begin(), order.begin() + routing.n_used, order.end(), better);
    for (int32_t i = 0; i < routing.n_used; ++i) {
        experts[i] = order[static_cast<size_t>(i)];
        weights[i] = p[static_cast<size_t>(experts[i])];
    }
    weigh(run, routing, weights);
}

Assignment assign(const Run& run, const Routing& routing, const float* logits, int64_t n_tokens,
                  int64_t n_experts) {
    Assignment a;
    a.n_used = routing.n_used;
    const auto n_rows = static_cast<size_t>(n_tokens * routing.n_used);
    a.expert.resize(n_rows);
    a.weight.resize(n_rows);
    a.slot.resize(n_rows);
    a.token.resize(n_rows);
    a.row_weight.resize(n_rows);
    constexpr int64_t kTokensPerPiece = 8;
    run.for_pieces(n_tokens, kTokensPerPiece, [&](int64_t first, int64_t last, int) {
        for (int64_t t = first; t < last; ++t) {
            choose_experts(run, routing, logits + t * n_experts, n_experts,
                           a.expert.data() + t * routing.n_used, a.weight.data() + t * routing.n_used);
        }
    });
    a.first.assign(static_cast<size_t>(n_experts) + 1, 0);
    for (const int32_t e : a.expert) ++a.first[static_cast<size_t>(e) + 1];
    std::partial_sum(a.first.begin(), a.first.end(), a.first.begin());
    std::vector<int32_t> next(a.first.begin(), a.first.end() - 1);
    for (size_t i = 0; i < n_rows; ++i) {
        const int32_t row = next[static_cast<size_t>(a.expert[i])]++;
        a.slot[i] = row;
        a.token[static_cast<size_t>(row)] = static_cast<int32_t>(i / static_cast<size_t>(routing.n_used));
        a.row_weight[static_cast<size_t>(row)] = a.weight[i];
    }
    return a;
}

// Tasks over (expert with tokens, range of weight rows).
struct ExpertTasks {
    struct Task {
        int32_t expert;
        int64_t first, count;
    };
    std::vector<Task> tasks;

    ExpertTasks(const Run& run, const Assignment& a, int64_t n_weight_rows, int64_t row_bytes) {
        for (size_t e = 0; e + 1 < a.first.size(); ++e) {
            const int64_t n_rows = a.first[e + 1] - a.first[e];
            if (n_rows == 0) continue;
            const int64_t step = rows_per_task(run, n_weight_rows, n_rows, row_bytes);
            for (int64_t first = 0; first < n_weight_rows; first += step) {
                tasks.push_back({static_cast<int32_t>(e), first, std::min(step, n_weight_rows - first)});
            }
        }
    }
};

struct Expert {
    const MoeFeedForward& op;
    const Run& run;
    const Assignment& a;

    int64_t n_rows(int32_t e) const {
        return a.first[static_cast<size_t>(e) + 1] - a.first[static_cast<size_t>(e)];
    }

    // Columns [first, first + count) of one part's products for all rows of expert e, into out[row *
    // out_stride + c].
    void multiply(const LinearPart& part, int32_t e, int64_t first, int64_t count, const Activations& all,
                  float* out, int64_t out_stride, Carver scratch) const {
        const Activations x = all.rows(a.first[static_cast<size_t>(e)], static_cast<int32_t>(n_rows(e)));
        multiply_range(run, {part.weight, e, first, count}, x, out, out_stride, scratch);
        const float* bias = run.floats.get(part.bias);
        const VectorKernels& v = *run.kernels.vector;
        for (int64_t r = 0; r < n_rows(e); ++r) {
            float* y = out + r * out_stride;
            if (part.scale != 1.0f) v.scale(part.scale, y, y, count);
            if (bias != nullptr) v.add(y, bias + e * part.weight->n_rows() + first, y, count);
        }
    }
};

// hidden[row][c] = activation(gate) * up, or activation(up) without a gate.
void run_up(const Expert& expert, const Activations& x, int64_t hidden_width, float* hidden) {
    const MoeFeedForward& op = expert.op;
    const Run& run = expert.run;
    const LinearPart& gate = op.merged_gate_up ? op.up : op.gate;
    const int64_t up_offset = op.merged_gate_up ? hidden_width : 0;
    const ExpertTasks list(run, expert.a, hidden_width, op.up.weight->row_bytes() * 2);
    run.pool.run(
        static_cast<int64_t>(list.tasks.size()),
        [&](int64_t index, int thread) {
            const auto& task = list.tasks[static_cast<size_t>(index)];
            const int64_t n = expert.n_rows(task.expert);
            Carver measure(nullptr);
            measure.take<float>(n * task.count);
            measure.take<float>(n * task.count);
            Carver scratch(run.thread_scratch[static_cast<size_t>(thread)].require(
                measure.used() + product_scratch_bytes(run, *op.up.weight, n) +
                (gate.weight == nullptr ? 0 : product_scratch_bytes(run, *gate.weight, n))));
            auto* ups = scratch.take<float>(n * task.count);
            auto* gates = scratch.take<float>(n * task.count);
            const VectorKernels& v = *run.kernels.vector;
            expert.multiply(op.up, task.expert, task.first + up_offset, task.count, x, ups, task.count,
                            scratch);
            if (gate.weight != nullptr) {
                expert.multiply(gate, task.expert, task.first, task.count, x, gates, task.count, scratch);
            }
            for (int64_t r = 0; r < n; ++r) {
                float* out = hidden + (expert.a.first[static_cast<size_t>(task.expert)] + r) * hidden_width +
                             task.first;
                if (gate.weight != nullptr) {
                    v.gate(op.activation, op.limits, gates + r * task.count, ups + r * task.count, out,
                           task.count);
                } else {
                    v.activate(op.activation, ups + r * task.count, out, task.count);
                }
            }
        },
        run.control.n_threads);
}

void run_down(const Expert& expert, const Activations& x, int64_t width, float* out) {
    const MoeFeedForward& op = expert.op;
    const Run& run = expert.run;
    const ExpertTasks list(run, expert.a, width, op.down.weight->row_bytes());
    run.pool.run(
        static_cast<int64_t>(list.tasks.size()),
        [&](int64_t index, int thread) {
            const auto& task = list.tasks[static_cast<size_t>(index)];
            const int64_t n = expert.n_rows(task.expert);
            const Carver scratch(run.thread_scratch[static_cast<size_t>(thread)].require(
                product_scratch_bytes(run, *op.down.weight, n)));
            float* rows = out + expert.a.first[static_cast<size_t>(task.expert)] * width + task.first;
            expert.multiply(op.down, task.expert, task.first, task.count, x, rows, width, scratch);
        },
        run.control.n_threads);
}

// Each token's sum in the order of its choices, whatever the order its experts ran in.
void add_up(const Run& run, const MoeFeedForward& op, const Assignment& a, const float* rows,
            int64_t n_tokens, int64_t width, float* out) {
    const float* expert_scale = run.floats.get(op.expert_scale);
    run.for_pieces(n_tokens, 4, [&](int64_t first, int64_t last, int) {
        for (int64_t t = first; t < last; ++t) {
            float* y = out + t * width;
            std::fill(y, y + width, 0.0f);
            for (int32_t i = 0; i < a.n_used; ++i) {
                const auto at = static_cast<size_t>(t * a.n_used + i);
                float weight = op.routing.weight_before ? 1.0f : a.weight[at];
                if (expert_scale != nullptr) weight *= expert_scale[a.expert[at]];
                run.kernels.vector->axpy(weight, rows + a.slot[at] * width, y, width);
            }
        }
    });
}

}  // namespace

void lower(const MoeFeedForward& op, const Node& node, Run& run) {
    const int64_t n_tokens = run.n_rows(node.in[0]);
    if (n_tokens == 0) return;
    const int64_t width = run.width(node.in[0]);
    const int64_t hidden_width = op.down.weight->row_length();
    const int64_t out_width = run.width(node.out[0]);
    const Assignment a = assign(run, op.routing, run.data(node.in[1]), n_tokens, run.width(node.in[1]));
    const auto n_rows = static_cast<int64_t>(a.token.size());

    Carver measure(nullptr);
    measure.take<float>(n_rows * width);
    measure.take<float>(n_rows * hidden_width);
    measure.take<float>(n_rows * out_width);
    Carver memory(run.workspace.require(measure.used() + activation_bytes(n_rows, width) +
                                        activation_bytes(n_rows, hidden_width)));
    auto* gathered = memory.take<float>(n_rows * width);
    auto* hidden = memory.take<float>(n_rows * hidden_width);
    auto* rows = memory.take<float>(n_rows * out_width);
    const float* x = run.data(node.in[0]);
    run.for_pieces(n_rows, 16, [&](int64_t first, int64_t last, int) {
        for (int64_t r = first; r < last; ++r) {
            const float* from = x + a.token[static_cast<size_t>(r)] * width;
            const float weight = op.routing.weight_before ? a.row_weight[static_cast<size_t>(r)] : 1.0f;
            run.kernels.vector->scale(weight, from, gathered + r * width, width);
        }
    });
    const Expert expert{op, run, a};
    const Weight* const up_weights[] = {op.gate.weight, op.up.weight};
    const Weight* const down_weights[] = {op.down.weight};
    run_up(expert, prepare_activations(run, gathered, n_rows, width, up_weights, memory), hidden_width,
           hidden);
    run_down(expert, prepare_activations(run, hidden, n_rows, hidden_width, down_weights, memory), out_width,
             rows);
    add_up(run, op, a, rows, n_tokens, out_width, run.data(node.out[0]));
}

}  // namespace cria::cpu
