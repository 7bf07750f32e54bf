// Storage of keys and values for all attention layers of a context: one row per cell and layer.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backend/micro_batch.h"
#include "base/aligned_buffer.h"
#include "quant/types.h"

namespace cria::memory {

// Row widths and types of one layer.
struct KvLayer {
    int64_t k_width = 0;
    int64_t v_width = 0;
    ElementType k_type = ElementType::f16;
    ElementType v_type = ElementType::f16;
};

// Bytes that n_cells cells of these layers take. Throws Error{unsupported} for a type that cannot hold a
// cache, or whose block does not divide a row, naming both; Error{out_of_memory} when the size overflows.
size_t kv_cache_bytes(std::span<const KvLayer> layers, int32_t n_cells);

// Move-only. The memory is untouched zero pages until cells are written.
class KvCache {
  public:
    // Throws as kv_cache_bytes, and Error{out_of_memory} when the system has not that much.
    KvCache(std::span<const KvLayer> layers, int32_t n_cells);

    std::span<const KvStorage> layers() const { return layers_; }
    int32_t n_cells() const { return n_cells_; }
    size_t total_bytes() const { return total_bytes_; }

    // Copies the rows of cells, in order.
    void move_cells(std::span<const std::pair<int32_t, int32_t>> moves);

  private:
    std::vector<AlignedBuffer> buffers_;
    std::vector<KvStorage> layers_;
    int32_t n_cells_ = 0;
    size_t total_bytes_ = 0;
};

}  // namespace cria::memory
