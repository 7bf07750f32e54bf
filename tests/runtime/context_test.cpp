// Contexts: the same tokens give the same results however they are divided, interleaved, copied or shifted;
// bad batches change nothing.
#include "runtime/context.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "model/testing.h"

namespace cria {
namespace {

using cria::testing::TinyModel;

std::vector<int32_t> some_tokens(int32_t n, int32_t seed = 0) {
    std::vector<int32_t> tokens;
    for (int32_t i = 0; i < n; ++i) tokens.push_back((i * 17 + seed * 5 + 3) % 40);
    return tokens;
}

std::vector<float> last_logits(Context& context) {
    const auto logits = context.logits(-1);
    return {logits.begin(), logits.end()};
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, float tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << "logit " << i;
}

// F32 rounding of sums in another order, on logits of about 1.
constexpr float kTolerance = 2e-5f;

ContextOptions small_options() {
    return {.n_ctx = 64, .k_type = ElementType::f32, .v_type = ElementType::f32};
}

TEST(Context, GivesEqualLogitsHoweverAPromptIsDivided) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(30);
    Context whole(model, small_options());
    whole.decode(Batch::of_sequence(tokens, 0, 0));
    for (const int32_t n_ubatch : {1, 3, 8, 29}) {
        ContextOptions options = small_options();
        options.n_ubatch = n_ubatch;
        Context context(model, options);
        context.decode(Batch::of_sequence(tokens, 0, 0));
        expect_near(last_logits(context), last_logits(whole), kTolerance);
    }
    Context steps(model, small_options());
    for (int32_t i = 0; i < 30; ++i)
        steps.decode(Batch::of_sequence(std::span(tokens).subspan(static_cast<size_t>(i), 1), i, 0));
    expect_near(last_logits(steps), last_logits(whole), kTolerance);
}

TEST(Context, GivesBitEqualLogitsForAnyNumberOfThreads) {
    const auto model = TinyModel().load();
    std::vector<float> expected;
    for (const int32_t n_threads : {1, 2, 3, 5}) {
        ContextOptions options = small_options();
        options.n_threads = n_threads;
        Context context(model, options);
        context.decode(Batch::of_sequence(some_tokens(33), 0, 0));
        if (expected.empty()) expected = last_logits(context);
        EXPECT_EQ(last_logits(context), expected) << n_threads << " threads";
    }
}

TEST(Context, KeepsInterleavedSequencesApart) {
    const auto model = TinyModel().load();
    const auto a = some_tokens(12, 1);
    const auto b = some_tokens(9, 2);
    Context alone(model, small_options());
    alone.decode(Batch::of_sequence(a, 0, 0));
    const auto expected_a = last_logits(alone);
    alone.clear_memory();
    alone.decode(Batch::of_sequence(b, 0, 0));
    const auto expected_b = last_logits(alone);

    Context both(model, small_options());
    std::vector<int32_t> tokens;
    Batch batch;
    for (size_t i = 0; i < 12; ++i) {
        for (const int32_t s : {0, 1}) {
            const auto& from = s == 0 ? a : b;
            if (i >= from.size()) continue;
            tokens.push_back(from[i]);
            batch.positions.push_back(static_cast<int32_t>(i));
            batch.sequences.push_back({s});
            batch.wants_output.push_back(i + 1 == from.size());
        }
    }
    batch.n = static_cast<int32_t>(tokens.size());
    batch.tokens = tokens;
    both.decode(batch);
    ASSERT_EQ(both.n_outputs(), 2);
    const auto first = both.logits(-2);  // b ends first
    expect_near({first.begin(), first.end()}, expected_b, kTolerance);
    expect_near(last_logits(both), expected_a, kTolerance);
}

TEST(Context, ContinuesACopiedSequenceLikeTheOriginal) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(20);
    Context context(model, small_options());
    context.decode(Batch::of_sequence(std::span(tokens).first(15), 0, 0));
    context.cells().copy(0, 3, -1, -1);
    context.decode(Batch::of_sequence(std::span(tokens).subspan(15), 15, 0));
    const auto expected = last_logits(context);
    context.cells().remove(0, -1, -1);
    context.decode(Batch::of_sequence(std::span(tokens).subspan(15), 15, 3));
    expect_near(last_logits(context), expected, kTolerance);
}

TEST(Context, ShiftsPositionsAsIfTheyHadAlwaysBeenThere) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(20);
    Context fresh(model, small_options());
    fresh.decode(Batch::of_sequence(std::span(tokens).first(10), 7, 0));
    fresh.decode(Batch::of_sequence(std::span(tokens).subspan(10, 1), 17, 0));
    Context shifted(model, small_options());
    shifted.decode(Batch::of_sequence(std::span(tokens).first(10), 0, 0));
    shifted.cells().shift(0, 0, -1, 3);
    shifted.cells().shift(0, 0, -1, 4);
    shifted.decode(Batch::of_sequence(std::span(tokens).subspan(10, 1), 17, 0));
    expect_near(last_logits(shifted), last_logits(fresh), 1e-4f);  // keys are turned twice
}

TEST(Context, ForgetsRemovedTokens) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(20);
    Context fresh(model, small_options());
    fresh.decode(Batch::of_sequence(std::span(tokens).first(10), 0, 0));
    const auto expected = last_logits(fresh);
    Context context(model, small_options());
    context.decode(Batch::of_sequence(tokens, 0, 0));
    context.cells().remove(0, 9, -1);
    context.update(/*compact=*/true);
    context.decode(Batch::of_sequence(std::span(tokens).subspan(9, 1), 9, 0));
    expect_near(last_logits(context), expected, kTolerance);
}

TEST(Context, KeepsItsMemoryWhenABatchDoesNotFit) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(65);
    Context context(model, small_options());
    context.decode(Batch::of_sequence(std::span(tokens).first(60), 0, 0));
    try {
        context.decode(Batch::of_sequence(std::span(tokens).first(5), 60, 0));
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::no_space);
        EXPECT_NE(std::string(e.what()).find("needs 5 cells, but 4 of 64 are free"), std::string::npos)
            << e.what();
    }
    EXPECT_EQ(context.cells().n_used(), 60);
    context.decode(Batch::of_sequence(std::span(tokens).subspan(60, 4), 60, 0));
    EXPECT_EQ(context.cells().n_used(), 64);
}

TEST(Context, RefusesImpossibleBatchesByName) {
    Context context(TinyModel().load(), small_options());
    const auto refused = [&](const Batch& batch, const char* words) {
        try {
            context.decode(batch);
            ADD_FAILURE() << "no error: " << words;
        } catch (const Error& e) {
            EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
            EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
        }
        EXPECT_EQ(context.cells().n_used(), 0);
    };
    const std::vector<int32_t> tokens{1, 2, 40};
    refused(Batch::of_sequence({}, 0, 0), "no tokens");
    refused(Batch::of_sequence(tokens, 0, 0), "token 2 of the batch is 40, but the model has tokens 0 to 39");
    refused(Batch::of_sequence(std::span(tokens).first(1), -3, 0), "position -3");
    refused(Batch::of_sequence(std::span(tokens).first(1), 0, -1), "sequence -1");
    Batch batch = Batch::of_sequence(std::span(tokens).first(2), 0, 0);
    batch.positions.pop_back();
    refused(batch, "differ in length");
    const std::vector<float> row(31);
    batch = Batch::of_sequence(std::span(tokens).first(1), 0, 0);
    batch.tokens = {};
    batch.embeddings = row;
    refused(batch, "31 embedding values");
}

TEST(Context, TakesEmbeddingsForTokens) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(5);
    Context by_token(model, small_options());
    by_token.decode(Batch::of_sequence(tokens, 0, 0));
    std::vector<float> rows(5 * 32);
    for (size_t i = 0; i < 5; ++i) {
        const Weight& table = *model->spec().token_embedding;
        table.type->decode(table.data + tokens[i] * table.row_bytes(), rows.data() + i * 32, 1, 32);
    }
    Batch batch = Batch::of_sequence(tokens, 0, 0);
    batch.tokens = {};
    batch.embeddings = rows;
    Context by_embedding(model, small_options());
    by_embedding.decode(batch);
    EXPECT_EQ(last_logits(by_embedding), last_logits(by_token));
}

TEST(Context, StopsWhenAskedAndGoesOn) {
    const auto model = TinyModel().load();
    Context context(model, small_options());
    context.set_stop([] { return true; });
    EXPECT_THROW(context.decode(Batch::of_sequence(some_tokens(4), 0, 0)), Error);
    context.set_stop({});
    context.clear_memory();
    context.decode(Batch::of_sequence(some_tokens(4), 0, 0));
    EXPECT_EQ(context.n_outputs(), 1);
}

TEST(Context, ShowsEveryValueToTheObserver) {
    ContextOptions options = small_options();
    std::vector<std::string> names;
    options.observer = [&](const Node&, const ValueInfo& info, const float* data, int64_t n_rows) {
        for (int64_t i = 0; i < n_rows * info.width; ++i) EXPECT_TRUE(std::isfinite(data[i])) << info.name;
        names.push_back(info.name);
        return true;
    };
    Context context(TinyModel().load(), options);
    context.decode(Batch::of_sequence(some_tokens(4), 0, 0));
    for (const char* name :
         {"inp_embd", "attn_norm-0", "kqv_out-1", "l_out-0", "result_norm", "result_output"}) {
        EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    }
}

TEST(Context, PoolsEmbeddingsBySequence) {
    const auto model = TinyModel().load();
    const auto tokens = some_tokens(6);
    ContextOptions options = small_options();
    options.embeddings = true;
    Context context(model, options);
    Batch batch = Batch::of_sequence(tokens, 0, 0);
    batch.wants_output.assign(6, true);
    context.decode(batch);
    std::vector<double> mean(32);
    std::vector<float> last(context.embeddings(5).begin(), context.embeddings(5).end());
    for (int32_t i = 0; i < 6; ++i) {
        for (size_t d = 0; d < 32; ++d) mean[d] += context.embeddings(i)[d] / 6.0;
    }
    EXPECT_THROW(context.logits(0), Error);
    for (const Pooling pooling : {Pooling::mean, Pooling::last}) {
        options.pooling = pooling;
        Context pooled(model, options);
        pooled.decode(batch);
        const auto vector = pooled.pooled_embedding(0);
        ASSERT_EQ(vector.size(), 32u);
        for (size_t d = 0; d < 32; ++d)
            EXPECT_NEAR(vector[d], pooling == Pooling::mean ? mean[d] : last[d], 1e-5);
        EXPECT_TRUE(pooled.pooled_embedding(1).empty());
    }
}

TEST(Context, HoldsEveryCacheType) {
    const auto model = TinyModel().load();
    Context exact(model, small_options());
    exact.decode(Batch::of_sequence(some_tokens(20), 0, 0));
    for (const ElementType type : {ElementType::f16, ElementType::bf16}) {
        ContextOptions options = small_options();
        options.k_type = options.v_type = type;
        Context context(model, options);
        context.decode(Batch::of_sequence(some_tokens(20), 0, 0));
        expect_near(last_logits(context), last_logits(exact), 2e-2f);
    }
    ContextOptions options = small_options();
    options.k_type = ElementType::q8_0;  // rows of 16 hold no block of 32
    try {
        Context context(model, options);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("do not divide the rows of 16"), std::string::npos) << e.what();
    }
}

TEST(Context, RefusesOptionsOutOfRange) {
    const auto model = TinyModel().load();
    for (const auto change :
         {+[](ContextOptions& o) { o.n_ctx = -1; }, +[](ContextOptions& o) { o.n_batch = 0; },
          +[](ContextOptions& o) { o.n_ubatch = -5; }, +[](ContextOptions& o) { o.n_seq_max = 0; },
          +[](ContextOptions& o) { o.n_threads = 1 << 20; },
          +[](ContextOptions& o) { o.k_type = ElementType::q4_k; }}) {
        ContextOptions options = small_options();
        change(options);
        EXPECT_THROW(Context(model, options), Error);
    }
}

TEST(Context, RefusesACacheBeyondTheMachineWithTheLargestThatFits) {
    TinyModel tiny;
    tiny.set_number("llama.attention.key_length", 4096);
    tiny.set_number("llama.attention.value_length", 4096);
    for (const int i : {0, 1}) {
        const std::string p = "blk." + std::to_string(i) + ".";
        tiny.tensor(p + "attn_q.weight").dims = {32, 4 * 4096};
        tiny.tensor(p + "attn_k.weight").dims = {32, 2 * 4096};
        tiny.tensor(p + "attn_v.weight").dims = {32, 2 * 4096};
        tiny.tensor(p + "attn_output.weight").dims = {4 * 4096, 32};
    }
    ContextOptions options = small_options();
    options.n_ctx = 1 << 28;
    try {
        const Context context(tiny.load(), options);
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::out_of_memory);
        EXPECT_NE(std::string(e.what()).find("tokens fit"), std::string::npos) << e.what();
    }
}

TEST(Context, ForecastsItsMemory) {
    const auto model = TinyModel().load();
    const ContextOptions options = small_options();
    const Context context(model, options);
    const auto forecast = forecast_memory(*model, options);
    EXPECT_EQ(forecast.cache_bytes, context.memory_use().cache_bytes);
    EXPECT_EQ(forecast.cache_bytes, 2u * 64 * (16 + 16) * 4);
    EXPECT_EQ(forecast.working_bytes, context.memory_use().working_bytes);
}

}  // namespace
}  // namespace cria
