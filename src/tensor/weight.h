// A weight: a named tensor of a model file, or a run of its rows. It only points at the bytes; whoever loaded
// the model owns them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "quant/types.h"

namespace cria {

// dims as in GGUF: dims[0] is the length of a row (the input width of a matrix), dims[1] the number of rows
// (its output width), dims[2] the number of such matrices (experts). Unused dims are 1.
struct Weight {
    std::string name;
    const TypeInfo* type = nullptr;
    std::array<int64_t, 4> dims{1, 1, 1, 1};
    const std::byte* data = nullptr;

    int64_t row_length() const { return dims[0]; }
    int64_t n_rows() const { return dims[1]; }
    int64_t n_matrices() const { return dims[2] * dims[3]; }
    int64_t n_elements() const { return dims[0] * dims[1] * dims[2] * dims[3]; }
    int64_t row_bytes() const { return cria::row_bytes(*type, dims[0]); }
    int64_t matrix_bytes() const { return row_bytes() * dims[1]; }
    int64_t total_bytes() const { return matrix_bytes() * n_matrices(); }
    const std::byte* matrix(int64_t index) const { return data + index * matrix_bytes(); }
    // One dimension only (a norm, a bias).
    bool is_vector() const { return dims[1] == 1 && dims[2] == 1 && dims[3] == 1; }
};

// Rows [first, first + count) of a matrix as a weight of its own, e.g. the Q part of a fused QKV matrix; of a
// vector, the same range of its elements. Throws Error{unsupported} when rows are interleaved and the range
// cuts a group, or the range is outside.
Weight row_range(const Weight& weight, int64_t first, int64_t count);

// All elements as f32, in file order. For small tensors (norms, biases, rope factors). Throws
// Error{unsupported} for types that cannot be decoded.
void decode_weight(const Weight& weight, float* out);

}  // namespace cria
