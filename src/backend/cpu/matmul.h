// Kernels for matrix products: out[t][r] = sum over k of x[t][k] * w[r][k], for rows w of any element type and f32 activations x.
// Two regimes (design.md, "Weights and kernels"): few activation rows, limited by memory: row_dot; many, limited by arithmetic:
// panels. Accumulation is in f32 (int32 within a block) in an order that does not depend on threads: a task computes whole outputs.
//
// Source files: row_dot_<isa>.cpp, panel_<isa>.cpp (with further files per family of types); each set fills one MatmulKernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "quant/types.h"

namespace cria::cpu {

// Elements that share one activation scale. Every quantised weight type has rows that are multiples of it.
inline constexpr int64_t kActivationBlock = 32;
// Activation rows that row_dot takes at once.
inline constexpr int32_t kMaxFewRows = 8;
// Weight rows in one panel.
inline constexpr int32_t kPanelRows = 16;

// Activations of a linear operation in the forms kernels read. `values` is always there; the int8 form only when a weight needs it:
// x[k] is about scale[k / 32] * q[k], with scale = max|x| / 127 of its block and q rounded to nearest (ties to even).
// NaN or infinity in a block gives scale NaN, so that it shows in every output.
struct Activations {
    const float* values = nullptr;  // [n_rows][stride]
    int64_t stride = 0;
    int64_t row_length = 0;
    int32_t n_rows = 0;
    const int8_t* q = nullptr;            // [n_rows][row_length], 64-byte aligned
    const float* scales = nullptr;        // [n_rows][row_length / 32]
    const float* scaled_sums = nullptr;   // [n_rows][row_length / 32]: scale * sum of q over the block
    const int16_t* half_sums = nullptr;   // [n_rows][row_length / 16]: sum of q over each half block
    // Rows [first, first + count) of the same.
    Activations rows(int64_t first, int32_t count) const;
};

// A range of weight rows and where their products go.
struct RowDotTask {
    const std::byte* weights = nullptr;  // first row of the range (the first of its group, for interleaved types)
    int64_t row_bytes = 0;
    int64_t n_rows = 0;      // a multiple of the type's group_rows
    Activations x;           // 1 to kMaxFewRows rows
    float* out = nullptr;    // out[t * out_stride + r], r from 0
    int64_t out_stride = 0;
};
// Reads each weight byte once, in file order, and nothing past the last row.
using RowDot = void (*)(const RowDotTask& task);

// Quantised weight rows in integer form, exact: w[k] = scale[k / group] * q[k] + offset[k / group].
struct IntRow {
    int8_t* q = nullptr;       // [row_length], -127..127
    float* scales = nullptr;   // [row_length / group]
    float* offsets = nullptr;  // [row_length / group]; written only by types with has_offset
};
using DecodeIntRow = void (*)(const std::byte* row, int64_t row_length, const IntRow& out);
struct IntDecoder {
    DecodeIntRow decode = nullptr;  // null: the type has no integer form here; use its floats
    int32_t group = 32;             // 16 or 32
    bool has_offset = false;
};

// kPanelRows rows of a weight matrix in the tile format of the set's panel product. Made per task in the caches, used for all activation
// rows, thrown away. Rows beyond n_rows are zero.
struct PanelTask {
    const TypeInfo* type = nullptr;
    const std::byte* weights = nullptr;  // first row of the panel
    int64_t row_bytes = 0;
    int32_t n_rows = 0;  // 1 to kPanelRows; a multiple of the type's group_rows
    Activations x;       // any number of rows
    float* out = nullptr;
    int64_t out_stride = 0;
    std::byte* scratch = nullptr;  // panel_scratch_bytes(type, row_length) bytes, 64-byte aligned, owned by the calling thread
};

// One instruction set's kernels.
struct MatmulKernels {
    Isa isa = Isa::scalar;
    // Fills q, scales, scaled_sums and half_sums of one row of row_length (a multiple of 32) floats.
    void (*quantize_row)(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums, int16_t* half_sums) = nullptr;
    // Never null: types without a kernel of their own go through their floats (exact, slow).
    RowDot (*row_dot)(ElementType type) = nullptr;
    // True when row_dot of the type reads the int8 form of its activations.
    bool (*row_dot_wants_int8)(ElementType type) = nullptr;
    void (*panel_product)(const PanelTask& task) = nullptr;
    bool (*panel_wants_int8)(ElementType type) = nullptr;
    size_t (*panel_scratch_bytes)(ElementType type, int64_t row_length) = nullptr;
};

// The table of a set that is_supported(); throws Error{unsupported} otherwise.
const MatmulKernels& matmul_kernels(Isa isa);

// The integer decoder of a type, in plain C++; sets may have faster ones of their own.
IntDecoder int_decoder(ElementType type);

}  // namespace cria::cpu
