// Runs graphs. One executor belongs to one context and one graph; a backend provides the implementation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/micro_batch.h"
#include "tensor/graph.h"
#include "tensor/planner.h"

namespace cria {

// Sees a value right after it was computed: rows x info.width floats, valid during the call. `node` made it.
// Returning false stops the run.
using ValueObserver =
    std::function<bool(const Node& node, const ValueInfo& info, const float* data, int64_t n_rows)>;
// Asked for between operations; true stops the run.
using StopCheck = std::function<bool()>;

struct RunControl {
    int n_threads = 0;                        // 0: all the executor has
    const StopCheck* stop = nullptr;          // may be null
    const ValueObserver* observer = nullptr;  // may be null
    float* result = nullptr;                  // [output_rows][width of logits or embeddings]
};

// Time spent in one kind of operation.
struct OperationTime {
    std::string name;
    double seconds = 0.0;
    int64_t n_calls = 0;
};

// Not thread-safe: one run at a time.
class Executor {
  public:
    virtual ~Executor() = default;

    // Computes the graph for one micro-batch. Throws Error{cancelled} when stopped: K and V of layers that
    // ran are stored then, results are undefined. Allocates only when a larger batch or context than ever
    // before comes along.
    virtual void run(const MicroBatch& batch, const RunControl& control) = 0;

    // Bytes of working memory that runs up to this size need, beyond weights and cache.
    virtual size_t working_bytes(const PlanSize& size) const = 0;

    // Turns the stored K of a layer's cells: cell cells[i] by rope of deltas[i] positions. For position
    // shifts.
    virtual void rotate_keys(const KvStorage& kv, const AttentionParams& attention, const RopeParams& rope,
                             std::span<const int32_t> cells, std::span<const int32_t> deltas) = 0;

    // Since the last reset, when profiling is on.
    virtual std::vector<OperationTime> profile() const { return {}; }
    virtual void set_profiling(bool) {}
};

}  // namespace cria
