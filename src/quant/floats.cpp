// Plain numbers: floats of 16, 32 and 64 bits, and integers (never weights of a matrix product).
#include "quant/families.h"

namespace cria::quant {

namespace {

constexpr TypeInfo kTypes[] = {
    {.type = ElementType::f32, .name = "f32", .block_elements = 1, .block_bytes = 4, .is_cache_type = true},
    {.type = ElementType::f16, .name = "f16", .block_elements = 1, .block_bytes = 2, .is_cache_type = true},
    {.type = ElementType::i8, .name = "i8", .block_elements = 1, .block_bytes = 1, .is_integer = true},
    {.type = ElementType::i16, .name = "i16", .block_elements = 1, .block_bytes = 2, .is_integer = true},
    {.type = ElementType::i32, .name = "i32", .block_elements = 1, .block_bytes = 4, .is_integer = true},
    {.type = ElementType::i64, .name = "i64", .block_elements = 1, .block_bytes = 8, .is_integer = true},
    {.type = ElementType::f64, .name = "f64", .block_elements = 1, .block_bytes = 8},
    {.type = ElementType::bf16, .name = "bf16", .block_elements = 1, .block_bytes = 2, .is_cache_type = true},
};

}  // namespace

std::span<const TypeInfo> float_types() { return kTypes; }

}  // namespace cria::quant
