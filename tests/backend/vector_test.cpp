// Vector kernels of every instruction set against formulas in double. Lengths 1 to 70 and some larger ones;
// nothing may be written past the end.
#include "backend/cpu/vector.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/half.h"

namespace cria::cpu {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kCanary = 12345.0f;

std::vector<int64_t> lengths() {
    std::vector<int64_t> all;
    for (int64_t n = 1; n <= 70; ++n) all.push_back(n);
    for (const int64_t n : {127, 128, 255, 1000, 4096, 5003}) all.push_back(n);
    return all;
}

std::vector<float> random_row(int64_t n, std::mt19937& random, float size = 3.0f) {
    std::normal_distribution<float> normal(0.0f, size);
    std::vector<float> row(static_cast<size_t>(n));
    for (float& x : row) x = normal(random);
    return row;
}

// Values over the whole range, signed zeros, denormals, infinities and NaN.
std::vector<float> difficult_values() {
    std::vector<float> values{0.0f, -0.0f, kInf, -kInf, kNan, 1e-45f, -1e-45f, 1e-39f, 3e38f, -3e38f};
    for (float x = -110.0f; x < 100.0f; x += 0.0371f) values.push_back(x);
    for (float x = 1e-38f; x < 1e38f; x *= 7.0f) {
        values.push_back(x);
        values.push_back(-x);
    }
    return values;
}

double activation(Activation kind, double x) {
    const auto sigmoid = [](double y) { return 1.0 / (1.0 + std::exp(-y)); };
    switch (kind) {
        case Activation::none:
            return x;
        case Activation::silu:
            return x * sigmoid(x);
        case Activation::gelu:
            return x * sigmoid(2.0 * 0.79788456080286535588 * (x + 0.044715 * x * x * x));
        case Activation::gelu_erf:
            return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
        case Activation::gelu_quick:
            return x * sigmoid(1.702 * x);
        case Activation::relu:
            return x > 0 || x != x ? x : 0.0;
        case Activation::relu_squared:
            return x > 0 || x != x ? x * x : 0.0;
        case Activation::sigmoid:
            return sigmoid(x);
        case Activation::tanh:
            return std::tanh(x);
        case Activation::softplus:
            return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    }
    return x;
}

constexpr Activation kActivations[] = {Activation::none,         Activation::silu,       Activation::gelu,
                                       Activation::gelu_erf,     Activation::gelu_quick, Activation::relu,
                                       Activation::relu_squared, Activation::sigmoid,    Activation::tanh,
                                       Activation::softplus};

class Vector : public ::testing::TestWithParam<Isa> {
  protected:
    void SetUp() override {
        if (!is_supported(GetParam())) {
            GTEST_SKIP() << "this processor lacks " << isa_requirement(GetParam());
        }
        kernels_ = &vector_kernels(GetParam());
    }

    const VectorKernels& kernels() const { return *kernels_; }

    // Both NaN, or within `tolerance` of each other; overflow to infinity may come a little early.
    static void expect_close(float actual, double expected, double tolerance, const std::string& what) {
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(actual)) << what << " is " << actual;
        } else if (std::isinf(static_cast<float>(expected)) || std::isinf(actual)) {
            EXPECT_GT(std::fabs(expected), 3.4e38) << what;
            EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << what;
            EXPECT_GT(std::fabs(actual), 3.4e38) << what;
        } else {
            EXPECT_NEAR(actual, expected, tolerance) << what;
        }
    }

  private:
    const VectorKernels* kernels_ = nullptr;
};

TEST_P(Vector, TableIsOfTheSetThatWasAskedFor) { EXPECT_EQ(kernels().isa, GetParam()); }

// Eight units in the last place, absolute for results under one; GELU by erf has the 2e-7 of its formula.
TEST_P(Vector, ActivationsFollowTheirFormulas) {
    const std::vector<float> x = difficult_values();
    const auto n = static_cast<int64_t>(x.size());
    std::vector<float> out(x.size());
    for (const Activation kind : kActivations) {
        kernels().activate(kind, x.data(), out.data(), n);
        for (size_t i = 0; i < x.size(); ++i) {
            const double expected = activation(kind, x[i]);
            // -inf * 0, and what a formula makes of it, is not defined
            if (x[i] == -kInf && std::isnan(expected)) continue;
            if (x[i] == -kInf && kind == Activation::gelu_erf) continue;
            const double erf_error = kind == Activation::gelu_erf ? 4e-7 * std::fabs(x[i]) : 0.0;
            expect_close(
                out[i], expected, 5e-7 * std::max(1.0, std::fabs(expected)) + erf_error,
                "activation " + std::to_string(static_cast<int>(kind)) + " of " + std::to_string(x[i]));
        }
    }
}

// Relative errors, seen through functions that are close to exp and tanh alone.
TEST_P(Vector, ExpAndTanhAreGoodRelativeToSmallResults) {
    std::vector<float> x;
    for (float v = -87.0f; v < -17.0f; v += 0.0131f) x.push_back(v);
    std::vector<float> out(x.size());
    kernels().activate(Activation::sigmoid, x.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
        const double expected = 1.0 / (1.0 + std::exp(-static_cast<double>(x[i])));
        EXPECT_NEAR(out[i] / expected, 1.0, 4e-7) << x[i];
    }
    for (float& v : x) v = std::exp2(v / 4.0f) * 1.5f;
    kernels().activate(Activation::tanh, x.data(), out.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i)
        EXPECT_NEAR(out[i] / std::tanh(static_cast<double>(x[i])), 1.0, 4e-7) << x[i];
}

TEST_P(Vector, ElementwiseKernelsTreatEveryLengthAlikeAndWriteNothingElse) {
    std::mt19937 random(1);
    for (const int64_t n : lengths()) {
        const auto size = static_cast<size_t>(n);
        const std::vector<float> a = random_row(n, random);
        const std::vector<float> b = random_row(n, random);
        std::vector<float> out(size + 1);
        const auto check = [&](auto run, auto formula) {
            std::copy(b.begin(), b.end(), out.begin());  // axpy adds to it
            out[size] = kCanary;
            run();
            for (size_t i = 0; i < size; ++i) {
                const double expected = formula(a[i], b[i]);
                EXPECT_NEAR(out[i], expected, 1e-6 * (1 + std::fabs(expected))) << "length " << n;
            }
            EXPECT_EQ(out[size], kCanary) << "length " << n;
        };
        check([&] { kernels().add(a.data(), b.data(), out.data(), n); },
              [](double x, double y) { return x + y; });
        check([&] { kernels().multiply(a.data(), b.data(), out.data(), n); },
              [](double x, double y) { return x * y; });
        check([&] { kernels().axpy(0.75f, a.data(), out.data(), n); },
              [](double x, double y) { return 0.75 * x + y; });
        check([&] { kernels().scale(-1.25f, a.data(), out.data(), n); },
              [](double x, double) { return -1.25 * x; });
        check([&] { kernels().softcap(2.5f, a.data(), out.data(), n); },
              [](double x, double) { return 2.5 * std::tanh(x / 2.5); });
        check([&] { kernels().activate(Activation::silu, a.data(), out.data(), n); },
              [](double x, double) { return activation(Activation::silu, x); });
        check([&] { kernels().gate(Activation::gelu, {}, a.data(), b.data(), out.data(), n); },
              [](double x, double y) { return activation(Activation::gelu, x) * y; });
    }
}

TEST_P(Vector, GateAppliesItsLimits) {
    std::mt19937 random(2);
    const std::vector<float> gate = random_row(101, random, 10.0f);
    const std::vector<float> up = random_row(101, random, 10.0f);
    std::vector<float> out(gate.size());
    const GateLimits all{.gate_max = 7.0f, .up_limit = 6.0f, .up_offset = 1.0f, .alpha = 1.702f};
    kernels().gate(Activation::silu, all, gate.data(), up.data(), out.data(), 101);
    for (size_t i = 0; i < out.size(); ++i) {
        const double g = std::min<double>(gate[i], 7.0);
        const double u = std::clamp<double>(up[i], -6.0, 6.0) + 1.0;
        EXPECT_NEAR(out[i], g / (1.0 + std::exp(-1.702f * g)) * u, 2e-5);
    }
    kernels().gate(Activation::relu, {.up_limit = 0.5f}, gate.data(), up.data(), out.data(), 101);
    for (size_t i = 0; i < out.size(); ++i)
        EXPECT_NEAR(out[i], std::max(gate[i], 0.0f) * std::clamp(up[i], -0.5f, 0.5f), 1e-5);
    const float nan[] = {kNan, 1.0f};
    const float one[] = {1.0f, kNan};
    float both[2];
    kernels().gate(Activation::silu, all, nan, one, both, 2);
    EXPECT_TRUE(std::isnan(both[0]) && std::isnan(both[1]));
}

// A sum of n terms in f32 is within n half ulps of the sum of sizes; four ulps for the rest.
TEST_P(Vector, NormsFollowTheirFormulas) {
    std::mt19937 random(3);
    for (const NormKind kind : {NormKind::rms, NormKind::layer, NormKind::l2}) {
        for (const int64_t n : lengths()) {
            const auto size = static_cast<size_t>(n);
            const std::vector<float> x = random_row(n, random);
            const std::vector<float> weight = random_row(n, random);
            const std::vector<float> bias = random_row(n, random);
            for (int parts = 0; parts < 4; ++parts) {
                std::vector<float> out(size + 1, kCanary);
                kernels().norm({.kind = kind,
                                .eps = 1e-5f,
                                .x = x.data(),
                                .weight = parts & 1 ? weight.data() : nullptr,
                                .bias = parts & 2 ? bias.data() : nullptr,
                                .out = out.data(),
                                .n = n});
                double mean = 0.0;
                double squares = 0.0;
                for (const float v : x) mean += kind == NormKind::layer ? v / static_cast<double>(n) : 0.0;
                for (const float v : x) squares += (v - mean) * (v - mean);
                const double scale = kind == NormKind::l2
                                         ? 1.0 / std::max(std::sqrt(squares), 1e-5)
                                         : 1.0 / std::sqrt(squares / static_cast<double>(n) + 1e-5f);
                for (size_t i = 0; i < size; ++i) {
                    const double normal = (x[i] - mean) * scale * (parts & 1 ? weight[i] : 1.0);
                    const double error =
                        (static_cast<double>(n) + 16) * 0x1p-24 * (std::fabs(normal) + 1) * (1 + 3 * scale);
                    EXPECT_NEAR(out[i], normal + (parts & 2 ? bias[i] : 0.0), error + 1e-6) << n;
                }
                EXPECT_EQ(out[size], kCanary);
            }
        }
    }
}

TEST_P(Vector, NormPassesNanOn) {
    std::vector<float> x(37, 1.0f);
    x[35] = kNan;
    for (const NormKind kind : {NormKind::rms, NormKind::layer, NormKind::l2}) {
        std::vector<float> out(37);
        kernels().norm({.kind = kind, .eps = 1e-5f, .x = x.data(), .out = out.data(), .n = 37});
        for (const float y : out) EXPECT_TRUE(std::isnan(y));
    }
}

TEST_P(Vector, RopeTurnsPairsAndLeavesTheRest) {
    std::mt19937 random(4);
    constexpr int32_t kHeads = 3;
    for (const bool is_neox : {false, true}) {
        for (int32_t n_rot = 2; n_rot <= 132; n_rot += n_rot < 70 ? 2 : 31) {
            const int32_t head_dim = n_rot + 5;
            const int32_t half = n_rot / 2;
            const std::vector<float> row = random_row(kHeads * head_dim, random);
            const std::vector<float> angles = random_row(half, random);
            std::vector<float> cos_sin;
            for (const float angle : angles) {
                cos_sin.push_back(std::cos(angle));
                cos_sin.push_back(std::sin(angle));
            }
            std::vector<float> turned = row;
            kernels().rope(turned.data(), kHeads, head_dim, n_rot, is_neox, cos_sin.data());
            for (int32_t h = 0; h < kHeads; ++h) {
                const auto head = static_cast<size_t>(h * head_dim);
                for (int32_t i = 0; i < half; ++i) {
                    const size_t a = head + static_cast<size_t>(is_neox ? i : 2 * i);
                    const size_t b = a + static_cast<size_t>(is_neox ? half : 1);
                    const double cos = cos_sin[static_cast<size_t>(2 * i)];
                    const double sin = cos_sin[static_cast<size_t>(2 * i + 1)];
                    EXPECT_NEAR(turned[a], row[a] * cos - row[b] * sin, 4e-6) << n_rot;
                    EXPECT_NEAR(turned[b], row[a] * sin + row[b] * cos, 4e-6) << n_rot;
                }
                for (int32_t i = half * 2; i < head_dim; ++i) {
                    const size_t at = head + static_cast<size_t>(i);
                    EXPECT_EQ(turned[at], row[at]);
                }
            }
        }
    }
}

TEST_P(Vector, SoftmaxIsAProbability) {
    std::mt19937 random(5);
    for (const int64_t n : lengths()) {
        std::vector<float> x = random_row(n, random, 8.0f);
        for (float& v : x) v += 1000.0f;
        std::vector<double> expected;
        double sum = 0.0;
        for (const float v : x) sum += expected.emplace_back(std::exp(static_cast<double>(v) - 1000.0));
        x.push_back(kCanary);
        kernels().softmax(x.data(), n);
        for (size_t i = 0; i < expected.size(); ++i) {
            const double p = expected[i] / sum;
            EXPECT_NEAR(x[i], p, p * (static_cast<double>(n) + 16) * 0x1p-23 + 1e-37) << n;
        }
        EXPECT_EQ(x.back(), kCanary);
    }
}

TEST_P(Vector, SoftmaxPassesNanOnAndIgnoresMinusInfinity) {
    std::vector<float> x(20, -kInf);
    x[3] = 2.0f;
    x[19] = 2.0f;
    kernels().softmax(x.data(), 20);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], i == 3 || i == 19 ? 0.5f : 0.0f);
    x[0] = kNan;
    kernels().softmax(x.data(), 20);
    for (const float p : x) EXPECT_TRUE(std::isnan(p));
}

// Every f16 there is, and floats around every rounding boundary.
TEST_P(Vector, ConversionsEqualTheDefinitionToTheBit) {
    std::vector<uint16_t> halves(65536);
    for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
    std::vector<float> floats(halves.size());
    kernels().f16_to_f32(halves.data(), floats.data(), 65536);
    std::vector<float> x = difficult_values();
    for (size_t i = 0; i < halves.size(); ++i) {
        const float expected = f16_to_f32(halves[i]);
        if (expected != expected) {
            EXPECT_TRUE(std::isnan(floats[i]));
            continue;
        }
        EXPECT_EQ(std::bit_cast<uint32_t>(floats[i]), std::bit_cast<uint32_t>(expected)) << i;
        const float middle = 0.5f * (expected + f16_to_f32(static_cast<uint16_t>(i + 1)));
        for (const float y : {expected, middle, std::nextafter(middle, kInf), std::nextafter(middle, -kInf)})
            x.push_back(y);
    }
    const auto n = static_cast<int64_t>(x.size());
    std::vector<uint16_t> f16(x.size());
    std::vector<uint16_t> bf16(x.size());
    kernels().f32_to_f16(x.data(), f16.data(), n);
    kernels().f32_to_bf16(x.data(), bf16.data(), n);
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i] != x[i]) {
            wrong += !std::isnan(f16_to_f32(f16[i])) + !std::isnan(bf16_to_f32(bf16[i]));
        } else {
            wrong += (f16[i] != f32_to_f16(x[i])) + (bf16[i] != f32_to_bf16(x[i]));
        }
    }
    EXPECT_EQ(wrong, 0u);
}

TEST_P(Vector, ConversionsTreatEveryLengthAlikeAndWriteNothingElse) {
    std::mt19937 random(6);
    for (const int64_t n : lengths()) {
        const auto size = static_cast<size_t>(n);
        const std::vector<float> x = random_row(n, random);
        std::vector<uint16_t> halves(size + 1, 77);
        std::vector<float> floats(size + 1, kCanary);
        kernels().f32_to_f16(x.data(), halves.data(), n);
        for (size_t i = 0; i < size; ++i) ASSERT_EQ(halves[i], f32_to_f16(x[i])) << n;
        kernels().f16_to_f32(halves.data(), floats.data(), n);
        for (size_t i = 0; i < size; ++i) ASSERT_EQ(floats[i], f16_to_f32(halves[i])) << n;
        kernels().f32_to_bf16(x.data(), halves.data(), n);
        for (size_t i = 0; i < size; ++i) ASSERT_EQ(halves[i], f32_to_bf16(x[i])) << n;
        EXPECT_EQ(halves[size], 77);
        EXPECT_EQ(floats[size], kCanary);
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, Vector, ::testing::ValuesIn(known_isas().begin(), known_isas().end()),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

}  // namespace
}  // namespace cria::cpu
