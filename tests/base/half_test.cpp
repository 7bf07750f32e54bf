// Every 16-bit pattern survives the way through f32, and rounding is to nearest even.
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cria {
namespace {

TEST(Half, EveryF16RoundTrips) {
    for (uint32_t h = 0; h < 65536; ++h) {
        const float value = f16_to_f32(static_cast<uint16_t>(h));
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(value))));
        } else {
            EXPECT_EQ(f32_to_f16(value), h);
        }
    }
}

TEST(Half, EveryBf16RoundTrips) {
    for (uint32_t b = 0; b < 65536; ++b) {
        const float value = bf16_to_f32(static_cast<uint16_t>(b));
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(value))));
        } else {
            EXPECT_EQ(f32_to_bf16(value), b);
        }
    }
}

TEST(Half, RoundsToNearestEven) {
    EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f), 0x3c00);             // tie goes down to even
    EXPECT_EQ(f32_to_f16(1.0f + 0x3p-11f), 0x3c02);             // tie goes up to even
    EXPECT_EQ(f32_to_f16(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);  // above the tie
    EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
    EXPECT_EQ(f32_to_f16(65519.9f), 0x7bff);
    EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
    EXPECT_EQ(f32_to_f16(0x1p-25f), 0);         // tie with zero
    EXPECT_EQ(f32_to_f16(0x1.000002p-25f), 1);  // least denormal
    EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
    EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::infinity()), 0x7c00);
    EXPECT_EQ(f32_to_bf16(1.0f + 0x1p-8f), 0x3f80);
    EXPECT_EQ(f32_to_bf16(1.0f + 0x3p-8f), 0x3f82);
}

}  // namespace
}  // namespace cria
