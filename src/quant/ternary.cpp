// Ternary types: every weight is -1, 0 or 1 times one scale.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::tq1_0,
     .name = "tq1_0",
     .block_elements = 256,
     .block_bytes = 54,
     .is_quantized = true},
    {.type = ElementType::tq2_0,
     .name = "tq2_0",
     .block_elements = 256,
     .block_bytes = 66,
     .is_quantized = true},
    {.type = ElementType::i2_s,
     .name = "i2_s",
     .block_elements = 128,
     .block_bytes = 32,
     .is_quantized = true},
    {.type = ElementType::iq1_bn,
     .name = "iq1_bn",
     .block_elements = 64,
     .block_bytes = 13,
     .row_header_bytes = 2,
     .is_quantized = true},
    {.type = ElementType::iq2_bn,
     .name = "iq2_bn",
     .block_elements = 64,
     .block_bytes = 16,
     .row_header_bytes = 4,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> ternary_types() { return kTypes; }

}  // namespace cria::quant
