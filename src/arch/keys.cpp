// Checked reading of hyper-parameters.
#include "arch/keys.h"

#include <cmath>

namespace cria::arch {
namespace {

float finite(const std::string& key, float value) {
    if (!std::isfinite(value))
        fail(ErrorCode::invalid_file, "{} is {}, expected a finite number", key, value);
    return value;
}

}  // namespace

int64_t Keys::checked(std::string_view name, int64_t value, int64_t least, int64_t most) const {
    if (value < least || value > most) {
        fail(ErrorCode::invalid_file, "{} is {}, expected {} to {}", full(name), value, least, most);
    }
    return value;
}

float Keys::real(std::string_view name, float fallback) const {
    const auto found = find<float>(name);
    return found ? finite(full(name), *found) : fallback;
}

float Keys::required_real(std::string_view name) const { return finite(full(name), get<float>(name)); }

std::vector<int64_t> Keys::per_layer(std::string_view name, int64_t n_layers, int64_t least, int64_t most,
                                     std::optional<int64_t> fallback) const {
    const gguf::Value* value = metadata_.find(full(name));
    const auto n = static_cast<size_t>(n_layers);
    if (value == nullptr || !value->is_array()) {
        return std::vector<int64_t>(n, integer(name, least, most, fallback));
    }
    std::vector<int64_t> values = get<std::vector<int64_t>>(name);
    if (values.size() < n) {
        fail(ErrorCode::invalid_file, "{} has {} values for {} layers", full(name), values.size(), n_layers);
    }
    values.resize(n);
    for (const int64_t v : values) checked(name, v, least, most);
    return values;
}

}  // namespace cria::arch
