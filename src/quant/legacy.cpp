// Types with one scale per block of 32 (or 128) elements or per row: the oldest formats of the family, and
// MXFP4.
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::q4_0,
     .name = "q4_0",
     .block_elements = 32,
     .block_bytes = 18,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q4_1,
     .name = "q4_1",
     .block_elements = 32,
     .block_bytes = 20,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q5_0,
     .name = "q5_0",
     .block_elements = 32,
     .block_bytes = 22,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q5_1,
     .name = "q5_1",
     .block_elements = 32,
     .block_bytes = 24,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q6_0,
     .name = "q6_0",
     .block_elements = 32,
     .block_bytes = 26,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q8_0,
     .name = "q8_0",
     .block_elements = 32,
     .block_bytes = 34,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::q8_1,
     .name = "q8_1",
     .block_elements = 32,
     .block_bytes = 36,
     .is_quantized = true},
    {.type = ElementType::q8_k,
     .name = "q8_k",
     .block_elements = 256,
     .block_bytes = 296,
     .is_quantized = true},
    {.type = ElementType::q8_kv,
     .name = "q8_kv",
     .block_elements = 32,
     .block_bytes = 32,
     .row_header_bytes = 8,
     .is_quantized = true,
     .is_cache_type = true},
    {.type = ElementType::mxfp4,
     .name = "mxfp4",
     .block_elements = 32,
     .block_bytes = 17,
     .is_quantized = true},
    {.type = ElementType::q1_0_g128,
     .name = "q1_0_g128",
     .block_elements = 128,
     .block_bytes = 18,
     .is_quantized = true},
};

}  // namespace

std::span<const TypeInfo> legacy_types() { return kTypes; }

}  // namespace cria::quant
