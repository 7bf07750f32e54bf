// Private to int_decoder*.cpp: each family of types hands over its decoders, and what they share.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "backend/cpu/int_decoder.h"
#include "base/half.h"

namespace cria::cpu {

struct IntDecoderRow {
    ElementType type;
    IntDecoder decoder;
};
std::span<const IntDecoderRow> legacy_int_decoders();
std::span<const IntDecoderRow> k_quant_int_decoders();

inline uint16_t read_u16(const uint8_t* p) {
    uint16_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline uint32_t read_u32(const uint8_t* p) {
    uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}
inline float read_f16(const uint8_t* p) { return f16_to_f32(read_u16(p)); }
inline float read_f32(const uint8_t* p) { return std::bit_cast<float>(read_u32(p)); }

// Nibble `high` (0 or 1) of a byte; two bits of it from bit `shift`; one bit of it.
inline int nibble(uint8_t byte, int high) { return (byte >> (4 * high)) & 15; }
inline int two_bits(uint8_t byte, int shift) { return (byte >> shift) & 3; }
inline int one_bit(uint32_t bits, int index) { return static_cast<int>((bits >> index) & 1); }

}  // namespace cria::cpu
