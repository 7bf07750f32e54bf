// K-quants: 256 elements, a 4- to 8-bit scale (and minimum) for each 16 or 32 of them, values on a straight
// line.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::q2_k,
     .name = "q2_k",
     .block_elements = 256,
     .block_bytes = 84,
     .is_quantized = true},
    {.type = ElementType::q3_k,
     .name = "q3_k",
     .block_elements = 256,
     .block_bytes = 110,
     .is_quantized = true},
    {.type = ElementType::q4_k,
     .name = "q4_k",
     .block_elements = 256,
     .block_bytes = 144,
     .is_quantized = true},
    {.type = ElementType::q5_k,
     .name = "q5_k",
     .block_elements = 256,
     .block_bytes = 176,
     .is_quantized = true},
    {.type = ElementType::q6_k,
     .name = "q6_k",
     .block_elements = 256,
     .block_bytes = 210,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> k_quant_types() { return kTypes; }

}  // namespace cria::quant
