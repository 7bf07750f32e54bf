// How a block's bytes and its fields correspond. A format writes its layout once, as a template over the
// direction: with Reader the stored bits are gathered into fields, with Writer the same statements scatter
// the fields into (zeroed) bytes. Index formulas are those of the format's description: e counts the elements
// of a block, k the row inside an interleaved group.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace cria::quant {

// Stored bits [shift, shift + width) are the field's bits [at, at + width).
struct Reader {
    static constexpr bool kReads = true;
    template <typename Field>
    static void bits(uint8_t stored, int shift, int width, Field& field, int at = 0) {
        field = static_cast<Field>(field | ((stored >> shift) & ((1 << width) - 1)) << at);
    }
    template <typename Field>
    static void value(const uint8_t* stored, Field& field) {
        std::memcpy(&field, stored, sizeof(Field));
    }
};
struct Writer {
    static constexpr bool kReads = false;
    template <typename Field>
    static void bits(uint8_t& stored, int shift, int width, const Field& field, int at = 0) {
        stored = static_cast<uint8_t>(stored | ((field >> at) & ((1 << width) - 1)) << shift);
    }
    template <typename Field>
    static void value(uint8_t* stored, const Field& field) {
        std::memcpy(stored, &field, sizeof(Field));
    }
};

// A field of `width` bits at bit `first` of little-endian bytes; may cross bytes.
template <typename Io>
void packed(Io io, auto* bytes, int first, int width, auto& field) {
    for (int i = 0; i < width; ++i) io.bits(bytes[(first + i) / 8], (first + i) % 8, 1, field, i);
}

// A field that is stored in another form: `coded` maps a field's value to the stored code, `field_of` a code
// to the field.
template <typename Io>
void recoded(Io io, auto& stored, int shift, int width, auto& field, auto code_of, auto field_of) {
    uint8_t code = 0;
    if constexpr (!Io::kReads) code = code_of(field);
    io.bits(stored, shift, width, code);
    if constexpr (Io::kReads) field = field_of(code);
}

// ---- Quants of one row ----

// 32 elements in 16 bytes: low nibbles, then high nibbles.
template <typename Io>
void nibbles_of_32(Io io, auto* qs, auto& q) {
    for (int e = 0; e < 32; ++e) io.bits(qs[e % 16], 4 * (e / 16), 4, q[e]);
}
// 256 elements: the same for every 32 of them.
template <typename Io>
void nibbles_by_32(Io io, auto* qs, auto& q) {
    for (int e = 0; e < 256; ++e) io.bits(qs[16 * (e / 32) + e % 16], 4 * (e % 32 / 16), 4, q[e]);
}
// 256 elements: 32 low nibbles, 32 high nibbles for every 64 of them.
template <typename Io>
void nibbles_by_64(Io io, auto* qs, auto& q) {
    for (int e = 0; e < 256; ++e) io.bits(qs[32 * (e / 64) + e % 32], 4 * (e % 64 / 32), 4, q[e]);
}
// 256 elements: two bits each, four elements that are 32 apart in one byte.
template <typename Io>
void two_bit_planes(Io io, auto* qs, auto& q, int at = 0) {
    for (int e = 0; e < 256; ++e) io.bits(qs[32 * (e / 128) + e % 32], 2 * (e % 128 / 32), 2, q[e], at);
}
// 256 elements: one bit each, eight elements that are 32 apart in one byte.
template <typename Io>
void one_bit_planes(Io io, auto* qh, auto& q, int at) {
    for (int e = 0; e < 256; ++e) io.bits(qh[e % 32], e / 32, 1, q[e], at);
}

// ---- Quants of row k in a group; n elements, sub-blocks of 32 one after the other ----

// Four rows, nibbles.
template <typename Io>
void nibbles_r4(Io io, auto* qs, int n, int k, auto& q) {
    for (int e = 0; e < n; ++e) {
        const int f = e % 32;
        const int lane = f / 16 + 2 * (f / 4 % 2);
        io.bits(qs[64 * (e / 32) + 16 * lane + 4 * k + e % 4], 4 * (f / 8 % 2), 4, q[e]);
    }
}
// Eight rows, nibbles.
template <typename Io>
void nibbles_r8(Io io, auto* qs, int n, int k, auto& q) {
    for (int e = 0; e < n; ++e) {
        const int f = e % 32;
        io.bits(qs[128 * (e / 32) + 32 * (f % 16 / 4) + 4 * k + e % 4], 4 * (f / 16), 4, q[e]);
    }
}
// Four rows, two bits.
template <typename Io>
void two_bits_r4(Io io, auto* qs, int n, int k, auto& q) {
    for (int e = 0; e < n; ++e) io.bits(qs[16 * (e / 16) + 4 * k + e % 4], 2 * (e / 4 % 4), 2, q[e]);
}
// Four rows, one bit, 256 elements: sub-block c has 16 bytes; `bit_of(f)` says which bit element f of 32 has.
template <typename Io>
void high_bits_r4(Io io, auto* qh, int n, int k, auto& q, int at, auto bit_of) {
    for (int e = 0; e < n; ++e) io.bits(qh[16 * (e / 32) + 4 * k + e % 4], bit_of(e % 32), 1, q[e], at);
}
// Four rows, the upper two of six bits; `shift_of(f)` as above.
template <typename Io>
void high_two_bits_r4(Io io, auto* qh, int n, int k, auto& q, auto shift_of) {
    for (int e = 0; e < n; ++e) io.bits(qh[16 * (e / 16) + 4 * k + e % 4], shift_of(e % 32), 2, q[e], 4);
}
// R rows, whole bytes, four elements of each row together.
template <int kRows, typename Io>
void bytes_by_4(Io io, auto* qs, int n, int k, auto& q) {
    for (int e = 0; e < n; ++e) io.value(&qs[4 * kRows * (e / 4) + 4 * k + e % 4], q[e]);
}

}  // namespace cria::quant
