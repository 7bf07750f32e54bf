// Arbitrary finite floats and importance through every encoder: what was written decodes to finite numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "quant/types.h"

namespace {

// `count` floats from the data, repeated as needed; what is not finite becomes 1.
std::vector<float> floats_from(const uint8_t* data, size_t size, int64_t count) {
    std::vector<float> floats(static_cast<size_t>(count), 0.0f);
    for (size_t i = 0; i < floats.size() && size >= sizeof(float); ++i) {
        std::memcpy(&floats[i], data + i % (size / sizeof(float)) * sizeof(float), sizeof(float));
        if (!std::isfinite(floats[i])) floats[i] = 1.0f;
    }
    return floats;
}

}  // namespace

// The first byte picks the type, the second whether there is an importance.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const auto types = cria::all_types();
    const cria::TypeInfo& info = *types[data[0] % types.size()];
    if (info.encode == nullptr || !info.is_quantized) return 0;
    const int64_t n = 256;
    const std::vector<float> x = floats_from(data + 2, size - 2, n * info.group_rows);
    std::vector<float> importance = floats_from(data + size / 2, size - size / 2, n);
    for (float& weight : importance) weight = std::abs(weight);
    std::vector<std::byte> bytes(static_cast<size_t>(cria::row_bytes(info, n) * info.group_rows));
    std::vector<float> y(x.size());
    info.encode(x.data(), bytes.data(), info.group_rows, n, data[1] % 2 != 0 ? importance.data() : nullptr);
    info.decode(bytes.data(), y.data(), info.group_rows, n);
    if (!std::ranges::all_of(y, [](float value) { return std::isfinite(value); })) __builtin_trap();
    return 0;
}
