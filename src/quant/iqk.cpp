// Types with sub-block scales and a fixed curve of values, chosen per sub-block from two shifted copies.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::iq2_k,
     .name = "iq2_k",
     .block_elements = 256,
     .block_bytes = 76,
     .is_quantized = true},
    {.type = ElementType::iq3_k,
     .name = "iq3_k",
     .block_elements = 256,
     .block_bytes = 110,
     .is_quantized = true},
    {.type = ElementType::iq4_k,
     .name = "iq4_k",
     .block_elements = 256,
     .block_bytes = 144,
     .is_quantized = true},
    {.type = ElementType::iq5_k,
     .name = "iq5_k",
     .block_elements = 256,
     .block_bytes = 176,
     .is_quantized = true},
    {.type = ElementType::iq6_k,
     .name = "iq6_k",
     .block_elements = 256,
     .block_bytes = 212,
     .is_quantized = true},
    {.type = ElementType::iq4_ks,
     .name = "iq4_ks",
     .block_elements = 256,
     .block_bytes = 136,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq2_ks,
     .name = "iq2_ks",
     .block_elements = 256,
     .block_bytes = 70,
     .row_header_bytes = 2,
     .is_quantized = true},
    {.type = ElementType::iq4_kss,
     .name = "iq4_kss",
     .block_elements = 256,
     .block_bytes = 128,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq5_ks,
     .name = "iq5_ks",
     .block_elements = 256,
     .block_bytes = 168,
     .row_header_bytes = 4,
     .is_quantized = true},
    {.type = ElementType::iq3_ks,
     .name = "iq3_ks",
     .block_elements = 256,
     .block_bytes = 102,
     .row_header_bytes = 2,
     .is_quantized = true},
    {.type = ElementType::iq2_kl,
     .name = "iq2_kl",
     .block_elements = 256,
     .block_bytes = 86,
     .row_header_bytes = 2,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> iqk_types() { return kTypes; }

}  // namespace cria::quant
