// Element types of tensors: what bytes mean. Ids are those of GGUF files (the ggml enumeration of the
// llama.cpp family). Every type fills one TypeInfo; a type that is not in the list cannot occur in a loaded
// model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cria {

// clang-format off
enum class ElementType : int32_t {
    f32 = 0, f16 = 1, q4_0 = 2, q4_1 = 3, q5_0 = 6, q5_1 = 7, q8_0 = 8, q8_1 = 9,
    q2_k = 10, q3_k = 11, q4_k = 12, q5_k = 13, q6_k = 14, q8_k = 15,
    iq2_xxs = 16, iq2_xs = 17, iq3_xxs = 18, iq1_s = 19, iq4_nl = 20, iq3_s = 21, iq2_s = 22, iq4_xs = 23,
    i8 = 24, i16 = 25, i32 = 26, i64 = 27, f64 = 28, iq1_m = 29, bf16 = 30,
    q4_0_4_4 = 31, q4_0_4_8 = 32, q4_0_8_8 = 33, tq1_0 = 34, tq2_0 = 35, i2_s = 36, mxfp4 = 39, q1_0_g128
    = 41,
    q6_0 = 133, iq1_bn = 134, iq2_bn = 135, iq2_k = 137, iq3_k = 138, iq4_k = 139, iq5_k = 140, iq6_k = 141,
    iq4_ks = 144, iq2_ks = 145, iq4_kss = 146, q8_kv = 151, iq5_ks = 152, iq2_kt = 153, iq3_kt = 154,
    iq4_kt = 155,
    iq3_ks = 156, iq2_kl = 157, iq1_kt = 158,
    q4_0_r8 = 202, q5_0_r4 = 206, q8_0_r8 = 208, q2_k_r4 = 210, q3_k_r4 = 211, q4_k_r4 = 212, q5_k_r4 = 213,
    q6_k_r4 = 214, iq2_xxs_r4 = 216, iq2_xs_r4 = 217, iq3_xxs_r4 = 218, iq1_s_r4 = 219, iq4_nl_r4 = 220,
    iq3_s_r4 = 221,
    iq2_s_r4 = 222, iq4_xs_r8 = 223, iq1_m_r4 = 229, bf16_r16 = 230, q6_0_r4 = 233, iq2_bn_r4 = 335,
    iq2_k_r4 = 337,
    iq3_k_r4 = 338, iq4_k_r4 = 339, iq5_k_r4 = 340, iq4_ks_r4 = 344, iq5_ks_r4 = 352, mxfp4_r8 = 353,
    q8_k_r16 = 397, q8_kv_r8 = 398, q8_k_r8 = 399,
};
// clang-format on

// Decodes `n_rows` consecutive rows of `row_length` elements. `rows` points at row 0 of the first group (see
// group_rows); n_rows is a multiple of group_rows. out: [n_rows][row_length] f32, row-major. Never reads past
// the last row. Exact: the floats are those of the format's definition, to the last bit.
using DecodeRows = void (*)(const std::byte* rows, float* out, int64_t n_rows, int64_t row_length);

// Encodes rows in the same arrangement. importance: row_length weights >= 0 for the squared error, or null
// (all equal). Deterministic; accepts any float (NaN and infinity are the caller's to refuse).
using EncodeRows = void (*)(const float* in, std::byte* rows, int64_t n_rows, int64_t row_length,
                            const float* importance);

// Moves rows between a type and its interleaved form without changing a value. Both hold n_rows rows (a
// multiple of the interleaved type's group_rows) of row_length elements. The two places must not overlap.
using ConvertRows = void (*)(const std::byte* from, std::byte* to, int64_t n_rows, int64_t row_length);

// One element type. A row of n elements takes row_header_bytes + n / block_elements * block_bytes bytes; n
// must be a multiple of block_elements. In an interleaved type group_rows rows share their bytes, and the
// number of rows must be a multiple of it.
struct TypeInfo {
    ElementType type;
    std::string_view name;  // lower case, as users write it: "q4_k"
    int32_t block_elements = 1;
    int32_t block_bytes = 0;
    int32_t row_header_bytes = 0;
    int32_t group_rows = 1;
    bool is_quantized = false;
    bool is_integer = false;                              // plain integers: never weights of a matrix product
    bool needs_importance = false;                        // encode requires an importance vector
    bool is_cache_type = false;                           // may hold keys and values
    std::optional<ElementType> base_type = std::nullopt;  // the type an interleaved type is made from
    DecodeRows decode = nullptr;  // null: cannot be decoded row by row (i2_s: see i2_s.h; integers)
    EncodeRows encode = nullptr;  // null: Cria does not write this type
    EncodeRows encode_fast =
        nullptr;  // cache types: one pass without a search, ignoring importance; for run time
    ConvertRows interleave = nullptr;    // rows of base_type -> this type; null: there is no exact way
    ConvertRows deinterleave = nullptr;  // this type -> rows of base_type
};

// Null for ids that no file may contain (retired, run-time only or unknown).
const TypeInfo* find_type(int32_t id);
// The same for a value of the enumeration, which is always there.
const TypeInfo& type_info(ElementType type);
// By name, in any case ("Q4_K", "q4_k"); null when there is none.
const TypeInfo* find_type(std::string_view name);
// All types, ordered by id.
std::span<const TypeInfo* const> all_types();

// Bytes of one row (for interleaved types: of one row's share of its group). row_length must be a multiple of
// block_elements and not so large that the result exceeds 2^62 (GGUF's reader checks both).
int64_t row_bytes(const TypeInfo& type, int64_t row_length);

// Bytes of a whole tensor with dimension 0 = row_length and n_rows rows in all; nothing when row_length is
// not a multiple of the block, n_rows not a multiple of the group, or the product overflows. Knows i2_s's odd
// size rule.
std::optional<uint64_t> tensor_bytes(const TypeInfo& type, uint64_t row_length, uint64_t n_rows);

}  // namespace cria
