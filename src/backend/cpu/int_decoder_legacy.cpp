// Integer form of the types with one scale per block of 32 elements or per row.
#include <algorithm>

#include "backend/cpu/int_decoder_families.h"
#include "quant/grids.h"

namespace cria::cpu {
namespace {

// 32 elements in 16 bytes: low nibbles, then high nibbles.
void nibbles_of_32(const uint8_t* qs, int8_t* q) {
    for (int e = 0; e < 32; ++e) q[e] = static_cast<int8_t>(nibble(qs[e % 16], e / 16));
}

void decode_q4_0(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    nibbles_of_32(block + 2, out.q);
    for (int e = 0; e < 32; ++e) out.q[e] = static_cast<int8_t>(out.q[e] - 8);
}

void decode_q4_1(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    out.offsets[0] = read_f16(block + 2);
    nibbles_of_32(block + 4, out.q);
}

void decode_q5_0(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    const uint32_t high = read_u32(block + 2);
    nibbles_of_32(block + 6, out.q);
    for (int e = 0; e < 32; ++e) out.q[e] = static_cast<int8_t>((out.q[e] | one_bit(high, e) << 4) - 16);
}

void decode_q5_1(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    out.offsets[0] = read_f16(block + 2);
    const uint32_t high = read_u32(block + 4);
    nibbles_of_32(block + 8, out.q);
    for (int e = 0; e < 32; ++e) out.q[e] = static_cast<int8_t>(out.q[e] | one_bit(high, e) << 4);
}

void decode_q6_0(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    nibbles_of_32(block + 10, out.q);
    for (int e = 0; e < 32; ++e) {
        const int i = e % 16;
        const int high = two_bits(block[2 + i % 8], 4 * (i / 8) + 2 * (e / 16));
        out.q[e] = static_cast<int8_t>((out.q[e] | high << 4) - 32);
    }
}

void decode_q8_0(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    std::memcpy(out.q, block + 2, 32);
}

void decode_q8_1(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    std::memcpy(out.q, block + 4, 32);
}

void decode_q8_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    std::fill_n(out.scales, 8, read_f32(block));
    std::memcpy(out.q, block + 8, 256);
}

void decode_q8_kv(const uint8_t* header, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f32(header);
    std::memcpy(out.q, block, 32);
}

void decode_mxfp4(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    // 2^(E - 128); E = 0 and 1 are denormals of f32.
    out.scales[0] = block[0] > 1 ? std::bit_cast<float>(uint32_t(block[0] - 1) << 23)
                                 : std::bit_cast<float>(0x200000u << block[0]);
    for (int e = 0; e < 32; ++e) out.q[e] = quant::kMxfp4[nibble(block[1 + e % 16], e / 16)];
}

void decode_iq4_nl(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    out.scales[0] = read_f16(block);
    for (int e = 0; e < 32; ++e) out.q[e] = quant::kIq4k[nibble(block[2 + e % 16], e / 16)];
}

void decode_q1_0_g128(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    std::fill_n(out.scales, 4, read_f16(block));
    for (int e = 0; e < 128; ++e) out.q[e] = one_bit(block[2 + e / 8], e % 8) != 0 ? 1 : -1;
}

constexpr IntDecoderRow kDecoders[] = {
    {ElementType::q4_0, {.decode_block = decode_q4_0}},
    {ElementType::q4_1, {.decode_block = decode_q4_1, .has_offset = true}},
    {ElementType::q5_0, {.decode_block = decode_q5_0}},
    {ElementType::q5_1, {.decode_block = decode_q5_1, .has_offset = true}},
    {ElementType::q6_0, {.decode_block = decode_q6_0}},
    {ElementType::q8_0, {.decode_block = decode_q8_0}},
    {ElementType::q8_1, {.decode_block = decode_q8_1}},
    {ElementType::q8_k, {.decode_block = decode_q8_k}},
    {ElementType::q8_kv, {.decode_block = decode_q8_kv}},
    {ElementType::mxfp4, {.decode_block = decode_mxfp4}},
    {ElementType::iq4_nl, {.decode_block = decode_iq4_nl}},
    {ElementType::q1_0_g128, {.decode_block = decode_q1_0_g128}},
};

}  // namespace

std::span<const IntDecoderRow> legacy_int_decoders() { return kDecoders; }

}  // namespace cria::cpu
