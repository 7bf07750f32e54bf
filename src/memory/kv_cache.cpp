// Allocation of keys and values.
#include "memory/kv_cache.h"

#include <cstring>
#include <string>

#include "base/checked.h"
#include "base/error.h"

namespace cria::memory {
namespace {

std::string cache_type_names() {
    std::string names;
    for (const TypeInfo* type : all_types()) {
        if (type->is_cache_type) names += (names.empty() ? "" : ", ") + std::string(type->name);
    }
    return names;
}

int64_t checked_row_bytes(ElementType type, int64_t width, const char* what, size_t layer) {
    const TypeInfo& info = type_info(type);
    if (!info.is_cache_type) {
        fail(ErrorCode::unsupported, "cache type {} for {}: expected one of {}", info.name, what,
             cache_type_names());
    }
    if (width % info.block_elements != 0) {
        fail(ErrorCode::unsupported,
             "cache type {} for {}: its blocks of {} do not divide the rows of {} in layer {}; use f16",
             info.name, what, info.block_elements, width, layer);
    }
    return row_bytes(info, width);
}

size_t checked_layer_bytes(int64_t row, int32_t n_cells) {
    const auto bytes = checked_mul<uint64_t>(static_cast<uint64_t>(row), static_cast<uint64_t>(n_cells));
    if (!bytes || *bytes > (uint64_t(1) << 46))
        fail(ErrorCode::out_of_memory, "a cache of {} cells is too large", n_cells);
    return static_cast<size_t>(*bytes);
}

}  // namespace

size_t kv_cache_bytes(std::span<const KvLayer> layers, int32_t n_cells) {
    size_t total = 0;
    for (size_t i = 0; i < layers.size(); ++i) {
        total +=
            checked_layer_bytes(checked_row_bytes(layers[i].k_type, layers[i].k_width, "keys", i), n_cells);
        total +=
            checked_layer_bytes(checked_row_bytes(layers[i].v_type, layers[i].v_width, "values", i), n_cells);
    }
    return total;
}

KvCache::KvCache(std::span<const KvLayer> layers, int32_t n_cells)
    : n_cells_(n_cells), total_bytes_(kv_cache_bytes(layers, n_cells)) {
    for (const KvLayer& layer : layers) {
        KvStorage storage{.k_type = &type_info(layer.k_type),
                          .v_type = &type_info(layer.v_type),
                          .k_width = layer.k_width,
                          .v_width = layer.v_width,
                          .k_row_bytes = row_bytes(type_info(layer.k_type), layer.k_width),
                          .v_row_bytes = row_bytes(type_info(layer.v_type), layer.v_width)};
        storage.k =
            buffers_.emplace_back(static_cast<size_t>(storage.k_row_bytes) * static_cast<size_t>(n_cells))
                .data();
        storage.v =
            buffers_.emplace_back(static_cast<size_t>(storage.v_row_bytes) * static_cast<size_t>(n_cells))
                .data();
        layers_.push_back(storage);
    }
}

void KvCache::move_cells(std::span<const std::pair<int32_t, int32_t>> moves) {
    for (const KvStorage& layer : layers_) {
        for (const auto& [from, to] : moves) {
            std::memcpy(layer.k + to * layer.k_row_bytes, layer.k + from * layer.k_row_bytes,
                        static_cast<size_t>(layer.k_row_bytes));
            std::memcpy(layer.v + to * layer.v_row_bytes, layer.v + from * layer.v_row_bytes,
                        static_cast<size_t>(layer.v_row_bytes));
        }
    }
}

}  // namespace cria::memory
