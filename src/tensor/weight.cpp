// Ranges and decoding of weights.
#include "tensor/weight.h"

#include "base/error.h"

namespace cria {

Weight row_range(const Weight& weight, int64_t first, int64_t count) {
    const int64_t available = weight.is_vector() ? weight.row_length() : weight.n_rows();
    if (first < 0 || count <= 0 || first > available - count) {
        fail(ErrorCode::unsupported, "tensor '{}' has {} rows: rows {} to {} were asked for", weight.name,
             available, first, first + count);
    }
    const int64_t unit = weight.is_vector() ? weight.type->block_elements : weight.type->group_rows;
    if (first % unit != 0 || count % unit != 0 ||
        (weight.is_vector() && weight.type->row_header_bytes != 0)) {
        fail(ErrorCode::unsupported, "tensor '{}' of type {} cannot be divided at row {} (groups of {} rows)",
             weight.name, weight.type->name, first, unit);
    }
    Weight range = weight;
    if (weight.is_vector()) {
        range.dims[0] = count;
        range.data = weight.data + row_bytes(*weight.type, first);
    } else {
        range.dims = {weight.dims[0], count, 1, 1};
        range.data = weight.data + first * weight.row_bytes();
    }
    return range;
}

void decode_weight(const Weight& weight, float* out) {
    if (weight.type->decode == nullptr) {
        fail(ErrorCode::unsupported, "tensor '{}' of type {} cannot be converted to floats", weight.name,
             weight.type->name);
    }
    weight.type->decode(weight.data, out, weight.n_rows() * weight.n_matrices(), weight.row_length());
}

}  // namespace cria
