// The memory planner: gives every value of a graph an offset in one arena, so that values alive at the same
// time never overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/graph.h"

namespace cria {

// The numbers of rows a plan has room for.
struct PlanSize {
    int64_t n_tokens = 0;
    int64_t n_outputs = 0;
    bool operator==(const PlanSize&) const = default;
};

struct MemoryPlan {
    PlanSize size;
    std::vector<size_t> offsets;  // bytes, by value index, each a multiple of 64
    size_t arena_bytes = 0;
};

// Places the values of `graph` for at most size.n_tokens and size.n_outputs rows, first fit by time of birth.
// The graph's results (logits, embeddings) get no place: the caller of a run says where they go.
MemoryPlan plan_memory(const Graph& graph, const PlanSize& size);

}  // namespace cria
