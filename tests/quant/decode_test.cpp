// Every decoder gives the floats of the golden files to the last bit, on ordinary and on arbitrary bytes, and
// reads nothing behind the last row.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <memory>

#include "golden.h"
#include "quant/i2_s.h"
#include "quant/types.h"

namespace cria {
namespace {

using testing::Golden;
using testing::GoldenRows;
using testing::goldens;

#define SKIP_WITHOUT_GOLDENS() \
    if (goldens().empty()) GTEST_SKIP() << "no golden files: ../shared/conformance/quant is absent"

// Decodes from a heap block that ends with the last row, so that ASan sees a read behind it.
std::vector<float> decode(const TypeInfo& info, const GoldenRows& rows) {
    const size_t n_bytes = rows.bytes.size();
    const std::unique_ptr<std::byte[]> exact(new std::byte[n_bytes]);
    std::ranges::copy(rows.bytes, exact.get());
    std::vector<float> out(static_cast<size_t>(rows.n_rows * rows.row_length));
    if (info.type == ElementType::i2_s) {
        out.resize((n_bytes - 32) * 4);
        decode_i2_s({exact.get(), n_bytes}, out);
    } else {
        info.decode(exact.get(), out.data(), rows.n_rows, rows.row_length);
    }
    return out;
}

void expect_same_bits(const Golden& golden, const GoldenRows& rows, const char* kind) {
    const std::vector<float> out = decode(*golden.info, rows);
    ASSERT_GE(out.size(), rows.floats.size());
    int n_different = 0;
    for (size_t i = 0; i < rows.floats.size() && n_different < 3; ++i) {
        const bool both_nan = std::isnan(out[i]) && std::isnan(rows.floats[i]);
        if (both_nan || std::bit_cast<uint32_t>(out[i]) == std::bit_cast<uint32_t>(rows.floats[i])) continue;
        ++n_different;
        ADD_FAILURE() << golden.info->name << ", " << kind << " element " << i << ": " << out[i]
                      << " instead of " << rows.floats[i];
    }
}

TEST(Decode, GoldenRowsToTheLastBit) {
    SKIP_WITHOUT_GOLDENS();
    EXPECT_EQ(goldens().size(), 79u);
    for (const Golden& golden : goldens()) {
        ASSERT_NE(golden.info, nullptr);
        expect_same_bits(golden, golden.rows, "golden row");
    }
}

TEST(Decode, ArbitraryBytesToTheLastBit) {
    SKIP_WITHOUT_GOLDENS();
    for (const Golden& golden : goldens()) {
        if (golden.random) expect_same_bits(golden, *golden.random, "random row");
    }
}

TEST(Decode, SizesAreThoseOfTheFormat) {
    SKIP_WITHOUT_GOLDENS();
    for (const Golden& golden : goldens()) {
        const TypeInfo& info = *golden.info;
        EXPECT_EQ(info.group_rows, golden.group_rows) << info.name;
        EXPECT_EQ(info.needs_importance, golden.needs_importance) << info.name;
        if (info.type == ElementType::i2_s) continue;  // no rows
        EXPECT_EQ(info.row_header_bytes, golden.row_header_bytes) << info.name;
        EXPECT_EQ(row_bytes(info, 1024), golden.row_bytes_1024) << info.name;
        if (info.type == ElementType::bf16_r16) continue;  // pairs of the format's blocks
        EXPECT_EQ(info.block_elements, golden.block_elements) << info.name;
        EXPECT_EQ(info.block_bytes, golden.block_bytes) << info.name;
    }
}

TEST(Decode, RowsThatDoNotDivideAreRefused) {
    for (const TypeInfo* info : all_types()) {
        const auto block = static_cast<uint64_t>(info->block_elements);
        const auto group = static_cast<uint64_t>(info->group_rows);
        EXPECT_TRUE(tensor_bytes(*info, block, group)) << info->name;
        if (block > 1) {
            EXPECT_FALSE(tensor_bytes(*info, block + 1, group)) << info->name;
            EXPECT_FALSE(tensor_bytes(*info, block - 1, group)) << info->name;
        }
        if (group > 1) {
            EXPECT_FALSE(tensor_bytes(*info, block, group + 1)) << info->name;
        }
    }
}

TEST(Decode, EveryTypeOfWeightsHasADecoder) {
    for (const TypeInfo* info : all_types()) {
        const bool without = info->is_integer || info->type == ElementType::i2_s;
        EXPECT_EQ(info->decode == nullptr, without) << info->name;
    }
}

TEST(Decode, TernaryTypesOfOtherEngines) {
    // Byte 0 holds the digits 2 1 0 2 1 of elements 0, 32, 64, 96, 128: 2*81 + 1*27 + 0*9 + 2*3 + 1 = 196;
    // ceil(256 * 196 / 243) = 207.
    std::vector<std::byte> tq1(54);
    tq1[0] = std::byte{207};
    tq1[53] = std::byte{0x40};  // f16 2.0
    std::vector<float> y(256);
    type_info(ElementType::tq1_0).decode(tq1.data(), y.data(), 1, 256);
    EXPECT_EQ(y[0], 2.0f);
    EXPECT_EQ(y[32], 0.0f);
    EXPECT_EQ(y[64], -2.0f);
    EXPECT_EQ(y[96], 2.0f);
    EXPECT_EQ(y[128], 0.0f);
    EXPECT_EQ(y[1], -2.0f);

    // Element e has bits 2 * (e % 128 / 32) of byte 32 * (e / 128) + e % 32.
    std::vector<std::byte> tq2(66);
    tq2[33] = std::byte{0b10'01'00'10};
    tq2[65] = std::byte{0x40};
    type_info(ElementType::tq2_0).decode(tq2.data(), y.data(), 1, 256);
    EXPECT_EQ(y[129], 2.0f);
    EXPECT_EQ(y[161], -2.0f);
    EXPECT_EQ(y[193], 0.0f);
    EXPECT_EQ(y[225], 2.0f);
    EXPECT_EQ(y[0], -2.0f);
}

TEST(Decode, InterleavingAndBackChangesNothing) {
    SKIP_WITHOUT_GOLDENS();
    for (const Golden& golden : goldens()) {
        const TypeInfo& info = *golden.info;
        if (info.interleave == nullptr) continue;
        const TypeInfo& base = type_info(*info.base_type);
        const GoldenRows& rows = golden.rows;
        std::vector<std::byte> apart(static_cast<size_t>(row_bytes(base, rows.row_length) * rows.n_rows));
        info.deinterleave(rows.bytes.data(), apart.data(), rows.n_rows, rows.row_length);
        std::vector<float> floats(static_cast<size_t>(rows.n_rows * rows.row_length));
        base.decode(apart.data(), floats.data(), rows.n_rows, rows.row_length);
        EXPECT_TRUE(std::equal(rows.floats.begin(), rows.floats.end(), floats.begin())) << info.name;

        std::vector<std::byte> together(rows.bytes.size(), std::byte{0xff});
        info.interleave(apart.data(), together.data(), rows.n_rows, rows.row_length);
        EXPECT_EQ(together, rows.bytes) << info.name;
    }
}

TEST(Decode, I2sRefusesWrongSizes) {
    std::vector<std::byte> bytes(64);
    std::vector<float> out(128);
    EXPECT_NO_THROW(decode_i2_s(bytes, out));
    EXPECT_ANY_THROW(decode_i2_s(std::span(bytes).first(63), out));
    EXPECT_ANY_THROW(decode_i2_s(bytes, std::span(out).first(64)));
}

}  // namespace
}  // namespace cria
