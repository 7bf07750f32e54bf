// Arbitrary bytes through every decoder: nothing behind the bytes is read, and interleaved rows mean the same
// when taken apart.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quant/i2_s.h"
#include "quant/types.h"

namespace {

using cria::TypeInfo;

// As many groups of rows of n elements as the bytes hold, from a block that ends with them.
void decode_all(const TypeInfo& info, int64_t n, const uint8_t* data, size_t size) {
    const int64_t group_bytes = cria::row_bytes(info, n) * info.group_rows;
    const int64_t n_rows = static_cast<int64_t>(size) / group_bytes * info.group_rows;
    const size_t n_bytes = static_cast<size_t>(cria::row_bytes(info, n) * n_rows);
    const std::unique_ptr<std::byte[]> exact(new std::byte[n_bytes]);
    std::copy_n(reinterpret_cast<const std::byte*>(data), n_bytes, exact.get());
    std::vector<float> out(static_cast<size_t>(n * n_rows));
    info.decode(exact.get(), out.data(), n_rows, n);
    if (info.deinterleave == nullptr) return;

    const TypeInfo& base = cria::type_info(*info.base_type);
    std::vector<std::byte> apart(static_cast<size_t>(cria::row_bytes(base, n) * n_rows));
    std::vector<float> again(out.size());
    info.deinterleave(exact.get(), apart.data(), n_rows, n);
    base.decode(apart.data(), again.data(), n_rows, n);
    for (size_t i = 0; i < out.size(); ++i) {
        if (out[i] != again[i] && !(std::isnan(out[i]) && std::isnan(again[i]))) __builtin_trap();
    }
}

}  // namespace

// The first byte picks the type, the second the length of rows.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const auto types = cria::all_types();
    const TypeInfo& info = *types[data[0] % types.size()];
    const int64_t n = info.block_elements * (1 + data[1] % 4);
    if (info.decode != nullptr) decode_all(info, n, data + 2, size - 2);
    if (info.type == cria::ElementType::i2_s && size >= 34) {
        const size_t n_elements = (size - 34) / 32 * 128;
        std::vector<float> out(n_elements);
        cria::decode_i2_s(std::as_bytes(std::span(data + 2, n_elements / 4 + 32)), out);
    }
    return 0;
}
