// Reads a model's hyper-parameters: metadata keys "<architecture>.<name>", checked against bounds. Every
// error names the key in full, the value found and what was expected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gguf/metadata.h"

namespace cria::arch {

class Keys {
  public:
    // metadata must outlive this.
    Keys(const gguf::Metadata& metadata, std::string_view architecture)
        : metadata_(metadata), prefix_(std::string(architecture) + ".") {}

    bool has(std::string_view name) const { return metadata_.contains(full(name)); }
    bool is_array(std::string_view name) const {
        const gguf::Value* value = metadata_.find(full(name));
        return value != nullptr && value->is_array();
    }

    template <typename T>
    std::optional<T> find(std::string_view name) const {
        return metadata_.get_optional<T>(full(name));
    }
    template <typename T>
    T get(std::string_view name, T fallback) const {
        return metadata_.get_optional<T>(full(name)).value_or(fallback);
    }
    template <typename T>
    T get(std::string_view name) const {
        return metadata_.get<T>(full(name));
    }

    // An integer that must lie in [least, most]. Without fallback the key is required.
    int64_t integer(std::string_view name, int64_t least, int64_t most,
                    std::optional<int64_t> fallback = std::nullopt) const {
        const auto found = find<int64_t>(name);
        if (!found && fallback) return *fallback;
        return checked(name, found ? *found : get<int64_t>(name), least, most);
    }
    // A finite float.
    float real(std::string_view name, float fallback) const;
    float required_real(std::string_view name) const;

    // One integer per layer: the key holds a number (for all layers) or an array of at least n_layers;
    // missing: fallback for all, or an error without one.
    std::vector<int64_t> per_layer(std::string_view name, int64_t n_layers, int64_t least, int64_t most,
                                   std::optional<int64_t> fallback = std::nullopt) const;

    std::string full(std::string_view name) const { return prefix_ + std::string(name); }
    int64_t checked(std::string_view name, int64_t value, int64_t least, int64_t most) const;

  private:
    const gguf::Metadata& metadata_;
    std::string prefix_;
};

}  // namespace cria::arch
