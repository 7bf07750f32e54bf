// Rows of weights of any element type for tests and benchmarks of kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "quant/types.h"

namespace cria::testing {

// Every type that can be the weights of a product.
std::vector<const TypeInfo*> weight_types();

struct WeightRows {
    const TypeInfo* type = nullptr;
    int64_t n_rows = 0;
    int64_t row_length = 0;
    std::vector<std::byte> bytes;

    int64_t row_bytes() const { return cria::row_bytes(*type, row_length); }
    // What the bytes mean: [n_rows][row_length].
    std::vector<float> decode() const;
};

// Random bytes in which every code occurs, but with scales such that all weights are finite and below 100.
WeightRows random_weights(const TypeInfo& type, int64_t n_rows, int64_t row_length, std::mt19937& random);

}  // namespace cria::testing
