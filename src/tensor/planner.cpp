// First-fit placement over the lifetimes of values.
#include "tensor/planner.h"

#include <algorithm>

namespace cria {
namespace {

constexpr size_t kAlignment = 64;

struct Lifetime {
    size_t first = SIZE_MAX;  // node that writes it
    size_t last = 0;          // last node that touches it
};

std::vector<Lifetime> lifetimes_of(const Graph& graph) {
    std::vector<Lifetime> lifetimes(graph.values.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const auto touch = [&](ValueId id) {
            Lifetime& life = lifetimes[static_cast<size_t>(id.index)];
            life.first = std::min(life.first, n);
            life.last = std::max(life.last, n);
        };
        for (const ValueId id : graph.nodes[n].in) touch(id);
        for (const ValueId id : graph.nodes[n].out) touch(id);
    }
    return lifetimes;
}

size_t value_bytes(const ValueInfo& info, const PlanSize& size) {
    const int64_t rows = info.rows == RowKind::tokens ? size.n_tokens : size.n_outputs;
    const auto bytes = static_cast<size_t>(rows * info.width) * sizeof(float);
    return (bytes + kAlignment - 1) & ~(kAlignment - 1);
}

struct Placed {
    size_t offset, bytes, last;
};

// The lowest offset where `bytes` fit between blocks that are still alive. Keeps `alive` sorted by offset.
size_t place(std::vector<Placed>& alive, size_t bytes, size_t last) {
    size_t offset = 0;
    auto position = alive.begin();
    for (; position != alive.end() && position->offset < offset + bytes; ++position) {
        offset = std::max(offset, position->offset + position->bytes);
    }
    alive.insert(position, {offset, bytes, last});
    return offset;
}

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const PlanSize& size) {
    const std::vector<Lifetime> lifetimes = lifetimes_of(graph);
    MemoryPlan plan;
    plan.size = size;
    plan.offsets.assign(graph.values.size(), 0);
    std::vector<Placed> alive;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        std::erase_if(alive, [n](const Placed& block) { return block.last < n; });
        for (const ValueId id : graph.nodes[n].out) {
            const auto v = static_cast<size_t>(id.index);
            if (lifetimes[v].first != n || id == graph.logits || id == graph.embeddings) continue;
            const size_t bytes = value_bytes(graph.values[v], size);
            plan.offsets[v] = place(alive, bytes, lifetimes[v].last);
            plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[v] + bytes);
        }
    }
    return plan;
}

}  // namespace cria
