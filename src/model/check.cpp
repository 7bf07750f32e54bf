// The reading of every weight.
#include "model/check.h"

#include <cmath>
#include <vector>

#include "base/error.h"

namespace cria {
namespace {

void check_weight(const Weight& weight) {
    if (weight.type->decode == nullptr) return;
    const int64_t n_rows = weight.n_rows() * weight.n_matrices();
    const int64_t group = weight.type->group_rows;
    std::vector<float> values(static_cast<size_t>(group * weight.row_length()));
    for (int64_t row = 0; row < n_rows; row += group) {
        weight.type->decode(weight.data + row * weight.row_bytes(), values.data(), group,
                            weight.row_length());
        for (size_t i = 0; i < values.size(); ++i) {
            if (std::isfinite(values[i])) continue;
            const auto length = static_cast<size_t>(weight.row_length());
            fail(ErrorCode::invalid_file,
                 "tensor '{}' holds {} in row {}, element {}: the file is damaged; get another copy",
                 weight.name, values[i], static_cast<size_t>(row) + i / length, i % length);
        }
    }
}

}  // namespace

void check_weights(const WeightTable& weights, const std::function<bool(float)>& progress) {
    size_t n_done = 0;
    for (const Weight& weight : weights.all()) {
        check_weight(weight);
        ++n_done;
        if (progress && !progress(static_cast<float>(n_done) / static_cast<float>(weights.all().size()))) {
            fail(ErrorCode::cancelled, "loading was cancelled");
        }
    }
}

}  // namespace cria
