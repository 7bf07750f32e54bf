// Keys and values of one head in registers: types that the attention kernels read where they lie, and
// decoders of one head's slice of a row for all cache types. F is Floats8 or Floats16, Set has the integer
// steps of the same instruction set (set_<isa>.h). All of it is exact: the floats are those of
// TypeInfo::decode.
#pragma once

#include <cstring>

#include "backend/cpu/decode_x86.h"
#include "quant/types.h"

namespace cria::cpu {
namespace {

// ---- Read where they lie: vector `i` of a head's slice ----

template <typename F>
struct F32Slice {
    static constexpr int kBytes = 4;
    static typename F::V load(const std::byte* p, int i) {
        return F::load(reinterpret_cast<const float*>(p) + i * F::kLanes);
    }
};
template <typename F>
struct F16Slice {
    static constexpr int kBytes = 2;
    static typename F::V load(const std::byte* p, int i) {
        return F::load_f16(reinterpret_cast<const uint16_t*>(p) + i * F::kLanes);
    }
};
template <typename F>
struct Bf16Slice {
    static constexpr int kBytes = 2;
    static typename F::V load(const std::byte* p, int i) {
        return F::load_bf16(reinterpret_cast<const uint16_t*>(p) + i * F::kLanes);
    }
};
template <typename F>
struct Q8_0Slice {
    static typename F::V load(const std::byte* p, int i) {
        const auto* block = reinterpret_cast<const uint8_t*>(p) + i * F::kLanes / 32 * 34;
        return F::load_i8(block + 2 + i * F::kLanes % 32) * F::set(load_f16(block));
    }
};

// ---- Decoded first ----

// Where one head is in a row of its type.
struct HeadSlice {
    const TypeInfo* type;
    int64_t width;  // elements of a row
    int64_t first;  // the head's first element
    int32_t dim;

    bool is_block_aligned() const {
        return type->group_rows == 1 && first % type->block_elements == 0 && dim % type->block_elements == 0;
    }
    // Bytes from the row to the slice, and of the slice. Only when block-aligned.
    int64_t offset() const {
        return type->row_header_bytes + first / type->block_elements * type->block_bytes;
    }
    int64_t bytes() const { return int64_t(dim) / type->block_elements * type->block_bytes; }
};

// Writes dim floats of the row's slice; row_scratch has room for a whole row.
using DecodeSlice = void (*)(const HeadSlice& slice, const std::byte* row, float* out, float* row_scratch);

// Any type: by its own decoder, the whole row if blocks do not end where the head does.
inline void decode_any(const HeadSlice& slice, const std::byte* row, float* out, float* row_scratch) {
    if (slice.is_block_aligned() && slice.type->row_header_bytes == 0) {
        slice.type->decode(row + slice.offset(), out, 1, slice.dim);
        return;
    }
    slice.type->decode(row, row_scratch, 1, slice.width);
    std::memcpy(out, row_scratch + slice.first, static_cast<size_t>(slice.dim) * sizeof(float));
}

template <typename F, template <typename> typename Slice>
void decode_floats(const HeadSlice& slice, const std::byte* row, float* out, float*) {
    const std::byte* p = row + slice.first * Slice<F>::kBytes;
    int i = 0;
    for (; (i + 1) * F::kLanes <= slice.dim; ++i) F::store(out + i * F::kLanes, Slice<F>::load(p, i));
    const int done = i * F::kLanes;
    if (done == slice.dim) return;
    std::byte rest[F::kLanes * 4] = {};
    std::memcpy(rest, p + int64_t(done) * Slice<F>::kBytes,
                static_cast<size_t>((slice.dim - done) * Slice<F>::kBytes));
    F::store_first(out + done, Slice<F>::load(rest, 0), slice.dim - done);
}

// Blocks of 32: y = (code - kZero) * scale + minimum.
struct BlockQ8_0 {
    static constexpr float kZero = 0.0f;
    static constexpr bool kHasMinimum = false;
    static __m256i codes(const uint8_t* p) { return load_256(p + 2); }
};
struct BlockQ4_0 {
    static constexpr float kZero = 8.0f;
    static constexpr bool kHasMinimum = false;
    static __m256i codes(const uint8_t* p) { return nibbles(p + 2); }
};
struct BlockQ4_1 {
    static constexpr float kZero = 0.0f;
    static constexpr bool kHasMinimum = true;
    static __m256i codes(const uint8_t* p) { return nibbles(p + 4); }
};
struct BlockIq4Nl {
    static constexpr float kZero = 0.0f;
    static constexpr bool kHasMinimum = false;
    static __m256i codes(const uint8_t* p) { return _mm256_shuffle_epi8(iq4_curve(), nibbles(p + 2)); }
};
template <typename Set>
struct BlockQ5_0 {
    static constexpr float kZero = 16.0f;
    static constexpr bool kHasMinimum = false;
    static __m256i codes(const uint8_t* p) { return Q5_0<Set>::block(p); }
};
template <typename Set>
struct BlockQ5_1 {
    static constexpr float kZero = 0.0f;
    static constexpr bool kHasMinimum = true;
    static __m256i codes(const uint8_t* p) { return Q5_1<Set>::block(p); }
};
template <typename Set>
struct BlockQ6_0 {
    static constexpr float kZero = 32.0f;
    static constexpr bool kHasMinimum = false;
    static __m256i codes(const uint8_t* p) { return Q6_0<Set>::block(p); }
};

template <typename F>
inline void store_codes(__m256i codes, float zero, float scale, float minimum, float* out) {
    typename F::V y[32 / F::kLanes];
    F::from_i8(codes, y);
#pragma GCC unroll 4
    for (int i = 0; i < 32 / F::kLanes; ++i) {
        // exact: a scale has 11 bits and a code at most 7; so the sum is the only rounding
        F::store(out + i * F::kLanes, F::fma(y[i] - F::set(zero), F::set(scale), F::set(minimum)));
    }
}

template <typename F, typename Block>
void decode_blocks(const HeadSlice& slice, const std::byte* row, float* out, float* row_scratch) {
    if (!slice.is_block_aligned()) return decode_any(slice, row, out, row_scratch);
    const auto* p = reinterpret_cast<const uint8_t*>(row) + slice.offset();
    for (int32_t d = 0; d < slice.dim; d += 32, p += slice.type->block_bytes) {
        const float minimum = Block::kHasMinimum ? load_f16(p + 2) : 0.0f;
        store_codes<F>(Block::codes(p), Block::kZero, load_f16(p), minimum, out + d);
    }
}

// Bytes under one f32 scale at the start of the row.
template <typename F>
void decode_q8_kv(const HeadSlice& slice, const std::byte* row, float* out, float* row_scratch) {
    if (!slice.is_block_aligned()) return decode_any(slice, row, out, row_scratch);
    float scale;
    std::memcpy(&scale, row, sizeof scale);
    const auto* p = reinterpret_cast<const uint8_t*>(row) + slice.offset();
    for (int32_t d = 0; d < slice.dim; d += F::kLanes) F::store(out + d, F::load_i8(p + d) * F::set(scale));
}

template <typename F, typename Set>
DecodeSlice slice_decoder(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return decode_floats<F, F32Slice>;
        case ElementType::f16:
            return decode_floats<F, F16Slice>;
        case ElementType::bf16:
            return decode_floats<F, Bf16Slice>;
        case ElementType::q8_0:
            return decode_blocks<F, BlockQ8_0>;
        case ElementType::q4_0:
            return decode_blocks<F, BlockQ4_0>;
        case ElementType::q4_1:
            return decode_blocks<F, BlockQ4_1>;
        case ElementType::q5_0:
            return decode_blocks<F, BlockQ5_0<Set>>;
        case ElementType::q5_1:
            return decode_blocks<F, BlockQ5_1<Set>>;
        case ElementType::q6_0:
            return decode_blocks<F, BlockQ6_0<Set>>;
        case ElementType::iq4_nl:
            return decode_blocks<F, BlockIq4Nl>;
        case ElementType::q8_kv:
            return decode_q8_kv<F>;
        default:
            return decode_any;
    }
}

}  // namespace
}  // namespace cria::cpu
