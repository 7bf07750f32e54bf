// Absurd logits and parameters: every sampler gives a defined result or an Error; never NaN, never an empty
// array.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/error.h"
#include "sampling/adaptive_p.h"
#include "sampling/draw.h"
#include "sampling/dry.h"
#include "sampling/mirostat.h"
#include "sampling/penalties.h"
#include "sampling/temperature.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
const float kNan = std::nanf("");

const std::vector<float> kValues = {0.0f,  -0.0f,  1.0f, -1.0f, 0.5f, 1e-45f, 1e-38f,
                                    1e38f, -1e38f, kMax, -kMax, kInf, -kInf,  kNan};

std::vector<std::vector<float>> absurd_logits() {
    std::vector<std::vector<float>> sets = {
        {1.0f},
        {-kInf},
        {kNan},
        {kInf},
        {0, 0, 0, 0, 0},
        {-kInf, -kInf, -kInf},
        {kNan, kNan},
        {kInf, kInf, kInf, 1},
        {1, kNan, 2, -kInf, kInf, 3},
        {kMax, -kMax, kMax, -kMax, 0},
        {1e-45f, 0, -1e-45f, 5, 5},
        {-200, -100, 0, 100, 200},
    };
    std::vector<float> large(5000);
    for (size_t i = 0; i < large.size(); ++i) large[i] = static_cast<float>(i % 97) * 0.25f - 10.0f;
    large[17] = kNan;
    large[4000] = -kInf;
    sets.push_back(large);
    sets.emplace_back(3000, -kInf);
    return sets;
}

using Apply = std::function<void(CandidateArray&, std::mt19937&, float, float)>;

// Each with two free parameters a and b, through which all pairs of kValues go.
std::map<std::string, Apply> samplers() {
    const auto size_of = [](float value) {
        return value >= 0 && value <= 1e6f ? static_cast<size_t>(value) : 3u;
    };
    return {
        {"softmax", [](auto& c, auto&, float, float) { softmax(c); }},
        {"dist", [](auto& c, auto&, float, float) { dist(c); }},
        {"top_k", [=](auto& c, auto&, float a,
                      float b) { top_k(c, static_cast<int32_t>(size_of(a)) - 1, size_of(b)); }},
        {"top_p", [=](auto& c, auto&, float a, float b) { top_p(c, a, size_of(b)); }},
        {"min_p", [=](auto& c, auto&, float a, float b) { min_p(c, a, size_of(b)); }},
        {"tail_free", [=](auto& c, auto&, float a, float b) { tail_free(c, a, size_of(b)); }},
        {"typical", [=](auto& c, auto&, float a, float b) { typical(c, a, size_of(b)); }},
        {"top_n_sigma", [](auto& c, auto&, float a, float) { top_n_sigma(c, a); }},
        {"xtc", [](auto& c, auto& rng, float a,
                   float b) { xtc(c, {.probability = a, .threshold = b, .min_keep = 0}, rng); }},
        {"temperature", [](auto& c, auto&, float a, float) { temperature(c, a); }},
        {"dynamic min max",
         [](auto& c, auto&, float a, float b) { dynamic_temperature(c, {.min = a, .max = b}); }},
        {"dynamic exponent", [](auto& c, auto&, float a,
                                float b) { dynamic_temperature(c, {.min = 0, .max = a, .exponent = b}); }},
        {"penalties repeat",
         [](auto& c, auto&, float a, float b) {
             penalise(c, std::vector<Token>{0, 0, 1, 77, -5}, {.repeat = a, .frequency = b});
         }},
        {"penalties presence",
         [](auto& c, auto&, float a, float b) {
             penalise(c, std::vector<Token>{0, 2, 2}, {.frequency = a, .presence = b});
         }},
        {"bias",
         [](auto& c, auto&, float a, float b) {
             add_bias(c, std::vector<TokenBias>{{0, a}, {0, b}, {2, b}, {-1, a}});
         }},
        {"dry",
         [](auto& c, auto&, float a, float b) {
             DrySampler dry({.multiplier = a, .base = b, .allowed_length = 1}, 100, nullptr);
             for (int i = 0; i < 60; ++i) dry.accept(i % 2);
             dry.apply(c);
         }},
        {"adaptive_p",
         [](auto& c, auto& rng, float a, float b) {
             AdaptiveSampler adaptive({.target = a, .decay = b});
             adaptive.prepare(c);
             adaptive.apply(c);
             adaptive.sample(c, rng);
         }},
        {"mirostat",
         [](auto& c, auto& rng, float a, float b) {
             float mu = b;
             mirostat(c, {.tau = a, .eta = 0.1f}, 32000, mu, rng);
             EXPECT_TRUE(std::isfinite(mu));
         }},
        {"mirostat eta",
         [](auto& c, auto& rng, float a, float b) {
             float mu = 10;
             mirostat(c, {.tau = a, .eta = b}, 1, mu, rng);
             EXPECT_TRUE(std::isfinite(mu));
         }},
        {"mirostat_v2",
         [](auto& c, auto& rng, float a, float b) {
             float mu = a;
             mirostat_v2(c, {.tau = 5, .eta = b}, mu, rng);
             EXPECT_TRUE(std::isfinite(mu));
         }},
    };
}

void expect_sane(const CandidateArray& array, size_t size_before) {
    ASSERT_GE(array.size, 1u);
    ASSERT_LE(array.size, size_before);
    bool is_ordered = true;
    for (size_t i = 0; i < array.size; ++i) {
        ASSERT_FALSE(std::isnan(array.data[i].logit)) << "logit of candidate " << i;
        ASSERT_FALSE(array.data[i].logit == kInf) << "logit of candidate " << i;
        ASSERT_FALSE(std::isnan(array.data[i].p)) << "p of candidate " << i;
        is_ordered &= i == 0 || array.data[i - 1].logit >= array.data[i].logit;
    }
    if (array.sorted) {
        EXPECT_TRUE(is_ordered);
    }
}

TEST(AbsurdValues, GiveADefinedResultOrAnError) {
    std::mt19937 rng(1);
    size_t n_errors = 0, n_results = 0;
    for (const auto& [name, apply] : samplers())
        for (const auto& logits : absurd_logits()) {
            const size_t step = logits.size() > 100 ? 3 : 1;
            for (size_t a = 0; a < kValues.size(); ++a)
                for (size_t b = a % step; b < kValues.size(); b += step) {
                    SCOPED_TRACE(fmt::format("{} a={} b={} on {} logits, the first {}", name, kValues[a],
                                             kValues[b], logits.size(), logits[0]));
                    CandidateBuffer buffer;
                    CandidateArray& array = buffer.fill(logits);
                    try {
                        apply(array, rng, kValues[a], kValues[b]);
                        ++n_results;
                        expect_sane(array, logits.size());
                    } catch (const Error& error) {
                        EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
                        ++n_errors;
                    }
                }
        }
    EXPECT_GT(n_errors, 100u);
    EXPECT_GT(n_results, 10000u);
}

TEST(AbsurdValues, EmptyArraysAreRefusedByEverySampler) {
    std::mt19937 rng(1);
    for (const auto& [name, apply] : samplers()) {
        CandidateArray empty;
        EXPECT_THROW(apply(empty, rng, 0.5f, 1.0f), Error) << name;
    }
    CandidateArray empty;
    EXPECT_THROW(greedy(empty), Error);
    EXPECT_THROW(draw(empty, rng), Error);
    CandidateBuffer buffer;
    EXPECT_THROW(buffer.fill({}), Error);
    EXPECT_THROW(buffer.fill_top({}, 5), Error);
}

TEST(AbsurdValues, ParametersThatAreNoNumberAreNamed) {
    CandidateBuffer buffer;
    CandidateArray& array = buffer.fill(std::vector<float>{1, 2, 3});
    try {
        top_p(array, kNan, 1);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("top_p: p is not a number"), std::string::npos)
            << error.what();
    }
}

TEST(AbsurdValues, NothingToChooseIsAnErrorAndForbiddenTokensAreNeverDrawn) {
    std::mt19937 rng(1);
    CandidateBuffer buffer;
    EXPECT_THROW(draw(buffer.fill(std::vector<float>{-kInf, kNan}), rng), Error);
    EXPECT_THROW(greedy(buffer.fill(std::vector<float>{-kInf, kNan})), Error);
    EXPECT_THROW(greedy(std::vector<float>{-kInf, kNan}), Error);
    for (int i = 0; i < 1000; ++i)
        EXPECT_EQ(draw(buffer.fill(std::vector<float>{-kInf, 1, -kInf, kNan}), rng), 1);
}

TEST(AbsurdValues, HugeAndTinyTemperaturesKeepTheirMeaning) {
    CandidateBuffer buffer;
    const std::vector<float> logits = {1, 5, 3};
    for (const float t : {1e-45f, 1e-40f, 1e-38f}) {
        CandidateArray& array = buffer.fill(logits);
        temperature(array, t);
        softmax(array);
        EXPECT_EQ(array.data[0].id, 1);
        EXPECT_FLOAT_EQ(array.data[0].p, 1.0f);
    }
    for (const float t : {1e38f, kInf}) {
        CandidateArray& array = buffer.fill(logits);
        temperature(array, t);
        softmax(array);
        for (const TokenData& item : array.span()) EXPECT_NEAR(item.p, 1.0f / 3, 1e-6);
    }
}

TEST(AbsurdValues, GuidanceKeepsForbiddenTokensForbidden) {
    for (const float scale : {-3e38f, -1.0f, 0.0f, 1.0f, 3e38f})
        for (const auto& guidance : absurd_logits()) {
            std::vector<float> logits(guidance.size(), 1.0f);
            logits[0] = -kInf;
            apply_guidance(logits, guidance, scale);
            EXPECT_EQ(logits[0], -kInf);
            for (const float logit : logits) EXPECT_FALSE(std::isnan(logit) || logit == kInf);
        }
    std::vector<float> logits = {1, 2};
    EXPECT_THROW(apply_guidance(logits, std::vector<float>{1}, 1), Error);
    EXPECT_THROW(apply_guidance(logits, logits, kNan), Error);
    EXPECT_THROW(apply_guidance({}, {}, 1), Error);
}

}  // namespace
}  // namespace cria::sampling
