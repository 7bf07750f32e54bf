// Encoders: errors on the golden input no worse than the recorded ones, and sane results on special inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "golden.h"
#include "quant/types.h"

namespace cria {
namespace {

using testing::Golden;
using testing::golden_importance;
using testing::golden_input;
using testing::GoldenErrors;
using testing::goldens;
using testing::kGoldenRowLength;

std::vector<float> round_trip(const TypeInfo& info, const std::vector<float>& x, int64_t n,
                              const float* importance) {
    const auto n_rows = static_cast<int64_t>(x.size()) / n;
    std::vector<std::byte> bytes(static_cast<size_t>(row_bytes(info, n) * n_rows));
    info.encode(x.data(), bytes.data(), n_rows, n, importance);
    std::vector<float> y(x.size());
    info.decode(bytes.data(), y.data(), n_rows, n);
    return y;
}

GoldenErrors errors_of(const std::vector<float>& x, const std::vector<float>& y) {
    const std::vector<float> w = golden_importance();
    double sum = 0, weighted_sum = 0, weights = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const double difference = static_cast<double>(x[i]) - y[i];
        const double weight = w[i % w.size()];
        sum += difference * difference;
        weighted_sum += weight * difference * difference;
        weights += weight;
    }
    return {.rmse = std::sqrt(sum / static_cast<double>(x.size())),
            .weighted_rmse = std::sqrt(weighted_sum / weights)};
}

// Within 1 % of the recorded errors. CRIA_SHOW_ERRORS=1 prints all ratios.
void expect_no_worse(const Golden& golden, const char* kind, const std::optional<GoldenErrors>& recorded,
                     const float* importance) {
    if (!recorded) return;
    const std::vector<float> x = golden_input(golden.n_input_rows);
    const GoldenErrors found = errors_of(x, round_trip(*golden.info, x, kGoldenRowLength, importance));
    EXPECT_LE(found.rmse, 1.01 * recorded->rmse) << golden.info->name << ", " << kind;
    EXPECT_LE(found.weighted_rmse, 1.01 * recorded->weighted_rmse)
        << golden.info->name << ", weighted, " << kind;
    if (std::getenv("CRIA_SHOW_ERRORS") != nullptr) {
        std::printf("%-12s %-10s %9.6f %6.3f  %9.6f %6.3f\n", std::string(golden.info->name).c_str(), kind,
                    found.rmse, found.rmse / recorded->rmse, found.weighted_rmse,
                    found.weighted_rmse / recorded->weighted_rmse);
    }
}

TEST(Encode, ErrorsAreNoWorseThanRecorded) {
    if (goldens().empty()) GTEST_SKIP() << "no golden files: ../shared/conformance/quant is absent";
    const std::vector<float> importance = golden_importance();
    const std::vector<float> ones(static_cast<size_t>(kGoldenRowLength), 1.0f);
    for (const Golden& golden : goldens()) {
        if (golden.info->encode == nullptr) continue;
        expect_no_worse(golden, "plain", golden.plain, nullptr);
        expect_no_worse(golden, "flat", golden.flat, ones.data());
        expect_no_worse(golden, "importance", golden.importance, importance.data());
    }
}

TEST(Encode, FastEncodersOfCacheTypesAreNearlyAsGood) {
    if (goldens().empty()) GTEST_SKIP() << "no golden files: ../shared/conformance/quant is absent";
    for (const Golden& golden : goldens()) {
        EXPECT_EQ(golden.info->encode_fast != nullptr, golden.info->is_cache_type) << golden.info->name;
        if (golden.info->encode_fast == nullptr) continue;
        TypeInfo fast = *golden.info;
        fast.encode = fast.encode_fast;
        const std::vector<float> x = golden_input(golden.n_input_rows);
        const GoldenErrors found = errors_of(x, round_trip(fast, x, kGoldenRowLength, nullptr));
        EXPECT_LE(found.rmse, 1.02 * golden.plain->rmse) << fast.name;
        if (std::getenv("CRIA_SHOW_ERRORS") != nullptr) {
            std::printf("%-12s fast       %9.6f %6.3f\n", std::string(fast.name).c_str(), found.rmse,
                        found.rmse / golden.plain->rmse);
        }
    }
}

TEST(Encode, IsDeterministicAndRowsDoNotInfluenceEachOther) {
    for (const TypeInfo* info : all_types()) {
        if (info->encode == nullptr) continue;
        const int64_t n = 256, n_rows = 2 * info->group_rows;
        std::vector<float> x = golden_input(n_rows);
        x.resize(static_cast<size_t>(n * n_rows));
        const auto bytes = static_cast<size_t>(row_bytes(*info, n) * n_rows);
        std::vector<std::byte> first(bytes), again(bytes, std::byte{0xaa}), half(bytes / 2);
        info->encode(x.data(), first.data(), n_rows, n, nullptr);
        info->encode(x.data(), again.data(), n_rows, n, nullptr);
        info->encode(x.data() + n * info->group_rows, half.data(), info->group_rows, n, nullptr);
        EXPECT_EQ(first, again) << info->name;
        EXPECT_TRUE(
            std::equal(half.begin(), half.end(), first.begin() + static_cast<std::ptrdiff_t>(bytes / 2)))
            << info->name;
    }
}

struct SpecialInput {
    const char* name;
    std::vector<float> x;
};

std::vector<SpecialInput> special_inputs() {
    const std::vector<float> row(256, 0.0f);
    std::vector<SpecialInput> inputs;
    const auto constant = [&](const char* name, float value) {
        inputs.push_back({name, std::vector<float>(row.size(), value)});
    };
    constant("zeros", 0.0f);
    constant("negative zeros", -0.0f);
    constant("ones", 1.0f);
    constant("minus three", -3.0f);
    constant("tiny", 1e-6f);
    constant("below f16", 1e-12f);
    constant("denormal", 1e-40f);
    constant("huge", 1e4f);
    constant("beyond f16", 1e30f);
    constant("largest", std::numeric_limits<float>::max());
    inputs.push_back({"one outlier", row});
    inputs.back().x[100] = 1000.0f;
    inputs.push_back({"one negative outlier among small ones", std::vector<float>(row.size(), 0.01f)});
    inputs.back().x[7] = -50.0f;
    inputs.push_back({"alternating", row});
    for (size_t i = 0; i < row.size(); ++i) inputs.back().x[i] = i % 2 == 0 ? 1.0f : -1.0f;
    return inputs;
}

float largest_magnitude(const std::vector<float>& x) {
    float largest = 0;
    for (float value : x) largest = std::max(largest, std::abs(value));
    return largest;
}

TEST(Encode, SpecialInputsStayFiniteAndInRange) {
    const std::vector<float> zero_importance(256, 0.0f);
    const std::vector<float> one_column = [] {
        std::vector<float> importance(256, 0.0f);
        importance[3] = 1e20f;
        return importance;
    }();
    for (const TypeInfo* info : all_types()) {
        if (info->encode == nullptr) continue;
        for (const SpecialInput& input : special_inputs()) {
            std::vector<float> x;
            for (int row = 0; row < info->group_rows; ++row)
                x.insert(x.end(), input.x.begin(), input.x.end());
            const float largest = largest_magnitude(x);
            for (const float* importance :
                 {static_cast<const float*>(nullptr), zero_importance.data(), one_column.data()}) {
                if (importance != nullptr && !info->is_quantized) continue;
                for (float y : round_trip(*info, x, 256, importance)) {
                    if (largest > 60000.0f && !info->is_quantized && std::isinf(y))
                        continue;  // f16 has no such numbers
                    ASSERT_TRUE(std::isfinite(y)) << info->name << ", " << input.name;
                    ASSERT_LE(std::abs(y), 2.0f * static_cast<double>(largest))
                        << info->name << ", " << input.name;
                }
            }
        }
    }
}

TEST(Encode, ZerosStayZeros) {
    for (const TypeInfo* info : all_types()) {
        if (info->encode == nullptr) continue;
        const std::vector<float> x(static_cast<size_t>(256 * info->group_rows), 0.0f);
        for (float y : round_trip(*info, x, 256, nullptr)) ASSERT_EQ(y, 0.0f) << info->name;
    }
}

// A constant row or a single outlier must not be lost: the error is below that of writing zeros, for
// constants well below. (Types without a zero make the neighbours of an outlier pay for it.)
TEST(Encode, ConstantsAndOutliersAreKept) {
    for (const TypeInfo* info : all_types()) {
        if (info->encode == nullptr) continue;
        for (const SpecialInput& input : special_inputs()) {
            const float largest = largest_magnitude(input.x);
            if (largest < 1e-5f || largest > 1e4f) continue;  // scales are f16
            std::vector<float> x;
            for (int row = 0; row < info->group_rows; ++row)
                x.insert(x.end(), input.x.begin(), input.x.end());
            const std::vector<float> y = round_trip(*info, x, 256, nullptr);
            double error = 0, power = 0;
            for (size_t i = 0; i < x.size(); ++i) {
                error += std::pow(static_cast<double>(x[i]) - y[i], 2);
                power += std::pow(static_cast<double>(x[i]), 2);
            }
            const bool is_constant = std::ranges::all_of(x, [&](float value) { return value == x[0]; });
            EXPECT_LT(error, (is_constant ? 0.2 : 1.0) * power) << info->name << ", " << input.name;
        }
    }
}

}  // namespace
}  // namespace cria
