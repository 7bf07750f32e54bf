// From a model's spec to the graph of one context.
#pragma once

#include <cstdint>
#include <optional>

#include "arch/spec.h"
#include "tensor/graph.h"

namespace cria::arch {

enum class GraphOutput : uint8_t { logits, embeddings };

// Changes to the rope settings of the file; empty fields keep them.
struct RopeOverrides {
    std::optional<RopeScaling::Kind> kind;
    std::optional<float> base;
    std::optional<float> scale;  // of positions (1 / factor)
    std::optional<float> ext_factor, attn_factor, beta_fast, beta_slow;
    std::optional<int32_t> original_context;
};

struct GraphOptions {
    GraphOutput output = GraphOutput::logits;
    int64_t n_ctx_per_sequence = 0;  // chooses between long and short rope factors
    bool has_control_vectors = false;
    RopeOverrides rope;
};

// The graph's weights are the spec's: it must outlive the graph.
Graph build_graph(const ModelSpec& spec, const GraphOptions& options);

// The rope parameters of one layer under these options; what a position shift has to turn by. kind none:
// nothing.
RopeParams layer_rope(const ModelSpec& spec, int64_t layer, const GraphOptions& options);

}  // namespace cria::arch
