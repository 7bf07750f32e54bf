// Matrix products of every instruction set against the scalar definition and against products in double of
// the exact weights.
#include "backend/cpu/matmul.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "backend/cpu/int_decoder.h"
#include "backend/weights.h"
#include "base/aligned_buffer.h"

namespace cria::cpu {
namespace {

using testing::random_weights;
using testing::WeightRows;

constexpr int32_t kMostRows = 70;
constexpr double kHalfUlp = 0x1p-24;  // of f32, relative

// What is special about an activation row; row t has kind t % kKinds.
enum class Kind { ordinary, zeros, one_outlier, denormal, one_nan, one_infinity };
constexpr int kKinds = 6;

std::vector<float> activation_values(int32_t n_rows, int64_t length, std::mt19937& random) {
    std::vector<float> values(static_cast<size_t>(n_rows * length));
    std::normal_distribution<float> normal;
    for (int32_t t = 0; t < n_rows; ++t) {
        float* row = values.data() + t * length;
        const auto kind = static_cast<Kind>(t % kKinds);
        for (int64_t i = 0; i < length; ++i) row[i] = kind == Kind::zeros ? 0.0f : normal(random);
        float& one = row[random() % static_cast<uint64_t>(length)];
        if (kind == Kind::one_outlier) one = 5000.0f;
        if (kind == Kind::one_nan) one = std::numeric_limits<float>::quiet_NaN();
        if (kind == Kind::one_infinity) one = -std::numeric_limits<float>::infinity();
        for (int64_t i = 0; i < length && kind == Kind::denormal; ++i) row[i] *= 0x1p-130f;
    }
    return values;
}

// Activations in both forms, as one set makes them.
struct TestActivations {
    std::vector<float> values, scales, scaled_sums, half_sums;
    AlignedBuffer q;
    Activations x;

    TestActivations(const MatmulKernels& kernels, int32_t n_rows, int64_t length, std::mt19937& random)
        : values(activation_values(n_rows, length, random)) {
        x = {.values = values.data(), .stride = length, .row_length = length, .n_rows = n_rows};
        if (length % kActivationBlock != 0) return;
        const int64_t blocks = length / kActivationBlock;
        scales.resize(n_rows * blocks);
        scaled_sums.resize(n_rows * blocks);
        half_sums.resize(n_rows * blocks * 2);
        q = AlignedBuffer(n_rows * length);
        for (int64_t t = 0; t < n_rows; ++t) {
            kernels.quantize_row(values.data() + t * length, length, q.as<int8_t>() + t * length,
                                 scales.data() + t * blocks, scaled_sums.data() + t * blocks,
                                 half_sums.data() + t * blocks * 2);
        }
        x.q = q.as<int8_t>();
        x.scales = scales.data();
        x.scaled_sums = scaled_sums.data();
        x.half_sums = half_sums.data();
    }
};

// out[t][r] for some rows of activations, by few-row kernels, eight at a time.
std::vector<float> few_row_product(const MatmulKernels& kernels, const WeightRows& w, const Activations& x) {
    std::vector<float> out(static_cast<size_t>(x.n_rows * w.n_rows), 1e30f);
    for (int32_t t = 0; t < x.n_rows; t += kMaxFewRows) {
        kernels.row_dot(w.type->type)({.type = w.type,
                                       .weights = w.bytes.data(),
                                       .row_bytes = w.row_bytes(),
                                       .n_rows = w.n_rows,
                                       .x = x.rows(t, std::min(kMaxFewRows, x.n_rows - t)),
                                       .out = out.data() + t * w.n_rows,
                                       .out_stride = w.n_rows});
    }
    return out;
}

std::vector<float> panel_product(const MatmulKernels& kernels, const WeightRows& w, const Activations& x) {
    std::vector<float> out(static_cast<size_t>(x.n_rows * w.n_rows), 1e30f);
    const AlignedBuffer scratch(kernels.panel_scratch_bytes(w.type->type, x.row_length));
    for (int64_t r = 0; r < w.n_rows; r += kPanelRows) {
        kernels.panel_product({.type = w.type,
                               .weights = w.bytes.data() + r * w.row_bytes(),
                               .row_bytes = w.row_bytes(),
                               .n_rows = static_cast<int32_t>(std::min<int64_t>(kPanelRows, w.n_rows - r)),
                               .x = x,
                               .out = out.data() + r,
                               .out_stride = w.n_rows,
                               .scratch = scratch.data()});
    }
    return out;
}

// The exact product and how far a correct kernel may be from it, for one output.
//
// Rounding: a kernel adds at most n + 8 terms in f32 one after the other (n = row length for floats; two per
// group and the lanes' sum for integers), each addition erring by half an ulp of a partial sum, which is at
// most the sum of the terms' sizes. For floats that is sum |w||x|. For integers a term is scale * x_scale *
// (sum of u x), where u may be the weight's integer shifted by a zero point of at most 128, and the zero
// point is taken off again: sum of (|scale| * 256 + |offset|) |x|. Factors and the integer form itself add a
// few half ulps of the same terms, which the 8 covers.
//
// Activations: int8 rounds each by half a scale; blocks under the floor count as zero.
struct Expected {
    double value = 0.0;
    double rounding = 0.0;
    double activation = 0.0;
};

// All outputs [t][r] of integer products.
class Reference {
  public:
    Reference(const WeightRows& w, const Activations& x)
        : w_(w), x_(x), weights_(w.decode()), sizes_(weights_.size()) {
        if (w.type->is_quantized) fill_integer_sizes();
    }

    Expected expected(int32_t t, int64_t r) const {
        const int64_t n = w_.row_length;
        Expected result;
        double size = 0.0;
        for (int64_t i = 0; i < n; ++i) {
            const double w = weights_[r * n + i];
            const double x = x_.values[t * n + i];
            result.value += w * x;
            size += (w_.type->is_quantized ? sizes_[r * n + i] : std::fabs(w)) * std::fabs(x);
            if (!w_.type->is_quantized) continue;
            const double scale = x_.scales[t * n / kActivationBlock + i / kActivationBlock];
            size += sizes_[r * n + i] * scale / 2;
            result.activation += std::fabs(w) * (scale * 0.5001 + kActivationFloor);
        }
        // Below the range of normal numbers an error is absolute.
        result.rounding = (static_cast<double>(n) + 8) * kHalfUlp * size + static_cast<double>(n) * 0x1p-126;
        return result;
    }

  private:
    void fill_integer_sizes() {
        const IntDecoder decoder = int_decoder(w_.type->type);
        std::array<int8_t, kIntChunk> q;
        std::array<float, kIntChunk / 16> scales{}, offsets{};
        for (int64_t r = 0; r < w_.n_rows; ++r) {
            const auto k = static_cast<int32_t>(r % w_.type->group_rows);
            for (int64_t first = 0; first < w_.row_length; first += kIntChunk) {
                const int64_t count = std::min(kIntChunk, w_.row_length - first);
                decode_ints(*w_.type, decoder,
                            {.rows = w_.bytes.data() + (r - k) * w_.row_bytes(),
                             .k = k,
                             .first = first,
                             .count = count},
                            {.q = q.data(), .scales = scales.data(), .offsets = offsets.data()});
                for (int64_t i = 0; i < count; ++i) {
                    const int64_t g = i / decoder.group;
                    sizes_[r * w_.row_length + first + i] =
                        std::fabs(scales[g]) * 256.0f + std::fabs(offsets[g]);
                }
            }
        }
    }

    const WeightRows& w_;
    const Activations& x_;
    std::vector<float> weights_;
    std::vector<float> sizes_;
};

void expect_close(const std::vector<float>& out, const std::vector<float>& scalar, const Reference& reference,
                  int64_t n_outputs, const std::string& what) {
    for (size_t i = 0; i < out.size(); ++i) {
        const auto t = static_cast<int32_t>(i / n_outputs);
        const auto kind = static_cast<Kind>(t % kKinds);
        if (kind == Kind::one_nan || kind == Kind::one_infinity) {
            ASSERT_FALSE(std::isfinite(out[i]))
                << what << " row " << t << ": the bad activation does not show";
            continue;
        }
        const Expected expected = reference.expected(t, static_cast<int64_t>(i) % n_outputs);
        ASSERT_NEAR(out[i], scalar[i], expected.rounding)
            << what << " activation row " << t << ", output " << i % n_outputs;
        ASSERT_NEAR(out[i], expected.value, expected.rounding + expected.activation)
            << what << " activation row " << t << ", output " << i % n_outputs;
    }
}

bool same_bits(const float* a, const float* b, size_t n) { return std::memcmp(a, b, n * sizeof(float)) == 0; }

std::vector<int64_t> widths_of(const TypeInfo& type) {
    const int64_t block = type.block_elements;
    if (block == 1)
        return type.group_rows == 1 ? std::vector<int64_t>{1, 7, 61, 130, 300}
                                    : std::vector<int64_t>{2, 62, 300};
    if (block == 256) return {256, 768};
    return {block, 3 * block, 256 + block, 512 + 3 * block};
}

class MatmulTest : public ::testing::TestWithParam<Isa> {
  protected:
    void SetUp() override {
        if (!is_supported(GetParam())) {
            GTEST_SKIP() << isa_name(GetParam()) << " is not tested: this processor lacks "
                         << isa_requirement(GetParam());
        }
    }
    const MatmulKernels& kernels() const { return matmul_kernels(GetParam()); }
};

TEST_P(MatmulTest, IsTheSetThatWasAskedFor) { EXPECT_EQ(kernels().isa, GetParam()); }

TEST_P(MatmulTest, QuantizesActivationsLikeTheDefinition) {
    std::mt19937 random(3);
    const int64_t length = 32 * 37;
    const TestActivations ours(kernels(), kKinds * 3, length, random);
    random.seed(3);
    const TestActivations scalar(matmul_kernels(Isa::scalar), kKinds * 3, length, random);
    for (int64_t t = 0; t < kKinds * 3; ++t) {
        for (int64_t i = 0; i < length; ++i) {
            ASSERT_EQ(ours.x.q[t * length + kernels().q_place(length, i)], scalar.x.q[t * length + i]);
        }
    }
    for (size_t i = 0; i < scalar.scales.size(); ++i) {
        const bool is_nan = std::isnan(scalar.scales[i]);
        ASSERT_EQ(std::isnan(ours.scales[i]), is_nan);
        ASSERT_EQ(std::isnan(ours.scaled_sums[i]), is_nan);
        ASSERT_EQ(std::isnan(ours.half_sums[2 * i]), is_nan);
        if (is_nan) continue;
        ASSERT_EQ(ours.scales[i], scalar.scales[i]);
        ASSERT_EQ(ours.scaled_sums[i], scalar.scaled_sums[i]);
        ASSERT_EQ(ours.half_sums[2 * i], scalar.half_sums[2 * i]);
        ASSERT_EQ(ours.half_sums[2 * i + 1], scalar.half_sums[2 * i + 1]);
    }
}

// All types and widths, 70 activation rows of all kinds, both regimes.
TEST_P(MatmulTest, ProductsAreThoseOfTheDefinition) {
    std::mt19937 random(1);
    for (const TypeInfo* type : testing::weight_types()) {
        for (const int64_t width : widths_of(*type)) {
            const int64_t n_rows = (19 + type->group_rows - 1) / type->group_rows * type->group_rows;
            const WeightRows w = random_weights(*type, n_rows, width, random);
            const unsigned seed = random();
            random.seed(seed);
            const TestActivations activations(kernels(), kMostRows, width, random);
            random.seed(seed);
            const MatmulKernels& definition = matmul_kernels(Isa::scalar);
            const TestActivations scalar_activations(definition, kMostRows, width, random);
            const Activations& x = activations.x;
            const std::vector<float> scalar = few_row_product(definition, w, scalar_activations.x);
            const Reference reference(w, x);
            const std::string what = std::string(type->name) + " x " + std::to_string(width);
            expect_close(few_row_product(kernels(), w, x), scalar, reference, n_rows, what + " row_dot");
            expect_close(panel_product(kernels(), w, x), scalar, reference, n_rows, what + " panel");
        }
    }
}

// The number of rows given together changes nothing, in either regime: 1 to 70 rows for types of each kind of
// kernel.
TEST_P(MatmulTest, AnActivationRowDoesNotFeelItsNeighbours) {
    std::mt19937 random(2);
    for (const ElementType type :
         {ElementType::q8_0, ElementType::q4_k, ElementType::q6_k, ElementType::f16, ElementType::q8_1}) {
        const int64_t width = type_info(type).block_elements == 256 ? 768 : 544;
        const WeightRows w = random_weights(type_info(type), 19, width, random);
        const TestActivations activations(kernels(), kMostRows, width, random);
        const std::vector<float> few = few_row_product(kernels(), w, activations.x);
        const std::vector<float> many = panel_product(kernels(), w, activations.x);
        for (int32_t n = 1; n <= kMostRows; ++n) {
            const Activations last = activations.x.rows(kMostRows - n, n);
            const size_t first = static_cast<size_t>((kMostRows - n) * w.n_rows);
            const std::vector<float> few_of_them = few_row_product(kernels(), w, last);
            const std::vector<float> many_of_them = panel_product(kernels(), w, last);
            ASSERT_TRUE(same_bits(few_of_them.data(), few.data() + first, few_of_them.size()))
                << w.type->name << " " << n;
            ASSERT_TRUE(same_bits(many_of_them.data(), many.data() + first, many_of_them.size()))
                << w.type->name << " " << n;
        }
    }
}

TEST_P(MatmulTest, AWeightRowDoesNotFeelItsNeighbours) {
    std::mt19937 random(5);
    for (const TypeInfo* type : testing::weight_types()) {
        const int64_t width = widths_of(*type).back();
        const WeightRows w = random_weights(*type, 32, width, random);
        const TestActivations activations(kernels(), 3, width, random);
        const std::vector<float> whole = few_row_product(kernels(), w, activations.x);
        WeightRows part{.type = type, .n_rows = 16, .row_length = width, .bytes = {}};
        part.bytes.assign(w.bytes.begin() + 16 * w.row_bytes(), w.bytes.end());
        const std::vector<float> second_half = few_row_product(kernels(), part, activations.x);
        for (int t = 0; t < 3; ++t) {
            ASSERT_TRUE(same_bits(second_half.data() + 16 * t, whole.data() + 32 * t + 16, 16)) << type->name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sets, MatmulTest, ::testing::ValuesIn(known_isas().begin(), known_isas().end()),
                         [](const auto& info) { return std::string(isa_name(info.param)); });

TEST(IntDecoder, GivesTheExactWeightsButForTheLastBits) {
    std::mt19937 random(4);
    for (const TypeInfo* type : testing::weight_types()) {
        const IntDecoder decoder = int_decoder(type->type);
        if (decoder.decode_block == nullptr) continue;
        const int64_t width = 2 * kIntChunk;
        const WeightRows w = random_weights(*type, 16, width, random);
        const std::vector<float> exact = w.decode();
        for (int64_t r = 0; r < w.n_rows; ++r) {
            const auto k = static_cast<int32_t>(r % type->group_rows);
            std::array<int8_t, kIntChunk> q;
            std::array<float, kIntChunk / 16> scales{}, offsets{};
            decode_ints(*type, decoder,
                        {.rows = w.bytes.data() + (r - k) * w.row_bytes(),
                         .k = k,
                         .first = kIntChunk,
                         .count = kIntChunk},
                        {.q = q.data(), .scales = scales.data(), .offsets = offsets.data()});
            for (int64_t i = 0; i < kIntChunk; ++i) {
                const int64_t g = i / decoder.group;
                const float product = scales[g] * static_cast<float>(q[i]);
                const float value = product + (decoder.has_offset ? offsets[g] : 0.0f);
                const float wanted = exact[r * width + kIntChunk + i];
                // IQ6_K's integers are its polynomial rounded.
                const float rounding =
                    type->type == ElementType::iq6_k ? std::fabs(scales[g]) * 0.5001f : 0.0f;
                ASSERT_NEAR(value, wanted, std::fabs(wanted) * 0x1p-22f + rounding)
                    << type->name << " row " << r << " element " << i;
            }
        }
    }
}

}  // namespace
}  // namespace cria::cpu
