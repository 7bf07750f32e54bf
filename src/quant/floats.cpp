// Plain numbers: floats of 16, 32 and 64 bits, and integers (never weights of a matrix product).
#include "quant/families.h"
#include "quant/format.h"

namespace cria::quant {
namespace {

void decode_f32(const std::byte* rows, float* out, int64_t n_rows, int64_t n) {
    std::copy_n(rows, static_cast<size_t>(n_rows * n) * sizeof(float), reinterpret_cast<std::byte*>(out));
}
void encode_f32(const float* in, std::byte* rows, int64_t n_rows, int64_t n, const float*) {
    std::copy_n(reinterpret_cast<const std::byte*>(in), static_cast<size_t>(n_rows * n) * sizeof(float), rows);
}

// Tensors in a file are aligned, but a caller's rows need not be: words are copied one by one.
template <float (*to_f32)(uint16_t)>
void decode_halves(const std::byte* rows, float* out, int64_t n_rows, int64_t n) {
    for (int64_t i = 0; i < n_rows * n; ++i) {
        uint16_t half;
        std::memcpy(&half, rows + 2 * i, sizeof(half));
        out[i] = to_f32(half);
    }
}
template <uint16_t (*from_f32)(float)>
void encode_halves(const float* in, std::byte* rows, int64_t n_rows, int64_t n, const float*) {
    for (int64_t i = 0; i < n_rows * n; ++i) {
        const uint16_t half = from_f32(in[i]);
        std::memcpy(rows + 2 * i, &half, sizeof(half));
    }
}

void decode_f64(const std::byte* rows, float* out, int64_t n_rows, int64_t n) {
    for (int64_t i = 0; i < n_rows * n; ++i) {
        double value;
        std::memcpy(&value, rows + 8 * i, sizeof(value));
        out[i] = static_cast<float>(value);
    }
}
void encode_f64(const float* in, std::byte* rows, int64_t n_rows, int64_t n, const float*) {
    for (int64_t i = 0; i < n_rows * n; ++i) {
        const double value = in[i];
        std::memcpy(rows + 8 * i, &value, sizeof(value));
    }
}

// clang-format off
constexpr TypeInfo kTypes[] = {
    {.type = ElementType::f32, .name = "f32", .block_bytes = 4, .is_cache_type = true,
     .decode = decode_f32, .encode = encode_f32, .encode_fast = encode_f32},
    {.type = ElementType::f16, .name = "f16", .block_bytes = 2, .is_cache_type = true,
     .decode = decode_halves<f16_to_f32>, .encode = encode_halves<f32_to_f16>, .encode_fast = encode_halves<f32_to_f16>},
    {.type = ElementType::bf16, .name = "bf16", .block_bytes = 2, .is_cache_type = true,
     .decode = decode_halves<bf16_to_f32>, .encode = encode_halves<f32_to_bf16>, .encode_fast = encode_halves<f32_to_bf16>},
    {.type = ElementType::f64, .name = "f64", .block_bytes = 8, .decode = decode_f64, .encode = encode_f64},
    {.type = ElementType::i8, .name = "i8", .block_bytes = 1, .is_integer = true},
    {.type = ElementType::i16, .name = "i16", .block_bytes = 2, .is_integer = true},
    {.type = ElementType::i32, .name = "i32", .block_bytes = 4, .is_integer = true},
    {.type = ElementType::i64, .name = "i64", .block_bytes = 8, .is_integer = true},
};
// clang-format on

}  // namespace

std::span<const TypeInfo> float_types() { return kTypes; }

}  // namespace cria::quant
