// The list of types: complete, ordered, and sizes computed without overflow.
#include "quant/types.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cria {
namespace {

TEST(Types, EveryTypeIsFoundByIdAndByName) {
    std::set<std::string_view> names;
    int32_t last = -1;
    for (const TypeInfo* info : all_types()) {
        const auto id = static_cast<int32_t>(info->type);
        EXPECT_LT(last, id) << info->name;
        last = id;
        EXPECT_EQ(find_type(id), info);
        EXPECT_EQ(find_type(info->name), info);
        EXPECT_EQ(&type_info(info->type), info);
        EXPECT_TRUE(names.insert(info->name).second) << info->name;
    }
    EXPECT_EQ(all_types().size(), 86u);
}

TEST(Types, NamesAreFoundInAnyCaseAndUnknownOnesAreNot) {
    EXPECT_EQ(find_type("Q4_K"), &type_info(ElementType::q4_k));
    EXPECT_EQ(find_type("iq2_KL"), &type_info(ElementType::iq2_kl));
    EXPECT_EQ(find_type("q4_k_m"), nullptr);
    EXPECT_EQ(find_type(""), nullptr);
}

TEST(Types, RetiredAndRunTimeIdsAreUnknown) {
    for (int32_t id :
         {-1, 4, 5, 37, 38, 40, 97, 98, 99, 136, 142, 143, 147, 148, 149, 150, 400, INT32_MAX, INT32_MIN}) {
        EXPECT_EQ(find_type(id), nullptr) << id;
    }
}

TEST(Types, SizesOfRowsAndTensors) {
    EXPECT_EQ(row_bytes(type_info(ElementType::q4_k), 1024), 4 * 144);
    EXPECT_EQ(row_bytes(type_info(ElementType::iq4_ks), 1024), 4 + 4 * 136);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::iq4_ks), 1024, 3), 3u * (4 + 4 * 136));
    EXPECT_EQ(tensor_bytes(type_info(ElementType::f32), 7, 0), 0u);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::i2_s), 128, 3), 3u * 32 + 32);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::i2_s), 64, 2), 32u + 32);
}

TEST(Types, RowsThatDoNotDivideAreRefused) {
    EXPECT_EQ(tensor_bytes(type_info(ElementType::q4_k), 1025, 1), std::nullopt);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::q4_k_r4), 256, 3), std::nullopt);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::i2_s), 64, 1), std::nullopt);
}

TEST(Types, SizesThatOverflowAreRefused) {
    EXPECT_EQ(tensor_bytes(type_info(ElementType::f32), UINT64_MAX, 1), std::nullopt);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::q4_k), uint64_t(1) << 60, uint64_t(1) << 10), std::nullopt);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::f32), uint64_t(1) << 60, 1), std::nullopt);
    EXPECT_EQ(tensor_bytes(type_info(ElementType::i2_s), uint64_t(1) << 40, uint64_t(1) << 40), std::nullopt);
}

}  // namespace
}  // namespace cria
