// The order of int8 activations for AVX-512: of each whole 128 elements, first the first halves of the four
// blocks of 32, then their second halves. A register then holds a quarter of 16 bytes of each block: nibbles
// need no moving apart, and the products of both halves add up in the same lanes, so that four blocks are
// scaled at once. What is left of a row after the last whole 128 is in order.
#pragma once

#include <cstdint>

namespace cria::cpu {
namespace {

// Where 16 consecutive elements, number `piece` of the row, begin.
inline int64_t piece_place(int64_t row_length, int64_t piece) {
    const int64_t in_128 = piece % 8;
    if (piece / 8 >= row_length / 128) return 16 * piece;
    return piece / 8 * 128 + in_128 % 2 * 64 + in_128 / 2 * 16;
}

}  // namespace
}  // namespace cria::cpu
