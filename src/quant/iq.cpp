// Code-book types: groups of 4 or 8 elements are entries of a fixed grid, and the 16-value curve of IQ4_NL.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::iq2_xxs,
     .name = "iq2_xxs",
     .block_elements = 256,
     .block_bytes = 66,
     .is_quantized = true,
     .needs_importance = true},
    {.type = ElementType::iq2_xs,
     .name = "iq2_xs",
     .block_elements = 256,
     .block_bytes = 74,
     .is_quantized = true,
     .needs_importance = true},
    {.type = ElementType::iq3_xxs,
     .name = "iq3_xxs",
     .block_elements = 256,
     .block_bytes = 98,
     .is_quantized = true},
    {.type = ElementType::iq1_s,
     .name = "iq1_s",
     .block_elements = 256,
     .block_bytes = 50,
     .is_quantized = true,
     .needs_importance = true},
    {.type = ElementType::iq4_nl,
     .name = "iq4_nl",
     .block_elements = 32,
     .block_bytes = 18,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::iq3_s,
     .name = "iq3_s",
     .block_elements = 256,
     .block_bytes = 110,
     .is_quantized = true},
    {.type = ElementType::iq2_s,
     .name = "iq2_s",
     .block_elements = 256,
     .block_bytes = 82,
     .is_quantized = true},
    {.type = ElementType::iq4_xs,
     .name = "iq4_xs",
     .block_elements = 256,
     .block_bytes = 136,
     .is_quantized = true},
    {.type = ElementType::iq1_m,
     .name = "iq1_m",
     .block_elements = 256,
     .block_bytes = 56,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> iq_types() { return kTypes; }

}  // namespace cria::quant
