// Integer forms, derived from the formats of src/quant: a format's layout gives a block's fields, and
// integers() says what they mean as scale * q + offset. Interleaved formats inherit it.
#include "backend/cpu/int_decoder.h"

#include <algorithm>
#include <cstdlib>

#include "base/half.h"
#include "quant/interleaved.h"
#include "quant/interleaved_grids.h"
#include "quant/iq.h"
#include "quant/iqk.h"
#include "quant/k_quants.h"
#include "quant/legacy.h"
#include "quant/ternary.h"
#include "quant/trellis.h"

namespace cria::cpu {
namespace {

using namespace quant;

// ---- One scale per block or row ----

// q = code - zero
void linear(const uint8_t* codes, int n, int zero, int8_t* q) {
    for (int e = 0; e < n; ++e) q[e] = static_cast<int8_t>(codes[e] - zero);
}
void integers(Q4_0, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    linear(f.q, 32, Q4_0::kZero, out.q);
}
void integers(Q4_1, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    out.offsets[0] = f16_to_f32(f.m);
    linear(f.q, 32, 0, out.q);
}
void integers(Q5_0, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    linear(f.q, 32, Q5_0::kZero, out.q);
}
void integers(Q5_1, float, const Fields32& f, const IntSpan& out) { integers(Q4_1{}, 1.0f, f, out); }
void integers(Q6_0, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    linear(f.q, 32, Q6_0::kZero, out.q);
}
// Bytes are two's complement as they are.
void integers(Q8_0, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    linear(f.q, 32, 0, out.q);
}
void integers(Q8_1, float, const Fields32& f, const IntSpan& out) { integers(Q8_0{}, 1.0f, f, out); }
void integers(Q8_K, float, const Q8_K::Fields& f, const IntSpan& out) {
    std::fill_n(out.scales, 8, f.d);
    std::copy_n(f.q, 256, out.q);
}
template <int kRows, int kZero>
void integers(Q8_KBytes<kRows, kZero>, float, const auto& f, const IntSpan& out) {
    std::fill_n(out.scales, 8, f16_to_f32(f.d));
    linear(f.q, 256, kZero, out.q);
}
void integers(Q8_KV, float row_scale, const Q8_KV::Fields& f, const IntSpan& out) {
    out.scales[0] = row_scale;
    std::copy_n(f.q, 32, out.q);
}
void integers(Mxfp4, float, const Mxfp4::Fields& f, const IntSpan& out) {
    out.scales[0] = Mxfp4::scale(f.exponent);
    for (int e = 0; e < 32; ++e) out.q[e] = kMxfp4[f.q[e]];
}
void integers(Q1_0_G128, float, const Q1_0_G128::Fields& f, const IntSpan& out) {
    std::fill_n(out.scales, 4, f16_to_f32(f.d));
    for (int e = 0; e < 128; ++e) out.q[e] = f.q[e] != 0 ? 1 : -1;
}
void integers(Iq4Nl, float, const Fields32& f, const IntSpan& out) {
    out.scales[0] = f16_to_f32(f.d);
    for (int e = 0; e < 32; ++e) out.q[e] = kIq4k[f.q[e]];
}
void integers(Iq1Bn, float row_scale, const Iq1Bn::Fields& f, const IntSpan& out) {
    std::fill_n(out.scales, 2, row_scale);
    linear(f.q, 64, 1, out.q);
}
void integers(Iq2Bn, float row_scale, const Iq1Bn::Fields& f, const IntSpan& out) {
    integers(Iq1Bn{}, row_scale, f, out);
}
void integers(Tq1_0, float, const TernaryFields& f, const IntSpan& out) {
    std::fill_n(out.scales, 8, f16_to_f32(f.d));
    linear(f.q, 256, 1, out.q);
}
void integers(Tq2_0, float, const TernaryFields& f, const IntSpan& out) { integers(Tq1_0{}, 1.0f, f, out); }

// ---- 256 elements, a scale for each 16 or 32 ----

// scales[s] = d * scale_of(s) for n sub-blocks.
void sub_scales(float d, int n, auto scale_of, const IntSpan& out) {
    for (int s = 0; s < n; ++s) out.scales[s] = d * static_cast<float>(scale_of(s));
}
void minima(const KFields& f, int n, const IntSpan& out) {
    for (int s = 0; s < n; ++s) out.offsets[s] = -(f16_to_f32(f.dmin) * static_cast<float>(f.min[s]));
}
void integers(Q2_K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return f.scale[s]; }, out);
    minima(f, 16, out);
    linear(f.q, 256, 0, out.q);
}
void integers(Q3_K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return f.scale[s] - 32; }, out);
    linear(f.q, 256, 4, out.q);
}
void integers(Q4_K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 8, [&](int c) { return f.scale[c]; }, out);
    minima(f, 8, out);
    linear(f.q, 256, 0, out.q);
}
void integers(Q5_K, float, const KFields& f, const IntSpan& out) { integers(Q4_K{}, 1.0f, f, out); }
void integers(Q6_K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return static_cast<int8_t>(f.scale[s]); }, out);
    linear(f.q, 256, 32, out.q);
}
void integers(Iq4Xs, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 8, [&](int c) { return f.scale[c] - 32; }, out);
    for (int e = 0; e < 256; ++e) out.q[e] = kIq4k[f.q[e]];
}

// ---- Curves with selectors ----

// Sub-blocks of kSize elements, each on one of two curves of kLevels values.
template <int kSize, int kLevels>
void on_curves(const KFields& f, const int8_t* curves, const IntSpan& out) {
    for (int e = 0; e < 256; ++e) out.q[e] = curves[kLevels * f.min[e / kSize] + f.q[e]];
}
void integers(Iq2K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return f.scale[s] - 8; }, out);
    on_curves<16, 4>(f, kIq2nl, out);
}
void integers(Iq3K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return Iq3K::signed_scale(f.scale[s]); }, out);
    on_curves<16, 8>(f, kIq3nl, out);
}
void integers(Iq4K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return f.scale[s] - 32; }, out);
    on_curves<16, 16>(f, kIq4k, out);
}
void integers(Iq5K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return f.scale[s] - 32; }, out);
    on_curves<16, 32>(f, kIq5nl, out);
}
// The format's polynomial rounded to integers, as products have always taken it.
void integers(Iq6K, float, const KFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 16, [&](int s) { return static_cast<int8_t>(f.scale[s]); }, out);
    for (int e = 0; e < 256; ++e) {
        out.q[e] = static_cast<int8_t>(std::lrintf(Iq6K::curve()(0, f.q[e])) + f.min[e / 16]);
    }
}
void integers(Iq2Ks, float d, const KFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return f.scale[c] - 16; }, out);
    on_curves<32, 4>(f, kIq2nl, out);
}
void integers(Iq3Ks, float d, const KFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return f.scale[c] - 16; }, out);
    on_curves<32, 8>(f, kIq3nl, out);
}
void integers(Iq4Ks, float d, const KFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return even_scale(f.scale[c]); }, out);
    on_curves<32, 16>(f, kIq4k, out);
}
void integers(Iq5Ks, float d, const KFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return even_scale(f.scale[c]); }, out);
    on_curves<32, 32>(f, kIq5nl, out);
}
void integers(Iq4Kss, float d, const KFields& f, const IntSpan& out) { integers(Iq4Ks{}, d, f, out); }
void integers(Iq2Kl, float d, const KFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return f.scale[c] - 32; }, out);
    for (int e = 0; e < 256; ++e) out.q[e] = kIq2klPairs[f.q[e / 2]][e % 2];
}

// ---- Code books ----

template <int kWidth>
void signed_entries(const GridFields& f, const auto& grid, const IntSpan& out) {
    for (int e = 0; e < 256; ++e) {
        const int magnitude = grid[f.index[e / kWidth]][e % kWidth];
        out.q[e] = static_cast<int8_t>((f.signs[e / 8] >> e % 8 & 1) != 0 ? -magnitude : magnitude);
    }
}
void integers(Iq2Xxs, float, const GridFields& f, const IntSpan& out) {
    const float d = f16_to_f32(f.d);
    for (int c = 0; c < 8; ++c) out.scales[c] = (d * (0.5f + static_cast<float>(f.scale[c]))) * 0.25f;
    signed_entries<8>(f, kIq2xxsGrid, out);
}
void integers(Iq2Xs, float, const GridFields& f, const IntSpan& out) {
    for (int s = 0; s < 16; ++s) out.scales[s] = iq2_scale(f, 2 * s);
    signed_entries<8>(f, kIq2xsGrid, out);
}
void integers(Iq2S, float, const GridFields& f, const IntSpan& out) {
    for (int s = 0; s < 16; ++s) out.scales[s] = iq2_scale(f, 2 * s);
    signed_entries<8>(f, kIq2sGrid, out);
}
void integers(Iq3Xxs, float, const GridFields& f, const IntSpan& out) {
    const float d = f16_to_f32(f.d);
    for (int c = 0; c < 8; ++c) out.scales[c] = (d * (0.5f + static_cast<float>(f.scale[c]))) * 0.5f;
    signed_entries<4>(f, kIq3xxsGrid, out);
}
void integers(Iq3S, float, const GridFields& f, const IntSpan& out) {
    sub_scales(
        f16_to_f32(f.d), 8, [&](int c) { return 1 + 2 * f.scale[c]; }, out);
    signed_entries<4>(f, kIq3sGrid, out);
}

// Eight times (entry + or - 1/8), under an eighth of the scale.
void shifted_entry(uint16_t index, uint8_t downwards, int8_t* q) {
    static_assert(kIq1Delta == 0.125f);
    for (int j = 0; j < 8; ++j)
        q[j] = static_cast<int8_t>(8 * kIq1sGrid[index][j] + (downwards != 0 ? -1 : 1));
}
void integers(Iq1S, float, const GridFields& f, const IntSpan& out) {
    const float d = f16_to_f32(f.d);
    for (int c = 0; c < 8; ++c) out.scales[c] = d * static_cast<float>(2 * f.scale[c] + 1) * kIq1Delta;
    for (int i = 0; i < 32; ++i) shifted_entry(f.index[i], f.delta[i / 4], out.q + 8 * i);
}
void integers(Iq1M, float, const GridFields& f, const IntSpan& out) {
    const float d = f16_to_f32(f.d);
    for (int s = 0; s < 16; ++s) out.scales[s] = d * static_cast<float>(2 * f.scale[s] + 1) * kIq1Delta;
    for (int i = 0; i < 32; ++i) shifted_entry(f.index[i], f.delta[i], out.q + 8 * i);
}
void integers(Iq1SR4, float d, const Iq1SR4::Fields& f, const IntSpan& out) {
    out.scales[0] = d * static_cast<float>(2 * f.scale + 1) * kIq1Delta;
    for (int g = 0; g < 4; ++g) shifted_entry(f.index[g], f.delta, out.q + 8 * g);
}
void integers(Iq1MR4, float d, const Iq1MR4::Fields& f, const IntSpan& out) {
    for (int s = 0; s < 2; ++s) out.scales[s] = d * static_cast<float>(f.scale[s]) * kIq1Delta;
    for (int g = 0; g < 4; ++g) shifted_entry(f.index[g], f.delta[g], out.q + 8 * g);
}

// ---- Trellis ----

void integers(Iq2Kt, float d, const TrellisFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return kIq4k[f.scale[c]]; }, out);
    for (int i = 0; i < 32; ++i) {
        TrellisGenerator generator(f.code[i] + kTrellisFirst);
        for (int j = 0; j < 8; ++j) out.q[8 * i + j] = static_cast<int8_t>(generator.next());
    }
}
void integers(Iq1Kt, float d, const TrellisFields& f, const IntSpan& out) { integers(Iq2Kt{}, d, f, out); }
void integers(Iq3Kt, float d, const TrellisFields& f, const IntSpan& out) {
    integers(Iq2Kt{}, d, f, out);
    sub_scales(
        d, 8, [&](int c) { return f.scale[c]; }, out);
    for (int e = 0; e < 256; ++e) {
        const int magnitude = std::abs(out.q[e]);
        out.q[e] = static_cast<int8_t>(f.flag[e] != 0 ? -magnitude : magnitude);
    }
}
void integers(Iq4Kt, float d, const TrellisFields& f, const IntSpan& out) {
    sub_scales(
        d, 8, [&](int c) { return f.scale[c] - 64; }, out);
    for (int i = 0; i < 64; ++i) {
        TrellisGenerator generator(f.code[i] + kTrellisFirst + (f.flag[i / 8] != 0 ? kTrellisSecondHalf : 0));
        for (int j = 0; j < 4; ++j) out.q[4 * i + j] = static_cast<int8_t>(generator.next());
    }
}

// ---- The list ----

template <typename Format>
void decode_block(const uint8_t* headers, const uint8_t* block, int k, const IntSpan& out) {
    typename Format::Fields fields{};
    Format::layout(Reader{}, block, k, fields);
    const float row_scale =
        read_row_scale(Format::kRowHeader, headers + header_bytes(Format::kRowHeader) * k);
    integers(Format{}, row_scale, fields, out);
}

struct Entry {
    ElementType type;
    IntDecoder decoder;
};
template <typename Format>
constexpr Entry by_32(ElementType type) {
    return {type, {.decode_block = decode_block<Format>}};
}
template <typename Format>
constexpr Entry by_16(ElementType type) {
    return {type, {.decode_block = decode_block<Format>, .group = 16}};
}
constexpr Entry with_offset(Entry entry) {
    entry.decoder.has_offset = true;
    return entry;
}

using enum ElementType;
constexpr Entry kEntries[] = {
    by_32<Q4_0>(q4_0),
    with_offset(by_32<Q4_1>(q4_1)),
    by_32<Q5_0>(q5_0),
    with_offset(by_32<Q5_1>(q5_1)),
    by_32<Q8_0>(q8_0),
    by_32<Q8_1>(q8_1),
    with_offset(by_16<Q2_K>(q2_k)),
    by_16<Q3_K>(q3_k),
    with_offset(by_32<Q4_K>(q4_k)),
    with_offset(by_32<Q5_K>(q5_k)),
    by_16<Q6_K>(q6_k),
    by_32<Q8_K>(q8_k),
    by_32<Iq2Xxs>(iq2_xxs),
    by_16<Iq2Xs>(iq2_xs),
    by_32<Iq3Xxs>(iq3_xxs),
    by_32<Iq1S>(iq1_s),
    by_32<Iq4Nl>(iq4_nl),
    by_32<Iq3S>(iq3_s),
    by_16<Iq2S>(iq2_s),
    by_32<Iq4Xs>(iq4_xs),
    by_16<Iq1M>(iq1_m),
    by_32<Q4_0Strips<4, 4>>(q4_0_4_4),
    by_32<Q4_0Strips<4, 8>>(q4_0_4_8),
    by_32<Q4_0Strips<8, 8>>(q4_0_8_8),
    by_32<Tq1_0>(tq1_0),
    by_32<Tq2_0>(tq2_0),
    by_32<Mxfp4>(mxfp4),
    by_32<Q1_0_G128>(q1_0_g128),
    by_32<Q6_0>(q6_0),
    by_32<Iq1Bn>(iq1_bn),
    by_32<Iq2Bn>(iq2_bn),
    by_16<Iq2K>(iq2_k),
    by_16<Iq3K>(iq3_k),
    by_16<Iq4K>(iq4_k),
    by_16<Iq5K>(iq5_k),
    by_16<Iq6K>(iq6_k),
    by_32<Iq4Ks>(iq4_ks),
    by_32<Iq2Ks>(iq2_ks),
    by_32<Iq4Kss>(iq4_kss),
    by_32<Q8_KV>(q8_kv),
    by_32<Iq5Ks>(iq5_ks),
    by_32<Iq2Kt>(iq2_kt),
    by_32<Iq3Kt>(iq3_kt),
    by_32<Iq4Kt>(iq4_kt),
    by_32<Iq3Ks>(iq3_ks),
    by_32<Iq2Kl>(iq2_kl),
    by_32<Iq1Kt>(iq1_kt),
    by_32<Q4_0R8>(q4_0_r8),
    by_32<Q5_0R4>(q5_0_r4),
    by_32<Q8_0R8>(q8_0_r8),
    with_offset(by_16<Q2_KR4>(q2_k_r4)),
    by_16<Q3_KR4>(q3_k_r4),
    with_offset(by_32<Q4_KR4>(q4_k_r4)),
    with_offset(by_32<Q5_KR4>(q5_k_r4)),
    by_16<Q6_KR4>(q6_k_r4),
    by_32<Iq2XxsR4>(iq2_xxs_r4),
    by_16<Iq2XsR4>(iq2_xs_r4),
    by_32<Iq3XxsR4>(iq3_xxs_r4),
    by_32<Iq1SR4>(iq1_s_r4),
    by_32<Iq4NlR4>(iq4_nl_r4),
    by_32<Iq3SR4>(iq3_s_r4),
    by_16<Iq2SR4>(iq2_s_r4),
    by_32<Iq4XsR8>(iq4_xs_r8),
    by_16<Iq1MR4>(iq1_m_r4),
    by_32<Q6_0R4>(q6_0_r4),
    by_32<Iq2BnR4>(iq2_bn_r4),
    by_16<Iq2KR4>(iq2_k_r4),
    by_16<Iq3KR4>(iq3_k_r4),
    by_16<Iq4KR4>(iq4_k_r4),
    by_16<Iq5KR4>(iq5_k_r4),
    by_32<Iq4KsR4>(iq4_ks_r4),
    by_32<Iq5KsR4>(iq5_ks_r4),
    by_32<Mxfp4R8>(mxfp4_r8),
    by_32<Q8_KR16>(q8_k_r16),
    by_32<Q8_KVR8>(q8_kv_r8),
    by_32<Q8_KR8>(q8_k_r8),
};

}  // namespace

IntDecoder int_decoder(ElementType type) {
    static_assert(std::ranges::is_sorted(kEntries, {}, &Entry::type));
    const auto* at = std::ranges::lower_bound(kEntries, type, {}, &Entry::type);
    return at != std::end(kEntries) && at->type == type ? at->decoder : IntDecoder{};
}

void decode_ints(const TypeInfo& type, const IntDecoder& decoder, const IntSource& source,
                 const IntSpan& out) {
    const auto* headers = reinterpret_cast<const uint8_t*>(source.rows);
    const int64_t block_bytes = int64_t(type.block_bytes) * type.group_rows;
    const uint8_t* block = headers + int64_t(type.row_header_bytes) * type.group_rows +
                           source.first / type.block_elements * block_bytes;
    for (int64_t at = 0; at < source.count; at += type.block_elements, block += block_bytes) {
        const int64_t group = at / decoder.group;
        decoder.decode_block(headers, block, source.k,
                             {.q = out.q + at, .scales = out.scales + group, .offsets = out.offsets + group});
    }
}

}  // namespace cria::cpu
