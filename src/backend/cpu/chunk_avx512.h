// Chunks of quantised rows for the AVX-512 kernels: by the format's own decoder, or through the portable
// integer decoder for the other formats and for the end of a row.
#pragma once

#include "backend/cpu/decode_avx512.h"
#include "backend/cpu/int_decoder.h"
#include "backend/cpu/matmul.h"

namespace cria::cpu {
namespace {

// Up to 256 elements; those beyond source.count come out as zeros.
template <int kGroup>
Chunk portable_chunk(const TypeInfo& type, const IntDecoder& decoder, const IntSource& source) {
    constexpr int64_t kGroups = kIntChunk / kGroup;
    alignas(64) int8_t q[kIntChunk];
    alignas(64) float scales[kGroups];
    alignas(64) float offsets[kGroups];
    if (source.count < kIntChunk) {
        std::memset(q, 0, sizeof q);
        std::memset(scales, 0, sizeof scales);
    }
    std::memset(offsets, 0, sizeof offsets);
    decode_ints(type, decoder, source, {.q = q, .scales = scales, .offsets = offsets});
    Chunk chunk;
    if constexpr (kGroup == 32) {
        set_scales(chunk, _mm256_load_ps(scales), 128.0f);
        chunk.b = _mm512_add_ps(chunk.b, eight(_mm256_load_ps(offsets)));
    } else {
        set_scales(chunk, _mm512_load_ps(scales), 128.0f);
        chunk.b = _mm512_add_ps(chunk.b, _mm512_load_ps(offsets));
    }
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
        chunk.u[j] = _mm512_xor_si512(_mm512_load_si512(q + 64 * j), _mm512_set1_epi8(-128));
    }
    return chunk;
}

// Rows of a type with a decoder of its own. Row headers: none of these types has one.
template <typename Format>
struct DirectRows {
    static constexpr int kGroup = Format::kGroup;
    const std::byte* weights;
    int64_t row_bytes;

    DirectRows(const TypeInfo&, const std::byte* first_row, int64_t bytes)
        : weights(first_row), row_bytes(bytes) {}
    Chunk chunk(int64_t row, int64_t index) const { return Format::decode(chunk_bytes(row, index)); }
    // `count` elements from chunk `index` on, the others from zero bytes: for activations of zero.
    Chunk end(int64_t row, int64_t index, int64_t count) const {
        uint8_t padded[Format::kChunkBytes] = {};
        std::memcpy(padded, chunk_bytes(row, index), count * Format::kChunkBytes / kIntChunk);
        return Format::decode(padded);
    }
    const uint8_t* chunk_bytes(int64_t row, int64_t index) const {
        return reinterpret_cast<const uint8_t*>(weights) + row * row_bytes + index * Format::kChunkBytes;
    }
};

// Rows of any type with an integer form.
template <int kGroupSize>
struct PortableRows {
    static constexpr int kGroup = kGroupSize;
    const TypeInfo& type;
    IntDecoder decoder;
    const std::byte* weights;
    int64_t row_bytes;

    PortableRows(const TypeInfo& of, const std::byte* first_row, int64_t bytes)
        : type(of), decoder(int_decoder(of.type)), weights(first_row), row_bytes(bytes) {}
    Chunk chunk(int64_t row, int64_t index) const { return end(row, index, kIntChunk); }
    // `count` elements from chunk `index` on.
    Chunk end(int64_t row, int64_t index, int64_t count) const {
        const int64_t k = row % type.group_rows;
        return portable_chunk<kGroup>(type, decoder,
                                      {.rows = weights + (row - k) * row_bytes,
                                       .k = static_cast<int32_t>(k),
                                       .first = index * kIntChunk,
                                       .count = count});
    }
};

// Kernel<Rows>::run for the rows of a quantised type: the only list of the types with a decoder for this set.
template <template <typename> class Kernel>
auto quantized_kernel(ElementType type) {
    switch (type) {
        case ElementType::q8_0:
            return Kernel<DirectRows<Q8_0>>::run;
        case ElementType::q4_0:
            return Kernel<DirectRows<Q4_0>>::run;
        case ElementType::q4_1:
            return Kernel<DirectRows<Q4_1>>::run;
        case ElementType::q5_0:
            return Kernel<DirectRows<Q5_0>>::run;
        case ElementType::q5_1:
            return Kernel<DirectRows<Q5_1>>::run;
        case ElementType::q6_0:
            return Kernel<DirectRows<Q6_0>>::run;
        case ElementType::q2_k:
            return Kernel<DirectRows<Q2K>>::run;
        case ElementType::q3_k:
            return Kernel<DirectRows<Q3K>>::run;
        case ElementType::q4_k:
            return Kernel<DirectRows<Q4K>>::run;
        case ElementType::q5_k:
            return Kernel<DirectRows<Q5K>>::run;
        case ElementType::q6_k:
            return Kernel<DirectRows<Q6K>>::run;
        case ElementType::iq4_nl:
            return Kernel<DirectRows<Iq4Nl>>::run;
        case ElementType::iq4_xs:
            return Kernel<DirectRows<Iq4Xs>>::run;
        case ElementType::mxfp4:
            return Kernel<DirectRows<Mxfp4>>::run;
        default:
            break;
    }
    return int_decoder(type).group == 16 ? Kernel<PortableRows<16>>::run : Kernel<PortableRows<32>>::run;
}

}  // namespace
}  // namespace cria::cpu
