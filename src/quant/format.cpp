// What encoders of all formats do first.
#include "quant/format.h"

#include <cmath>

namespace cria::quant {

std::vector<float> squared_error_weights(const float* importance, int64_t n) {
    std::vector<float> weights(static_cast<size_t>(n), 1.0f);
    if (importance == nullptr) return weights;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += importance[i];
    const double mean = sum / static_cast<double>(n);
    if (!std::isfinite(mean) || mean <= 0) return weights;
    constexpr double kLeast = 1e-4;
    for (int64_t i = 0; i < n; ++i) {
        weights[static_cast<size_t>(i)] = static_cast<float>(std::max(importance[i] / mean, kLeast));
    }
    return weights;
}

}  // namespace cria::quant
