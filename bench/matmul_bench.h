// What the benchmarks of matrix products share: a matrix larger than the caches, activations, and a clock.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "backend/cpu/matmul.h"
#include "backend/weights.h"
#include "base/aligned_buffer.h"

namespace cria::bench {

inline std::vector<float> random_values(int64_t n, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<size_t>(n));
    for (float& value : values) value = normal(random);
    return values;
}

// Activations of n_rows rows in both forms, as one set of kernels makes them.
struct BenchActivations {
    std::vector<float> values, scales, scaled_sums, half_sums;
    AlignedBuffer q;
    cpu::Activations x;

    BenchActivations(const cpu::MatmulKernels& kernels, std::vector<float> from, int64_t row_length)
        : values(std::move(from)),
          scales(values.size() / 32),
          scaled_sums(values.size() / 32),
          half_sums(values.size() / 16),
          q(values.size()) {
        const int64_t n_rows = static_cast<int64_t>(values.size()) / row_length;
        const int64_t blocks = row_length / 32;
        for (int64_t t = 0; t < n_rows; ++t) {
            kernels.quantize_row(values.data() + t * row_length, row_length, q.as<int8_t>() + t * row_length,
                                 scales.data() + t * blocks, scaled_sums.data() + t * blocks,
                                 half_sums.data() + 2 * t * blocks);
        }
        x = {.values = values.data(),
             .stride = row_length,
             .row_length = row_length,
             .n_rows = static_cast<int32_t>(n_rows),
             .q = q.as<int8_t>(),
             .scales = scales.data(),
             .scaled_sums = scaled_sums.data(),
             .half_sums = half_sums.data()};
    }
};

// n_rows rows of weights: some hundred different ones, repeated.
inline AlignedBuffer large_matrix(const TypeInfo& type, int64_t n_rows, int64_t row_length,
                                  std::mt19937& random) {
    const testing::WeightRows some = testing::random_weights(type, 16, row_length, random);
    AlignedBuffer matrix(static_cast<size_t>(n_rows * some.row_bytes()));
    for (size_t at = 0; at < matrix.size(); at += some.bytes.size()) {
        std::memcpy(matrix.data() + at, some.bytes.data(), std::min(some.bytes.size(), matrix.size() - at));
    }
    return matrix;
}

// Processor time of this thread: what other processes take does not count (their use of memory and caches
// still shows).
inline double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double seconds_of(auto&& work) {
    const double start = thread_seconds();
    work();
    return thread_seconds() - start;
}

// Largest difference of `out` to `expected`, relative to the largest expected value.
inline double relative_difference(const std::vector<float>& out, const std::vector<float>& expected) {
    double largest = 0.0, difference = 0.0;
    for (size_t i = 0; i < out.size(); ++i) {
        largest = std::max(largest, std::fabs(static_cast<double>(expected[i])));
        difference = std::max(difference, std::fabs(static_cast<double>(out[i]) - expected[i]));
        if (!std::isfinite(out[i])) return INFINITY;
    }
    return difference / largest;
}

}  // namespace cria::bench
