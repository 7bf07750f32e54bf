// Trellis types: a stored code starts a generator that yields the values of 4 or 8 consecutive elements.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::iq2_kt,
     .name = "iq2_kt",
     .block_elements = 256,
     .block_bytes = 68,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq3_kt,
     .name = "iq3_kt",
     .block_elements = 256,
     .block_bytes = 100,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq4_kt,
     .name = "iq4_kt",
     .block_elements = 256,
     .block_bytes = 128,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq1_kt,
     .name = "iq1_kt",
     .block_elements = 256,
     .block_bytes = 56,
     .row_header_bytes = 4,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> trellis_types() { return kTypes; }

}  // namespace cria::quant
