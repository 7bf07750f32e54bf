// Chunks of quantised rows for the kernels of AVX2 and above: by the format's own decoder, or through the
// portable integer decoder for the other formats.
#pragma once

#include "backend/cpu/decode_x86.h"
#include "backend/cpu/int_decoder.h"
#include "backend/cpu/matmul.h"

namespace cria::cpu {
namespace {

// A chunk: 256 elements in four parts. Made by one of the two kinds of rows below.
template <typename Format>
struct DirectChunk {
    using Of = Format;
    const uint8_t* bytes;
    Part part(int j) const { return Format::part(bytes, j); }
    void scales(Scales& scales) const { Format::scales(bytes, scales); }
};

// The end of a row, padded with zero bytes.
template <typename Format>
struct PaddedChunk {
    using Of = Format;
    uint8_t bytes[Format::kChunkBytes];
    Part part(int j) const { return Format::part(bytes, j); }
    void scales(Scales& scales) const { Format::scales(bytes, scales); }
};

template <typename Format>
struct DirectRows {
    static constexpr int kGroup = Format::kGroup;
    static constexpr int kQuadsPerSum = Format::kQuadsPerSum;
    static constexpr bool kIsSigned = Format::kIsSigned;
    static constexpr bool kHasOffset = Format::kHasOffset;
    const std::byte* weights;
    int64_t row_bytes;

    DirectRows(const TypeInfo&, const std::byte* first_row, int64_t bytes)
        : weights(first_row), row_bytes(bytes) {}
    DirectChunk<Format> chunk(int64_t row, int64_t index) const { return {chunk_bytes(row, index)}; }
    // `count` elements from chunk `index` on, the others under activations of zero.
    PaddedChunk<Format> end(int64_t row, int64_t index, int64_t count) const {
        PaddedChunk<Format> chunk;
        std::memset(chunk.bytes, 0, sizeof chunk.bytes);
        std::memcpy(chunk.bytes, chunk_bytes(row, index), count * Format::kChunkBytes / kIntChunk);
        return chunk;
    }
    const uint8_t* chunk_bytes(int64_t row, int64_t index) const {
        return reinterpret_cast<const uint8_t*>(weights) + row * row_bytes + index * Format::kChunkBytes;
    }
};

struct PortableChunk {
    alignas(32) int8_t q[kIntChunk];
    alignas(32) float a[kIntChunk / 16];
    alignas(32) float b[kIntChunk / 16];
    Part part(int j) const {
        return {{_mm256_load_si256(reinterpret_cast<const __m256i*>(q + 64 * j)),
                 _mm256_load_si256(reinterpret_cast<const __m256i*>(q + 64 * j + 32))}};
    }
    void scales(Scales& scales) const {
        scales = {{_mm256_load_ps(a), _mm256_load_ps(a + 8)}, {_mm256_load_ps(b), _mm256_load_ps(b + 8)}};
    }
};

// Rows of any type with an integer form.
template <int kGroupSize>
struct PortableRows {
    static constexpr int kGroup = kGroupSize;
    static constexpr int kQuadsPerSum = 1;
    static constexpr bool kIsSigned = true;
    static constexpr bool kHasOffset = true;
    const TypeInfo& type;
    IntDecoder decoder;
    const std::byte* weights;
    int64_t row_bytes;

    PortableRows(const TypeInfo& of, const std::byte* first_row, int64_t bytes)
        : type(of), decoder(int_decoder(of.type)), weights(first_row), row_bytes(bytes) {}
    PortableChunk chunk(int64_t row, int64_t index) const { return end(row, index, kIntChunk); }
    // `count` elements from chunk `index` on, the others zero.
    PortableChunk end(int64_t row, int64_t index, int64_t count) const {
        PortableChunk chunk;
        if (count < kIntChunk) std::memset(chunk.q, 0, sizeof chunk.q);
        std::memset(chunk.a, 0, sizeof chunk.a);
        std::memset(chunk.b, 0, sizeof chunk.b);
        const int64_t k = row % type.group_rows;
        decode_ints(type, decoder,
                    {.rows = weights + (row - k) * row_bytes,
                     .k = static_cast<int32_t>(k),
                     .first = index * kIntChunk,
                     .count = count},
                    {.q = chunk.q, .scales = chunk.a, .offsets = chunk.b});
        return chunk;
    }
};

// Whether the kernels of a set have offsets to add for these rows, and gives signed weights the zero point of
// the set.
template <typename Set, typename Rows>
inline constexpr bool kHasOffset = Rows::kHasOffset || (Rows::kIsSigned && Set::kSignedZero != 0.0f);

template <typename Set, typename Rows>
inline void set_offsets(Scales& w) {
    if constexpr (!Rows::kIsSigned || Set::kSignedZero == 0.0f) return;
#pragma GCC unroll 2
    for (int half = 0; half < 32 / Rows::kGroup; ++half) {
        const __m256 b = Rows::kHasOffset ? w.b[half] : _mm256_setzero_ps();
        const __m256 zero = _mm256_set1_ps(Set::kSignedZero);
        w.b[half] = _mm256_fnmadd_ps(w.a[half], zero, b);
    }
}

// Kernel<Rows>::run for the rows of a quantised type: the only list of the types with a decoder of their own.
template <typename Set, template <typename> class Kernel>
auto quantized_kernel(ElementType type) {
    switch (type) {
        case ElementType::q8_0:
            return Kernel<DirectRows<Q8_0<Set>>>::run;
        case ElementType::q4_0:
            return Kernel<DirectRows<Q4_0<Set>>>::run;
        case ElementType::q4_1:
            return Kernel<DirectRows<Q4_1<Set>>>::run;
        case ElementType::q5_0:
            return Kernel<DirectRows<Q5_0<Set>>>::run;
        case ElementType::q5_1:
            return Kernel<DirectRows<Q5_1<Set>>>::run;
        case ElementType::q6_0:
            return Kernel<DirectRows<Q6_0<Set>>>::run;
        case ElementType::q2_k:
            return Kernel<DirectRows<Q2K<Set>>>::run;
        case ElementType::q3_k:
            return Kernel<DirectRows<Q3K<Set>>>::run;
        case ElementType::q4_k:
            return Kernel<DirectRows<Q4K<Set>>>::run;
        case ElementType::q5_k:
            return Kernel<DirectRows<Q5K<Set>>>::run;
        case ElementType::q6_k:
            return Kernel<DirectRows<Q6K<Set>>>::run;
        case ElementType::iq4_nl:
            return Kernel<DirectRows<Iq4Nl<Set>>>::run;
        case ElementType::iq4_xs:
            return Kernel<DirectRows<Iq4Xs<Set>>>::run;
        case ElementType::mxfp4:
            return Kernel<DirectRows<Mxfp4<Set>>>::run;
        default:
            break;
    }
    return int_decoder(type).group == 16 ? Kernel<PortableRows<16>>::run : Kernel<PortableRows<32>>::run;
}

}  // namespace
}  // namespace cria::cpu
