// From a format's description to whole rows. A format is a struct of:
//   Fields                  one block of one row, unpacked: scales and quants as plain numbers (all zero by
//   default) kBlockElements, kBlockBytes, kRowHeader, kGroupRows (1 unless rows are interleaved) layout(io,
//   block, k, fields)           where the fields of row k lie in the (group's) block; see layout.h
//   values(row_scale, fields, y)           the definition of the kBlockElements floats
//   encode_block(x, w, fields)             or, when the row has a scale of its own (which it returns):
//   encode_row(x, w, n, fields)            fields of all blocks; w: weights of the squared error, never null
// An interleaved format derives from the format of its rows and only states another layout.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/half.h"
#include "quant/layout.h"
#include "quant/types.h"

namespace cria::quant {

// What stands before the blocks of a row.
enum class RowHeader { none, f16_scale, f32_scale, f32_scale_and_sum };

constexpr int32_t header_bytes(RowHeader header) {
    constexpr int32_t kBytes[] = {0, 2, 4, 8};
    return kBytes[static_cast<int>(header)];
}

// The parts most formats share.
template <int kElements, int kBytes, RowHeader kHeader = RowHeader::none>
struct FormatBase {
    static constexpr int kBlockElements = kElements;
    static constexpr int kBlockBytes = kBytes;
    static constexpr RowHeader kRowHeader = kHeader;
    static constexpr int kGroupRows = 1;
};

inline float read_row_scale(RowHeader kind, const uint8_t* header) {
    if (kind == RowHeader::none) return 1.0f;
    if (kind == RowHeader::f16_scale) {
        uint16_t half;
        std::memcpy(&half, header, sizeof(half));
        return f16_to_f32(half);
    }
    float scale;
    std::memcpy(&scale, header, sizeof(scale));
    return scale;
}

inline void write_row_header(RowHeader kind, float scale, int32_t sum, uint8_t* header) {
    const uint16_t half = f32_to_f16(scale);
    if (kind == RowHeader::f16_scale) std::memcpy(header, &half, sizeof(half));
    if (kind == RowHeader::f32_scale || kind == RowHeader::f32_scale_and_sum) {
        std::memcpy(header, &scale, sizeof(scale));
    }
    if (kind == RowHeader::f32_scale_and_sum) std::memcpy(header + sizeof(scale), &sum, sizeof(sum));
}

// One group of rows inside a tensor: where its headers and blocks lie.
template <typename Format>
struct Group {
    static constexpr int64_t kHeaderBytes = header_bytes(Format::kRowHeader);

    static int64_t bytes(int64_t n) {
        return Format::kGroupRows * (kHeaderBytes + n / Format::kBlockElements * Format::kBlockBytes);
    }
    static auto* header(auto* group, int k) { return group + kHeaderBytes * k; }
    static auto* block(auto* group, int64_t b) {
        return group + Format::kGroupRows * (kHeaderBytes + b * Format::kBlockBytes);
    }
};

template <typename Format>
void decode_rows(const std::byte* rows, float* out, int64_t n_rows, int64_t n) {
    using In = Group<Format>;
    const auto* group = reinterpret_cast<const uint8_t*>(rows);
    for (int64_t row = 0; row < n_rows; row += Format::kGroupRows, group += In::bytes(n)) {
        for (int64_t b = 0; b < n / Format::kBlockElements; ++b) {
            for (int k = 0; k < Format::kGroupRows; ++k) {
                typename Format::Fields fields{};
                Format::layout(Reader{}, In::block(group, b), k, fields);
                const float row_scale = read_row_scale(Format::kRowHeader, In::header(group, k));
                Format::values(row_scale, fields, out + (row + k) * n + b * Format::kBlockElements);
            }
        }
    }
}

// Unpacked blocks of a row to the row's scale; for formats without one, 1.
template <typename Format>
float encode_fields(const float* x, const float* w, int64_t n, typename Format::Fields* fields) {
    if constexpr (Format::kRowHeader == RowHeader::none) {
        for (int64_t b = 0; b < n / Format::kBlockElements; ++b) {
            const int64_t first = b * Format::kBlockElements;
            Format::encode_block(x + first, w + first, fields[b]);
        }
        return 1.0f;
    } else {
        return Format::encode_row(x, w, n, fields);
    }
}

// The redundant sum of all quants that some row headers carry.
template <typename Format>
int32_t sum_of_quants(const std::vector<typename Format::Fields>& fields) {
    int32_t sum = 0;
    if constexpr (Format::kRowHeader == RowHeader::f32_scale_and_sum) {
        for (const auto& block : fields) {
            for (int8_t q : block.q) sum += q;
        }
    }
    return sum;
}

// Importance with a mean of one and without zeros, so that sums of it stay in range and every element counts
// a little. All ones when there is none, or when it is of no use (all zero, not finite).
std::vector<float> squared_error_weights(const float* importance, int64_t n);

template <typename Format>
void encode_rows(const float* in, std::byte* rows, int64_t n_rows, int64_t n, const float* importance) {
    using Out = Group<Format>;
    const std::vector<float> weights = squared_error_weights(importance, n);
    std::vector<typename Format::Fields> fields(static_cast<size_t>(n / Format::kBlockElements));
    auto* group = reinterpret_cast<uint8_t*>(rows);
    for (int64_t row = 0; row < n_rows; ++row) {
        const int k = static_cast<int>(row % Format::kGroupRows);
        if (k == 0) std::fill_n(group, Out::bytes(n), uint8_t(0));
        std::ranges::fill(fields, typename Format::Fields{});
        const float scale = encode_fields<Format>(in + row * n, weights.data(), n, fields.data());
        write_row_header(Format::kRowHeader, scale, sum_of_quants<Format>(fields), Out::header(group, k));
        for (size_t b = 0; b < fields.size(); ++b) {
            Format::layout(Writer{}, Out::block(group, static_cast<int64_t>(b)), k, fields[b]);
        }
        if (k == Format::kGroupRows - 1) group += Out::bytes(n);
    }
}

// For keys and values at run time: no allocation, no search, no importance. Only for formats of plain blocks.
template <typename Format>
void encode_rows_fast(const float* in, std::byte* rows, int64_t n_rows, int64_t n, const float*) {
    static_assert(Format::kGroupRows == 1 && Format::kRowHeader == RowHeader::none);
    auto* block = reinterpret_cast<uint8_t*>(rows);
    for (int64_t first = 0; first < n_rows * n;
         first += Format::kBlockElements, block += Format::kBlockBytes) {
        typename Format::Fields fields{};
        Format::encode_block_fast(in + first, fields);
        std::fill_n(block, Format::kBlockBytes, uint8_t(0));
        Format::layout(Writer{}, block, 0, fields);
    }
}

// Moves the fields of rows from one layout to another; nothing is rounded.
template <typename From, typename To>
void convert_rows(const std::byte* from, std::byte* to, int64_t n_rows, int64_t n) {
    using Fields = typename From::Fields;
    constexpr int kBoth = std::max(From::kGroupRows, To::kGroupRows);
    static_assert(From::kBlockElements == To::kBlockElements);
    static_assert(From::kGroupRows == 1 || To::kGroupRows == 1);
    const auto* source = reinterpret_cast<const uint8_t*>(from);
    auto* target = reinterpret_cast<uint8_t*>(to);
    std::fill_n(target, Group<To>::bytes(n) * (n_rows / To::kGroupRows), uint8_t(0));
    for (int64_t row = 0; row < n_rows; row += kBoth) {
        for (int k = 0; k < kBoth; ++k) {
            const int from_k = k % From::kGroupRows, to_k = k % To::kGroupRows;
            const uint8_t* in = source + Group<From>::bytes(n) * ((row + k) / From::kGroupRows);
            uint8_t* out = target + Group<To>::bytes(n) * ((row + k) / To::kGroupRows);
            std::vector<Fields> fields(static_cast<size_t>(n / From::kBlockElements));
            for (size_t b = 0; b < fields.size(); ++b) {
                const auto at = static_cast<int64_t>(b);
                From::layout(Reader{}, Group<From>::block(in, at), from_k, fields[b]);
                To::layout(Writer{}, Group<To>::block(out, at), to_k, fields[b]);
            }
            const float scale = read_row_scale(From::kRowHeader, Group<From>::header(in, from_k));
            write_row_header(To::kRowHeader, scale, sum_of_quants<To>(fields), Group<To>::header(out, to_k));
        }
    }
}

// Fills in what follows from the format; `info` brings type, name and flags.
template <typename Format>
constexpr TypeInfo describe(TypeInfo info) {
    info.block_elements = Format::kBlockElements;
    info.block_bytes = Format::kBlockBytes;
    info.row_header_bytes = header_bytes(Format::kRowHeader);
    info.group_rows = Format::kGroupRows;
    info.is_quantized = true;
    info.decode = decode_rows<Format>;
    if constexpr (requires { Format::kHasEncoder; }) {
        info.encode = encode_rows<Format>;
    }
    if constexpr (Format::kGroupRows == 1 && requires { &Format::encode_block_fast; }) {
        info.encode_fast = encode_rows_fast<Format>;
    }
    return info;
}

// The same for an interleaved format that holds exactly the fields of Base.
template <typename Format, typename Base>
constexpr TypeInfo describe_interleaved(ElementType base_type, TypeInfo info) {
    info = describe<Format>(info);
    info.base_type = base_type;
    info.interleave = convert_rows<Base, Format>;
    info.deinterleave = convert_rows<Format, Base>;
    return info;
}

}  // namespace cria::quant
