// Integer form of the K-quants and IQ4_XS: 256 elements with small integer scales for each 16 or 32 of them.
#include "backend/cpu/int_decoder_families.h"
#include "quant/grids.h"

namespace cria::cpu {
namespace {

// Two bits per element, four elements that are 32 apart in one byte.
int plane_2(const uint8_t* qs, int e) { return two_bits(qs[32 * (e / 128) + e % 32], 2 * (e % 128 / 32)); }
// 32 low nibbles, then 32 high nibbles for every 64 elements.
int nibble_of_64(const uint8_t* qs, int e) { return nibble(qs[32 * (e / 64) + e % 32], e % 64 / 32); }

void decode_q2_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    const float d = read_f16(block + 80);
    const float dmin = read_f16(block + 82);
    for (int s = 0; s < 16; ++s) {
        out.scales[s] = d * static_cast<float>(nibble(block[s], 0));
        out.offsets[s] = -(dmin * static_cast<float>(nibble(block[s], 1)));
    }
    for (int e = 0; e < 256; ++e) out.q[e] = static_cast<int8_t>(plane_2(block + 16, e));
}

void decode_q3_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    const float d = read_f16(block + 108);
    const uint8_t* scales = block + 96;
    for (int s = 0; s < 16; ++s) {
        const int scale = nibble(scales[s % 8], s / 8) | two_bits(scales[8 + s % 4], 2 * (s / 4)) << 4;
        out.scales[s] = d * static_cast<float>(scale - 32);
    }
    for (int e = 0; e < 256; ++e) {
        out.q[e] = static_cast<int8_t>((plane_2(block + 32, e) | one_bit(block[e % 32], e / 32) << 2) - 4);
    }
}

// Scales and offsets of Q4_K and Q5_K: d, dmin, then 6 bits for each scale and minimum in 12 bytes.
void scales_and_minima(const uint8_t* block, const IntSpan& out) {
    const float d = read_f16(block);
    const float dmin = read_f16(block + 2);
    const uint8_t* s = block + 4;
    for (int c = 0; c < 8; ++c) {
        const int scale = c < 4 ? s[c] & 63 : (s[c + 4] & 15) | (s[c - 4] >> 6) << 4;
        const int minimum = c < 4 ? s[c + 4] & 63 : (s[c + 4] >> 4) | (s[c] >> 6) << 4;
        out.scales[c] = d * static_cast<float>(scale);
        out.offsets[c] = -(dmin * static_cast<float>(minimum));
    }
}

void decode_q4_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    scales_and_minima(block, out);
    for (int e = 0; e < 256; ++e) out.q[e] = static_cast<int8_t>(nibble_of_64(block + 16, e));
}

void decode_q5_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    scales_and_minima(block, out);
    for (int e = 0; e < 256; ++e) {
        out.q[e] =
            static_cast<int8_t>(nibble_of_64(block + 48, e) | one_bit(block[16 + e % 32], e / 32) << 4);
    }
}

void decode_q6_k(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    const float d = read_f16(block + 208);
    for (int s = 0; s < 16; ++s) {
        out.scales[s] = d * static_cast<float>(static_cast<int8_t>(block[192 + s]));
    }
    for (int e = 0; e < 256; ++e) {
        const int t = e % 128 / 32;
        const int low = nibble(block[64 * (e / 128) + 32 * (t % 2) + e % 32], t / 2);
        out.q[e] = static_cast<int8_t>((low | plane_2(block + 128, e) << 4) - 32);
    }
}

void decode_iq4_xs(const uint8_t*, const uint8_t* block, int, const IntSpan& out) {
    const float d = read_f16(block);
    const uint16_t high = read_u16(block + 2);
    for (int c = 0; c < 8; ++c) {
        const int scale = nibble(block[4 + c / 2], c % 2) | ((high >> (2 * c)) & 3) << 4;
        out.scales[c] = d * static_cast<float>(scale - 32);
    }
    for (int e = 0; e < 256; ++e) {
        out.q[e] = quant::kIq4k[nibble(block[8 + 16 * (e / 32) + e % 16], e % 32 / 16)];
    }
}

constexpr IntDecoderRow kDecoders[] = {
    {ElementType::q2_k, {.decode_block = decode_q2_k, .group = 16, .has_offset = true}},
    {ElementType::q3_k, {.decode_block = decode_q3_k, .group = 16}},
    {ElementType::q4_k, {.decode_block = decode_q4_k, .has_offset = true}},
    {ElementType::q5_k, {.decode_block = decode_q5_k, .has_offset = true}},
    {ElementType::q6_k, {.decode_block = decode_q6_k, .group = 16}},
    {ElementType::iq4_xs, {.decode_block = decode_iq4_xs}},
};

}  // namespace

std::span<const IntDecoderRow> k_quant_int_decoders() { return kDecoders; }

}  // namespace cria::cpu
