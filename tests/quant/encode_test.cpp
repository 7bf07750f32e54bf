// Encoders: errors on the golden input no worse than the recorded ones, and sane results on special inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

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

}  // namespace
}  // namespace cria
