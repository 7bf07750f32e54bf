// Sampling through the C interface: the caller's array is changed in place, and wrong calls are harmless.
// What each sampler computes is tested in tests/sampling.
#define LLAMA_API_INTERNAL
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "capi/handles.h"
#include "testing.h"

namespace cria::capi {
namespace {

struct Candidates {
    std::vector<llama_token_data> data;
    llama_token_data_array array{};

    explicit Candidates(const std::vector<float>& logits) {
        for (size_t i = 0; i < logits.size(); ++i)
            data.push_back({static_cast<llama_token>(i), logits[i], 0.0f});
        array = {data.data(), data.size(), -1, false};
    }
};

TEST(Sampling, SoftmaxSortsAndNormalisesInPlace) {
    Candidates c({0.0f, std::log(3.0f)});
    llama_sample_softmax(nullptr, &c.array);
    EXPECT_EQ(c.data[0].id, 1);
    EXPECT_FLOAT_EQ(c.data[0].p, 0.75f);
    EXPECT_FLOAT_EQ(c.data[1].p, 0.25f);
    EXPECT_TRUE(c.array.sorted);
}

TEST(Sampling, TruncationShortensTheCallersArray) {
    Candidates c({1.0f, 4.0f, 3.0f, 2.0f});
    llama_sample_top_k(nullptr, &c.array, 3, 1);
    EXPECT_EQ(c.array.size, 3u);
    llama_sample_min_p(nullptr, &c.array, 0.3f, 1);
    ASSERT_EQ(c.array.size, 2u);
    EXPECT_EQ(c.array.data[0].id, 1);
    EXPECT_EQ(llama_sample_token_greedy(nullptr, &c.array), 1);
}

TEST(Sampling, TemperatureDividesAndPenaltiesSubtract) {
    Candidates c({2.0f, 2.0f});
    llama_sample_temp(nullptr, &c.array, 2.0f);
    EXPECT_FLOAT_EQ(c.data[0].logit, 1.0f);
    const llama_token last[] = {1, 1};
    llama_sample_repetition_penalties(nullptr, &c.array, last, 2, 2.0f, 0.25f, 0.5f);
    EXPECT_FLOAT_EQ(c.data[0].logit, 1.0f);
    EXPECT_FLOAT_EQ(c.data[1].logit, 0.5f - 2 * 0.25f - 0.5f);
    llama_sample_repetition_penalties(nullptr, &c.array, nullptr, 0, 2.0f, 0.25f, 0.5f);
}

TEST(Sampling, EqualSeedsDrawEqualTokensAndAreCounted) {
    llama_context a;
    llama_context b;
    llama_set_rng_seed(&a, 42);
    llama_set_rng_seed(&b, 42);
    std::mt19937 own(42);
    for (int i = 0; i < 20; ++i) {
        Candidates c({0.1f, 0.2f, 0.3f, 0.4f});
        const llama_token token = llama_sample_token(&a, &c.array);
        EXPECT_EQ(token, llama_sample_token(&b, &c.array));
        EXPECT_EQ(token, llama_sample_token_with_rng(&b, &c.array, own));
    }
    EXPECT_EQ(a.timings.n_sample, 20);
    EXPECT_EQ(b.timings.n_sample, 40);
}

TEST(Sampling, MirostatUpdatesMu) {
    llama_context context;
    context.n_vocab = 4;
    float mu = 10.0f;
    Candidates c({0.1f, 0.2f, 0.3f, 0.4f});
    EXPECT_GE(llama_sample_token_mirostat_v2(&context, &c.array, 5.0f, 0.1f, &mu), 0);
    EXPECT_NE(mu, 10.0f);
    mu = 10.0f;
    Candidates d({0.1f, 0.2f, 0.3f, 0.4f});
    EXPECT_GE(llama_sample_token_mirostat(&context, &d.array, 5.0f, 0.1f, 100, &mu), 0);
    EXPECT_NE(mu, 10.0f);
}

TEST(Sampling, GuidanceMovesLogitsOfTheWholeVocabulary) {
    llama_context context;
    context.n_vocab = 2;
    float logits[] = {0.0f, 0.0f};
    float guidance[] = {0.0f, std::log(3.0f)};
    llama_sample_apply_guidance(&context, logits, guidance, 2.0f);
    EXPECT_NEAR(logits[0], 2 * (std::log(0.5f) - std::log(0.25f)) + std::log(0.25f), 1e-6);
}

using Call = void (*)(llama_token_data_array*);
constexpr Call kCalls[] = {
    [](auto* c) { llama_sample_softmax(nullptr, c); },
    [](auto* c) { llama_sample_dist(nullptr, c); },
    [](auto* c) { llama_sample_top_k(nullptr, c, 1, 1); },
    [](auto* c) { llama_sample_top_p(nullptr, c, 0.5f, 1); },
    [](auto* c) { llama_sample_min_p(nullptr, c, 0.5f, 1); },
    [](auto* c) { llama_sample_tail_free(nullptr, c, 0.5f, 1); },
    [](auto* c) { llama_sample_typical(nullptr, c, 0.5f, 1); },
    [](auto* c) { llama_sample_top_n_sigma(nullptr, c, 1.0f); },
    [](auto* c) { llama_sample_xtc(nullptr, c, 0.5f, 0.1f, 1); },
    [](auto* c) { llama_sample_temp(nullptr, c, 0.5f); },
    [](auto* c) { llama_sample_entropy(nullptr, c, 0.5f, 1.0f, 1.0f); },
    [](auto* c) { EXPECT_EQ(llama_sample_token_greedy(nullptr, c), LLAMA_TOKEN_NULL); },
    [](auto* c) { EXPECT_EQ(llama_sample_token(nullptr, c), LLAMA_TOKEN_NULL); },
    [](auto* c) {
        EXPECT_EQ(llama_sample_token_mirostat(nullptr, c, 5, 0.1f, 1, nullptr), LLAMA_TOKEN_NULL);
    },
    [](auto* c) {
        EXPECT_EQ(llama_sample_token_mirostat_v2(nullptr, c, 5, 0.1f, nullptr), LLAMA_TOKEN_NULL);
    },
};

TEST(Sampling, NullAndEmptyCandidatesAreRefusedInTheLog) {
    for (const Call call : kCalls) {
        const LogRecorder log;
        call(nullptr);
        llama_token_data_array empty{};
        call(&empty);
        llama_token_data_array no_data{nullptr, 5, 0, false};
        call(&no_data);
        EXPECT_EQ(log.lines().size(), 3u) << (&call - kCalls);
        EXPECT_EQ(no_data.size, 5u);
    }
}

TEST(Sampling, WrongContextsAndArraysAreRefused) {
    const LogRecorder log;
    Candidates c({1.0f, 2.0f});
    float logits[] = {1.0f};
    llama_context context;
    EXPECT_EQ(llama_sample_token(nullptr, &c.array), LLAMA_TOKEN_NULL);
    EXPECT_EQ(llama_sample_token_mirostat_v2(&context, &c.array, 5, 0.1f, nullptr), LLAMA_TOKEN_NULL);
    llama_sample_repetition_penalties(nullptr, &c.array, nullptr, 3, 1.5f, 0, 0);
    llama_sample_xtc(nullptr, &c.array, 0.5f, 0.1f, 1);
    llama_sample_apply_guidance(nullptr, logits, logits, 1.0f);
    llama_sample_apply_guidance(&context, nullptr, logits, 1.0f);
    llama_sample_temp(nullptr, &c.array, std::nanf(""));
    llama_set_rng_seed(nullptr, 1);
    llama_sampler_reset(nullptr);
    llama_sampler no_interface{};
    llama_sampler_reset(&no_interface);
    EXPECT_EQ(log.lines().size(), 10u);
    EXPECT_EQ(c.array.size, 2u);
}

TEST(Sampling, ResetCallsTheProgramsOwnSampler) {
    int n_calls = 0;
    llama_sampler_i interface {};
    llama_sampler sampler{&interface, &n_calls};
    llama_sampler_reset(&sampler);
    EXPECT_EQ(n_calls, 0);
    interface.reset = [](llama_sampler* self) { ++*static_cast<int*>(self->ctx); };
    llama_sampler_reset(&sampler);
    EXPECT_EQ(n_calls, 1);
}

}  // namespace
}  // namespace cria::capi
