#include "backend/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/half.h"

namespace cria::testing {
namespace {

constexpr float kLargest = 100.0f;

void random_bytes(std::span<std::byte> bytes, std::mt19937& random) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
}

// Row headers are a scale (f16 or f32), perhaps followed by a sum.
void fill_header(std::byte* header, int32_t bytes, std::mt19937& random) {
    const float scale = 0.001f + 0.01f * static_cast<float>(random() % 100) / 100.0f;
    const uint16_t half = f32_to_f16(scale);
    if (bytes == 2) std::memcpy(header, &half, sizeof half);
    if (bytes >= 4) std::memcpy(header, &scale, sizeof scale);
}

bool is_usable(const TypeInfo& type, const std::vector<std::byte>& group) {
    std::vector<float> floats(static_cast<size_t>(type.block_elements * type.group_rows));
    type.decode(group.data(), floats.data(), type.group_rows, type.block_elements);
    return std::ranges::all_of(floats, [](float y) { return std::isfinite(y) && std::fabs(y) < kLargest; });
}

// Interleaved types without an exact way from another type and with f16 scales at the start of the block.
void tame_first_halves(std::byte* block, int32_t count, std::mt19937& random) {
    for (int32_t i = 0; i < count; ++i) fill_header(block + 2 * i, 2, random);
}

// Blocks of random bytes, thrown again until they are usable.
WeightRows random_blocks(const TypeInfo& type, int64_t n_rows, int64_t row_length, std::mt19937& random) {
    WeightRows rows{.type = &type, .n_rows = n_rows, .row_length = row_length, .bytes = {}};
    rows.bytes.resize(*tensor_bytes(type, row_length, n_rows));
    const size_t header_bytes = static_cast<size_t>(type.row_header_bytes * type.group_rows);
    const size_t block_bytes = static_cast<size_t>(type.block_bytes * type.group_rows);
    std::vector<std::byte> group(header_bytes + block_bytes);
    std::byte* at = rows.bytes.data();
    for (int64_t first = 0; first < n_rows; first += type.group_rows) {
        for (int32_t k = 0; k < type.group_rows; ++k) {
            fill_header(group.data() + k * type.row_header_bytes, type.row_header_bytes, random);
        }
        std::memcpy(at, group.data(), header_bytes);
        at += header_bytes;
        for (int64_t b = 0; b < row_length / type.block_elements; ++b, at += block_bytes) {
            do {
                random_bytes(std::span(group).subspan(header_bytes), random);
                if (type.group_rows > 4 && type.row_header_bytes == 0) {
                    tame_first_halves(group.data(), type.group_rows, random);
                }
            } while (!is_usable(type, group));
            std::memcpy(at, group.data() + header_bytes, block_bytes);
        }
    }
    return rows;
}

}  // namespace

std::vector<const TypeInfo*> weight_types() {
    std::vector<const TypeInfo*> types;
    for (const TypeInfo* type : all_types()) {
        if (!type->is_integer && type->decode != nullptr) types.push_back(type);
    }
    return types;
}

std::vector<float> WeightRows::decode() const {
    std::vector<float> floats(static_cast<size_t>(n_rows * row_length));
    type->decode(bytes.data(), floats.data(), n_rows, row_length);
    return floats;
}

WeightRows random_weights(const TypeInfo& type, int64_t n_rows, int64_t row_length, std::mt19937& random) {
    if (type.base_type && type.interleave != nullptr) {
        const WeightRows base = random_weights(type_info(*type.base_type), n_rows, row_length, random);
        WeightRows rows{.type = &type, .n_rows = n_rows, .row_length = row_length, .bytes = {}};
        rows.bytes.resize(*tensor_bytes(type, row_length, n_rows));
        type.interleave(base.bytes.data(), rows.bytes.data(), n_rows, row_length);
        return rows;
    }
    return random_blocks(type, n_rows, row_length, random);
}

}  // namespace cria::testing
