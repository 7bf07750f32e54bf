// The graph of a model: what is computed for one micro-batch, as a list of coarse operations in the order
// they run. Recipes (arch/) build it, the planner gives its values a place in one arena, and a backend's
// executor runs it.
//
// A value is a matrix of f32 with one row per token (or per output) and a fixed width; the number of rows is
// known only when a micro-batch runs, so one graph serves every batch size. Operations name their weights by
// pointer: the model outlives the graph. Adding an operation: a struct here with its formula, a case in the
// executor of each backend, a test against a plain reference.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tensor/weight.h"

namespace cria {

enum class RowKind : uint8_t {
    tokens,   // one row per token of the micro-batch
    outputs,  // one row per token whose logits or embedding was asked for
};

struct ValueId {
    int32_t index = -1;
    bool is_valid() const { return index >= 0; }
    bool operator==(const ValueId&) const = default;
};

struct ValueInfo {
    RowKind rows = RowKind::tokens;
    int64_t width = 0;
    std::string name;  // as callbacks and dumps see it: "attn_norm-3"
};

enum class Activation : uint8_t {
    none,
    silu,
    gelu,
    gelu_erf,
    gelu_quick,
    relu,
    relu_squared,
    sigmoid,
    tanh,
    softplus
};

enum class NormKind : uint8_t {
    rms,    // x / sqrt(mean(x^2) + eps)
    layer,  // (x - mean(x)) / sqrt(var(x) + eps)
    l2,     // x / max(sqrt(sum(x^2)), eps)
};

enum class RopeKind : int8_t {
    none = -1,
    normal = 0,             // pairs (2i, 2i + 1)
    neox = 2,               // pairs (i, i + n_rot / 2)
    multi = 8,              // M-RoPE: neox pairs, sections of them turn by different positions
    vision = 24,            // M-RoPE over two positions
    interleaved_multi = 40  // M-RoPE with the sections interleaved
};

// Rotary embedding of the first n_rot elements of each head (Su et al. 2021); YaRN (Peng et al. 2023) when
// ext_factor != 0. Values equal in every field turn equally, so executors compute the angles of a micro-batch
// once per distinct value.
struct RopeParams {
    RopeKind kind = RopeKind::normal;
    int32_t n_rot = 0;
    float base = 10000.0f;
    float scale = 1.0f;        // of positions: 1 / factor
    float ext_factor = 0.0f;   // YaRN: share of extrapolation
    float attn_factor = 1.0f;  // YaRN: magnitude scale of cos and sin
    float beta_fast = 32.0f;
    float beta_slow = 1.0f;
    int32_t original_context = 0;
    std::array<int32_t, 4> sections{0, 0, 0, 0};
    const Weight* factors = nullptr;  // f32 [n_rot / 2]: each frequency is divided by its factor
    bool operator==(const RopeParams&) const = default;
};

// One product of a linear operation: y = scale * (W x) + b.
struct LinearPart {
    const Weight* weight = nullptr;  // [in, out]
    const Weight* bias = nullptr;    // f32 [out], may be null
    float scale = 1.0f;
};

// --- Operations. "in" and "out" say what a node's lists hold, in this order; [x] is optional.

// out: tokens x width = scale * row of the table for each token id; batches that bring embeddings copy those
// (times scale) instead.
struct Embed {
    const Weight* table = nullptr;
    float scale = 1.0f;
};

// in: x; out: x + table[position], or x + table[fixed_row] when fixed_row >= 0 (token types).
struct AddEmbedding {
    const Weight* table = nullptr;
    int64_t fixed_row = -1;
};

// in: x; out: norm(x) * weight + bias, over groups of group_width elements (0: the whole row). The weight has
// group_width elements, or one for every element of the row.
struct Norm {
    NormKind kind = NormKind::rms;
    float eps = 1e-5f;
    const Weight* weight = nullptr;
    const Weight* bias = nullptr;
    int64_t group_width = 0;
};

// in: x [, residual]; out: one value per part = activation(part(x)), the first with residual added. One node
// for several weights that share their input, so that a backend converts it once.
struct Linear {
    std::vector<LinearPart> parts;
    Activation activation = Activation::none;
};

// Limits of gated activations: gate <- min(gate, gate_max), up <- clamp(up, +-up_limit), up + up_offset;
// alpha scales the sigmoid inside SiLU (1.702 for gpt-oss).
struct GateLimits {
    float gate_max = 0.0f;  // 0: no limit
    float up_limit = 0.0f;  // 0: no limit
    float up_offset = 0.0f;
    float alpha = 1.0f;
    bool operator==(const GateLimits&) const = default;
};

// in: x; out: activation(gate(x)) * up(x). With gate.weight null, `up` has twice the rows: first the gate's,
// then the up's.
struct GatedLinear {
    LinearPart gate;
    LinearPart up;
    Activation activation = Activation::silu;
    GateLimits limits;
};

// in: values; out: the same values with every head rotated by its token's position. n_heads[i] heads of equal
// width in value i.
struct Rope {
    RopeParams params;
    std::vector<int32_t> n_heads;
};

enum class WindowKind : uint8_t {
    none,
    sliding,    // the last `window` positions, own included
    chunked,    // positions of the own chunk of `window`
    symmetric,  // both sides: |distance| <= window / 2
};

// What a query may see and how scores are formed.
struct AttentionParams {
    int32_t cache_layer = 0;  // which K/V storage
    int32_t n_heads = 0;
    int32_t kv_heads = 0;
    int32_t k_dim = 0;  // of one head
    int32_t v_dim = 0;
    float scale = 1.0f;           // of q.k
    float softcap = 0.0f;         // c * tanh(score / c); 0: none
    float alibi_max_bias = 0.0f;  // ALiBi (Press et al. 2021); 0: none
    WindowKind window_kind = WindowKind::none;
    int32_t window = 0;
    bool is_causal = true;  // false: every cell of the sequence, whatever the batch says
    const Weight* sinks =
        nullptr;  // f32 [n_heads]: a score that takes part in the softmax and carries no value
};

// in: q [, k, v]; out: tokens x (n_heads * v_dim). Stores k and v in the cells of their tokens, then every
// query attends to the cells of its own sequence. Without k and v: reads what another layer stored.
struct Attention {
    AttentionParams params;
};

enum class RouterKind : uint8_t { softmax, sigmoid, softmax_selected, sqrt_softplus };

// How experts are chosen from the router's logits and weighted.
struct Routing {
    RouterKind kind = RouterKind::softmax;
    int32_t n_used = 0;
    const Weight* selection_bias = nullptr;  // f32 [n_experts], added for choosing only
    bool normalise = false;                  // weights divided by their sum
    float normalise_floor = 0.0f;            // least divisor
    float scale = 1.0f;                      // of the weights, last
    int32_t n_groups = 0;                    // > 1: choose groups first, by the sum of their two best
    int32_t n_groups_used = 0;
    bool weight_before = false;  // the weight multiplies the expert's input, not its output
};

// in: x, router logits; out: sum over chosen experts of weight * down(activation(gate(x)) * up(x)). Weights
// have one matrix per expert; gate null and merged_gate_up set: `up` holds both (gate first); gate null
// otherwise: no gate.
struct MoeFeedForward {
    Routing routing;
    LinearPart gate, up, down;             // biases: f32 [out, n_experts]
    const Weight* expert_scale = nullptr;  // f32 [n_experts] on each expert's output
    bool merged_gate_up = false;
    Activation activation = Activation::silu;
    GateLimits limits;
};

enum class BinaryKind : uint8_t { add, multiply };

// in: a, b; out: a op b. A narrower b (its width divides a's) is repeated: b[i / (a.width / b.width)] when
// `per_group`, else b[i mod width].
struct Binary {
    BinaryKind kind = BinaryKind::add;
    bool per_group = false;
};

// in: x; out: softcap > 0: c * tanh(y / c), else y, for y = activation(scale * x).
struct Unary {
    float scale = 1.0f;
    Activation activation = Activation::none;
    float softcap = 0.0f;
    float clamp = 0.0f;  // > 0: limit x to +-clamp first
};

// in: x; out: columns [offset, offset + length) of every group of group_width columns, packed.
struct Columns {
    int64_t group_width = 0;
    int64_t offset = 0;
    int64_t length = 0;
};

// in: x of kind tokens; out: kind outputs, the rows whose results were asked for.
struct SelectOutputs {};

// in: x; out: x + the control vector of `layer`, when one is set.
struct AddControlVector {
    int32_t layer = 0;
};

using Operation = std::variant<Embed, AddEmbedding, Norm, Linear, GatedLinear, Rope, Attention,
                               MoeFeedForward, Binary, Unary, Columns, SelectOutputs, AddControlVector>;

// The operation's name for logs and profiles: "linear".
const char* operation_name(const Operation& operation);

struct Node {
    Operation operation;
    std::vector<ValueId> in;
    std::vector<ValueId> out;
    int32_t layer = -1;
};

// Nodes in running order. A value is written by one node before others read it. Immutable once built;
// thread-safe to read.
struct Graph {
    std::vector<ValueInfo> values;
    std::vector<Node> nodes;
    ValueId logits;      // kind outputs; invalid when the model has none
    ValueId embeddings;  // kind outputs: the rows after the last norm

    const ValueInfo& info(ValueId id) const { return values[static_cast<size_t>(id.index)]; }
};

// Appends nodes and checks their shapes: every mismatch throws Error{internal} naming the operation, the
// layer and both widths.
class GraphBuilder {
  public:
    // Nodes added from now on belong to this layer; their values are called NAME-LAYER (NAME alone for layer
    // -1).
    void set_layer(int32_t layer) { layer_ = layer; }

    ValueId embed(const Embed& op, int64_t width, const char* name);
    ValueId add_embedding(const AddEmbedding& op, ValueId x, const char* name);
    ValueId norm(const Norm& op, ValueId x, const char* name);
    ValueId linear(const LinearPart& part, ValueId x, const char* name,
                   Activation activation = Activation::none, ValueId residual = {});
    std::vector<ValueId> linear(const Linear& op, ValueId x, const std::vector<const char*>& names);
    ValueId gated_linear(const GatedLinear& op, ValueId x, const char* name);
    std::vector<ValueId> rope(const Rope& op, const std::vector<ValueId>& values,
                              const std::vector<const char*>& names);
    // k and v both valid, or both invalid.
    ValueId attention(const Attention& op, ValueId q, ValueId k, ValueId v, const char* name);
    ValueId moe_feed_forward(const MoeFeedForward& op, ValueId x, ValueId router_logits, const char* name);
    ValueId binary(const Binary& op, ValueId a, ValueId b, const char* name);
    ValueId add(ValueId a, ValueId b, const char* name) { return binary({}, a, b, name); }
    ValueId unary(const Unary& op, ValueId x, const char* name);
    ValueId columns(const Columns& op, ValueId x, const char* name);
    ValueId select_outputs(ValueId x, const char* name);
    ValueId add_control_vector(const AddControlVector& op, ValueId x, const char* name);

    const ValueInfo& info(ValueId id) const { return graph_.info(id); }
    // Ends building. logits may be invalid.
    Graph finish(ValueId logits, ValueId embeddings);

  private:
    ValueId new_value(RowKind rows, int64_t width, const char* name);
    ValueId append(Operation op, std::vector<ValueId> in, int64_t width, const char* name);
    void require(bool condition, const char* operation, const std::string& what) const;
    void require_part(const LinearPart& part, int64_t in_width, int64_t bias_rows,
                      const char* operation) const;

    Graph graph_;
    int32_t layer_ = -1;
};

}  // namespace cria
