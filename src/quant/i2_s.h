// I2_S: ternary weights of a whole tensor under one scale. Not a row type: the scale stands behind all codes,
// so a tensor is decoded at once.
#pragma once

#include <cstddef>
#include <span>

namespace cria {

// bytes: the whole tensor (tensor_bytes); out: all its elements, in order. Throws Error{invalid_file} when
// the sizes do not belong together (out.size() / 4 + 32 bytes, a multiple of 128 elements). Thread-safe.
void decode_i2_s(std::span<const std::byte> bytes, std::span<float> out);

}  // namespace cria
