// Building graphs: shape checks and the book-keeping of values.
#include "tensor/graph.h"

#include <fmt/core.h>

#include "base/error.h"

namespace cria {

const char* operation_name(const Operation& operation) {
    struct Name {
        const char* operator()(const Embed&) const { return "embed"; }
        const char* operator()(const AddEmbedding&) const { return "add_embedding"; }
        const char* operator()(const Norm&) const { return "norm"; }
        const char* operator()(const Linear&) const { return "linear"; }
        const char* operator()(const GatedLinear&) const { return "gated_linear"; }
        const char* operator()(const Rope&) const { return "rope"; }
        const char* operator()(const Attention&) const { return "attention"; }
        const char* operator()(const MoeFeedForward&) const { return "moe_feed_forward"; }
        const char* operator()(const Binary&) const { return "binary"; }
        const char* operator()(const Unary&) const { return "unary"; }
        const char* operator()(const Columns&) const { return "columns"; }
        const char* operator()(const SelectOutputs&) const { return "select_outputs"; }
        const char* operator()(const AddControlVector&) const { return "add_control_vector"; }
    };
    return std::visit(Name{}, operation);
}

void GraphBuilder::require(bool condition, const char* operation, const std::string& what) const {
    if (!condition) fail(ErrorCode::internal, "graph: {} in layer {}: {}", operation, layer_, what);
}

void GraphBuilder::require_part(const LinearPart& part, int64_t in_width, int64_t bias_rows,
                                const char* operation) const {
    require(part.weight != nullptr, operation, "no weight");
    require(part.weight->row_length() == in_width, operation,
            fmt::format("'{}' takes rows of {}, its input has {}", part.weight->name,
                        part.weight->row_length(), in_width));
    require(part.bias == nullptr || part.bias->n_elements() == part.weight->n_rows() * bias_rows, operation,
            fmt::format("bias of '{}' has the wrong size", part.weight->name));
}

ValueId GraphBuilder::new_value(RowKind rows, int64_t width, const char* name) {
    require(width > 0, name, "empty value");
    graph_.values.push_back(
        {rows, width, layer_ < 0 ? std::string(name) : fmt::format("{}-{}", name, layer_)});
    return {static_cast<int32_t>(graph_.values.size() - 1)};
}

// One output with the row kind of the first input.
ValueId GraphBuilder::append(Operation op, std::vector<ValueId> in, int64_t width, const char* name) {
    for (const ValueId id : in) require(id.is_valid(), operation_name(op), "missing input");
    const ValueId out = new_value(info(in[0]).rows, width, name);
    graph_.nodes.push_back({std::move(op), std::move(in), {out}, layer_});
    return out;
}

ValueId GraphBuilder::embed(const Embed& op, int64_t width, const char* name) {
    require(op.table != nullptr && op.table->row_length() == width, "embed",
            "the table does not fit the width");
    const ValueId out = new_value(RowKind::tokens, width, name);
    graph_.nodes.push_back({op, {}, {out}, layer_});
    return out;
}

ValueId GraphBuilder::add_embedding(const AddEmbedding& op, ValueId x, const char* name) {
    require(op.table != nullptr && op.table->row_length() == info(x).width, "add_embedding",
            "the table does not fit the width");
    return append(op, {x}, info(x).width, name);
}

ValueId GraphBuilder::norm(const Norm& op, ValueId x, const char* name) {
    const int64_t width = info(x).width;
    const int64_t group = op.group_width == 0 ? width : op.group_width;
    require(width % group == 0, "norm", fmt::format("groups of {} do not divide a row of {}", group, width));
    for (const Weight* weight : {op.weight, op.bias}) {
        if (weight == nullptr) continue;
        const int64_t n = weight->n_elements();
        require(n == group || n == width, "norm",
                fmt::format("'{}' has {} elements, expected {}", weight->name, n, group));
    }
    return append(op, {x}, width, name);
}

ValueId GraphBuilder::linear(const LinearPart& part, ValueId x, const char* name, Activation activation,
                             ValueId residual) {
    require_part(part, info(x).width, 1, "linear");
    std::vector<ValueId> in{x};
    if (residual.is_valid()) {
        require(info(residual).width == part.weight->n_rows() && info(residual).rows == info(x).rows,
                "linear", "the residual has another shape");
        in.push_back(residual);
    }
    return append(Linear{{part}, activation}, std::move(in), part.weight->n_rows(), name);
}

std::vector<ValueId> GraphBuilder::linear(const Linear& op, ValueId x,
                                          const std::vector<const char*>& names) {
    require(!op.parts.empty() && op.parts.size() == names.size(), "linear",
            "parts and names differ in number");
    std::vector<ValueId> out;
    for (size_t i = 0; i < op.parts.size(); ++i) {
        require_part(op.parts[i], info(x).width, 1, "linear");
        out.push_back(new_value(info(x).rows, op.parts[i].weight->n_rows(), names[i]));
    }
    graph_.nodes.push_back({op, {x}, out, layer_});
    return out;
}

ValueId GraphBuilder::gated_linear(const GatedLinear& op, ValueId x, const char* name) {
    require_part(op.up, info(x).width, 1, "gated_linear");
    int64_t width = op.up.weight->n_rows();
    if (op.gate.weight != nullptr) {
        require_part(op.gate, info(x).width, 1, "gated_linear");
        require(op.gate.weight->n_rows() == width, "gated_linear", "gate and up differ in width");
    } else {
        require(width % 2 == 0, "gated_linear", "the merged gate and up matrix has an odd number of rows");
        width /= 2;
    }
    return append(op, {x}, width, name);
}

std::vector<ValueId> GraphBuilder::rope(const Rope& op, const std::vector<ValueId>& values,
                                        const std::vector<const char*>& names) {
    require(values.size() == op.n_heads.size() && values.size() == names.size(), "rope",
            "values and heads differ in number");
    std::vector<ValueId> out;
    for (size_t i = 0; i < values.size(); ++i) {
        const int64_t width = info(values[i]).width;
        require(op.n_heads[i] > 0 && width % op.n_heads[i] == 0 && op.params.n_rot <= width / op.n_heads[i] &&
                    op.params.n_rot % 2 == 0,
                "rope",
                fmt::format("{} of each head of a row of {} with {} heads", op.params.n_rot, width,
                            op.n_heads[i]));
        out.push_back(new_value(info(values[i]).rows, width, names[i]));
    }
    graph_.nodes.push_back({op, values, out, layer_});
    return out;
}

ValueId GraphBuilder::attention(const Attention& op, ValueId q, ValueId k, ValueId v, const char* name) {
    const AttentionParams& p = op.params;
    require(p.n_heads > 0 && p.kv_heads > 0 && p.n_heads % p.kv_heads == 0, "attention",
            "the heads do not divide");
    require(info(q).width == int64_t(p.n_heads) * p.k_dim, "attention", "the query has the wrong width");
    require(k.is_valid() == v.is_valid(), "attention", "k and v come together");
    std::vector<ValueId> in{q};
    if (k.is_valid()) {
        require(info(k).width == int64_t(p.kv_heads) * p.k_dim, "attention", "the key has the wrong width");
        require(info(v).width == int64_t(p.kv_heads) * p.v_dim, "attention", "the value has the wrong width");
        in.insert(in.end(), {k, v});
    }
    return append(op, std::move(in), int64_t(p.n_heads) * p.v_dim, name);
}

ValueId GraphBuilder::moe_feed_forward(const MoeFeedForward& op, ValueId x, ValueId router_logits,
                                       const char* name) {
    const int64_t width = info(x).width;
    const int64_t n_experts = info(router_logits).width;
    require_part(op.up, width, n_experts, "moe_feed_forward");
    const int64_t hidden = op.merged_gate_up ? op.up.weight->n_rows() / 2 : op.up.weight->n_rows();
    if (op.gate.weight != nullptr) require_part(op.gate, width, n_experts, "moe_feed_forward");
    require_part(op.down, hidden, n_experts, "moe_feed_forward");
    for (const Weight* weight : {op.gate.weight, op.up.weight, op.down.weight}) {
        require(weight == nullptr || weight->n_matrices() == n_experts, "moe_feed_forward",
                fmt::format("a weight has not one matrix for each of {} experts", n_experts));
    }
    require(op.routing.n_used >= 1 && op.routing.n_used <= n_experts, "moe_feed_forward",
            fmt::format("{} of {} experts used", op.routing.n_used, n_experts));
    return append(op, {x, router_logits}, op.down.weight->n_rows(), name);
}

ValueId GraphBuilder::binary(const Binary& op, ValueId a, ValueId b, const char* name) {
    require(a.is_valid() && b.is_valid(), "binary", "missing input");
    require(info(a).rows == info(b).rows, "binary", "rows of two kinds");
    require(info(a).width % info(b).width == 0, "binary",
            fmt::format("widths {} and {}", info(a).width, info(b).width));
    return append(op, {a, b}, info(a).width, name);
}

ValueId GraphBuilder::unary(const Unary& op, ValueId x, const char* name) {
    return append(op, {x}, info(x).width, name);
}

ValueId GraphBuilder::columns(const Columns& op, ValueId x, const char* name) {
    const int64_t width = info(x).width;
    require(op.group_width > 0 && width % op.group_width == 0 && op.offset >= 0 && op.length > 0 &&
                op.offset + op.length <= op.group_width,
            "columns", "the columns are outside the row");
    return append(op, {x}, width / op.group_width * op.length, name);
}

ValueId GraphBuilder::select_outputs(ValueId x, const char* name) {
    require(info(x).rows == RowKind::tokens, "select_outputs", "the rows are outputs already");
    const ValueId out = new_value(RowKind::outputs, info(x).width, name);
    graph_.nodes.push_back({SelectOutputs{}, {x}, {out}, layer_});
    return out;
}

ValueId GraphBuilder::add_control_vector(const AddControlVector& op, ValueId x, const char* name) {
    return append(op, {x}, info(x).width, name);
}

Graph GraphBuilder::finish(ValueId logits, ValueId embeddings) {
    graph_.logits = logits;
    graph_.embeddings = embeddings;
    return std::move(graph_);
}

}  // namespace cria
