// Kernels for matrix products: out[t][r] = sum over k of x[t][k] * w[r][k], for rows w of any element type
// and f32 activations x. Two regimes (design.md, "Weights and kernels"): few activation rows, limited by
// memory: row_dot; many, limited by arithmetic: panels. Accumulation is in f32 (int32 within a block) in an
// order that does not depend on threads: a task computes whole outputs.
//
// Source files: row_dot_<isa>.cpp, panel_<isa>.cpp (with further files per family of types); each set fills
// one MatmulKernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/isa.h"
#include "quant/types.h"

namespace cria::cpu {

// Elements that share one activation scale. Every quantised weight type has rows that are multiples of it.
inline constexpr int64_t kActivationBlock = 32;
// 127 / max|x| would overflow below.
inline constexpr float kActivationFloor = 0x1p-119f;
// Activation rows that row_dot takes at once.
inline constexpr int32_t kMaxFewRows = 8;
// Weight rows in one panel.
inline constexpr int32_t kPanelRows = 16;

// Activations of a linear operation in the forms kernels read. `values` is always there; the int8 form only
// when a weight needs it: x[k] is about scale[k / 32] * q[k], with scale = max|x| / 127 of its block and q
// rounded to nearest (ties to even). NaN or infinity in a block gives scale NaN, so that it shows in every
// output. A block below kActivationFloor counts as zero.
struct Activations {
    const float* values = nullptr;  // [n_rows][stride]
    int64_t stride = 0;
    int64_t row_length = 0;
    int32_t n_rows = 0;
    const int8_t* q = nullptr;           // [n_rows][row_length], 64-byte aligned; see MatmulKernels::q_place
    const float* scales = nullptr;       // [n_rows][row_length / 32]
    const float* scaled_sums = nullptr;  // [n_rows][row_length / 32]: scale * sum of q over the block
    const float* half_sums = nullptr;    // [n_rows][row_length / 16]: scale * sum of q over each half block
    // Rows [first, first + count) of the same.
    Activations rows(int64_t first, int32_t count) const;
};

// A range of weight rows and where their products go.
struct RowDotTask {
    const TypeInfo* type = nullptr;
    const std::byte* weights =
        nullptr;  // first row of the range (the first of its group, for interleaved types)
    int64_t row_bytes = 0;
    int64_t n_rows = 0;    // a multiple of the type's group_rows
    Activations x;         // 1 to kMaxFewRows rows
    float* out = nullptr;  // out[t * out_stride + r], r from 0
    int64_t out_stride = 0;
};
// Reads each weight byte once, in file order, and nothing past the last row. The result for one activation
// row is the same, bit for bit, whatever other activation rows and weight rows are in the task.
using RowDot = void (*)(const RowDotTask& task);

// kPanelRows rows of a weight matrix in the tile format of the set's panel product. Made per task in the
// caches, used for all activation rows, thrown away. Rows beyond n_rows are zero.
struct PanelTask {
    const TypeInfo* type = nullptr;
    const std::byte* weights = nullptr;  // first row of the panel
    int64_t row_bytes = 0;
    int32_t n_rows = 0;  // 1 to kPanelRows; a multiple of the type's group_rows
    Activations x;       // any number of rows
    float* out = nullptr;
    int64_t out_stride = 0;
    std::byte* scratch =
        nullptr;  // panel_scratch_bytes(type, row_length) bytes, 64-byte aligned, owned by the calling thread
};

// One instruction set's kernels.
struct MatmulKernels {
    Isa isa = Isa::scalar;
    // Where quantize_row puts element `element` of a row among its row_length bytes of q: sets may have an
    // order of their own within 128 elements, so the int8 form of one set is not for another.
    int64_t (*q_place)(int64_t row_length, int64_t element) = nullptr;
    // Fills q, scales, scaled_sums and half_sums of one row of row_length (a multiple of 32) floats.
    void (*quantize_row)(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums) = nullptr;
    // Never null: types without a kernel of their own are decoded by int_decoder.h on the way. Throws
    // Error{unsupported} for types that cannot be weights of a product (integers, i2_s).
    RowDot (*row_dot)(ElementType type) = nullptr;
    void (*panel_product)(const PanelTask& task) = nullptr;
    size_t (*panel_scratch_bytes)(ElementType type, int64_t row_length) = nullptr;
};

// The table of a set that is_supported(); throws Error{unsupported} otherwise.
const MatmulKernels& matmul_kernels(Isa isa);

// True when products with the type read the int8 form of the activations (all quantised types), false when
// they read `values`. The same in every set.
bool wants_int8(ElementType type);

}  // namespace cria::cpu
