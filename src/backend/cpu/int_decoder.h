// Quantised weights in integer form, in plain C++: w[k] = scale[k / group] * q[k] + offset[k / group], exact
// but for the rounding of that expression in f32. This is what a quantised type means to the products: the
// definition of every int8 kernel, and the way for types that have no kernel of their own. Layouts:
// quant_formats.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "quant/types.h"

namespace cria::cpu {

// Elements decoded at once at the most; a multiple of every type's block.
inline constexpr int64_t kIntChunk = 256;

struct IntSpan {
    int8_t* q = nullptr;       // [count]
    float* scales = nullptr;   // [count / group]
    float* offsets = nullptr;  // [count / group]; written only by types with has_offset
};

// One block of row k of a group (k = 0 for types that are not interleaved). header: the group's row headers,
// before its blocks.
using DecodeIntBlock = void (*)(const uint8_t* header, const uint8_t* block, int k, const IntSpan& out);

struct IntDecoder {
    DecodeIntBlock decode_block = nullptr;  // null: the type has no integer form
    int32_t group = 32;                     // 16 or 32
    bool has_offset = false;
};

// The decoder of a type.
IntDecoder int_decoder(ElementType type);

// Elements [first, first + count) of row k of the group of rows that starts at `rows`.
struct IntSource {
    const std::byte* rows = nullptr;
    int32_t k = 0;
    int64_t first = 0;  // a multiple of kIntChunk
    int64_t count = 0;  // at most kIntChunk, a multiple of the type's block
};
void decode_ints(const TypeInfo& type, const IntDecoder& decoder, const IntSource& source,
                 const IntSpan& out);

}  // namespace cria::cpu
