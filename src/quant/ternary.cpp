// Ternary types: the list of their types, and I2_S, which has no rows.
#include "quant/ternary.h"

#include "base/error.h"
#include "quant/families.h"
#include "quant/i2_s.h"

namespace cria {
namespace quant {
namespace {

constexpr TypeInfo kTypes[] = {
    describe<Tq1_0>({.type = ElementType::tq1_0, .name = "tq1_0"}),
    describe<Tq2_0>({.type = ElementType::tq2_0, .name = "tq2_0"}),
    {.type = ElementType::i2_s,
     .name = "i2_s",
     .block_elements = 128,
     .block_bytes = 32,
     .is_quantized = true},
    describe<Iq1Bn>({.type = ElementType::iq1_bn, .name = "iq1_bn"}),
    describe<Iq2Bn>({.type = ElementType::iq2_bn, .name = "iq2_bn"}),
};

}  // namespace

std::span<const TypeInfo> ternary_types() { return kTypes; }

}  // namespace quant

void decode_i2_s(std::span<const std::byte> bytes, std::span<float> out) {
    if (tensor_bytes(type_info(ElementType::i2_s), out.size(), 1) != bytes.size()) {
        fail(
            ErrorCode::invalid_file,
            "an i2_s tensor of {} elements has {} bytes, not a quarter of that and 32 more; get another copy",
            out.size(), bytes.size());
    }
    float d;
    std::memcpy(&d, bytes.data() + out.size() / 4, sizeof(d));
    for (size_t i = 0; i < out.size(); ++i) {
        const size_t block = i / 128, e = i % 128;
        const int code = static_cast<int>(bytes[32 * block + e % 32]) >> (6 - 2 * (e / 32)) & 3;
        out[i] = static_cast<float>(code - 1) * d;
    }
}

}  // namespace cria
