// The golden files of conformance/quant: stored bytes, the floats they mean, and the errors of the
// reference's encoders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quant/types.h"

namespace cria::testing {

// Rows of bytes and what they decode to. Some rows' floats are not recorded: floats covers the first of them.
struct GoldenRows {
    std::vector<std::byte> bytes;  // whole rows (or groups) of row_length elements
    std::vector<float> floats;
    int64_t row_length = 0;
    int64_t n_rows = 0;
};

// Root mean square errors over all input rows, plain and weighted by the importance vector.
struct GoldenErrors {
    double rmse = 0, weighted_rmse = 0;
};

struct Golden {
    const TypeInfo* info = nullptr;
    int64_t block_elements = 0, block_bytes = 0, row_header_bytes = 0, group_rows = 0, row_bytes_1024 = 0;
    bool needs_importance = false;
    std::string base_name;  // upper case, or empty
    int64_t n_input_rows = 0;
    GoldenRows rows;                         // of the input below
    std::optional<GoldenRows> random;        // arbitrary bytes
    std::optional<GoldenErrors> plain;       // without importance
    std::optional<GoldenErrors> flat;        // with an importance of all ones
    std::optional<GoldenErrors> importance;  // with golden_importance()
};

inline constexpr int64_t kGoldenRowLength = 1024;

// All golden files, ordered by name; empty when the shared folder is absent.
const std::vector<Golden>& goldens();

// The input behind the golden rows (sums of four uniform numbers, with outliers) and the importance of its
// columns.
std::vector<float> golden_input(int64_t n_rows);
std::vector<float> golden_importance();

}  // namespace cria::testing
