// Chains: the order of operations, equality with the samplers called one by one, copies, constraints.
#include "sampling/chain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "conformance.h"
#include "sampling/draw.h"
#include "sampling/temperature.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

std::vector<float> random_logits(size_t n, uint32_t seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<float> normal(0.0f, 3.0f);
    std::vector<float> logits(n);
    for (float& logit : logits) logit = normal(rng);
    return logits;
}

std::vector<Token> generate(SamplerChain& chain, const std::vector<float>& logits, int n) {
    std::vector<Token> tokens;
    for (int i = 0; i < n; ++i) {
        tokens.push_back(chain.sample(logits));
        chain.accept(tokens.back());
    }
    return tokens;
}

// Forbids all tokens but those of one parity.
class OnlyParity : public Constraint {
  public:
    explicit OnlyParity(int parity) : parity_(parity) {}
    void apply(CandidateArray& candidates) override {
        ++n_masks;
        for (TokenData& item : candidates.span())
            if (item.id % 2 != parity_) item.logit = kForbidden;
    }
    bool allows(Token token) const override { return token % 2 == parity_; }
    void accept(Token) override {}
    void reset() override {}
    std::unique_ptr<LogitsProcessor> clone() const override { return std::make_unique<OnlyParity>(*this); }
    std::string describe() const override { return "parity"; }
    int n_masks = 0;

  private:
    int parity_;
};

TEST(SamplerChain, DrawsTheRecordedSequences) {
    using namespace conformance;
    if (!is_present()) GTEST_SKIP() << "no conformance data at " << folder();
    const std::map<std::string, std::string> chains = {
        {"plain", "temp=1"},
        {"usual", "top_k=40;top_p=0.95;min_p=0.05;temp=0.8"},
        {"old", "tfs_z=0.95;typical_p=0.9;top_p=0.9;temp=1.3"},
        {"xtc half", "xtc=0.5,0.05"},
        {"dynamic temperature", "top_k=100;temp=1.1,0.9,1"},
    };
    int n_compared = 0;
    for (const Json& row : cases("sequence")) {
        const auto chain_name = row["params"]["chain"].get<std::string>();
        // With forbidden tokens the chain drops these first, so that a typical or exclude-top-choices step
        // sees other candidates.
        const bool has_forbidden =
            row["logits"] == "n64.inf" && (chain_name == "old" || chain_name == "dynamic temperature");
        if (!chains.contains(chain_name) || has_forbidden) continue;
        SCOPED_TRACE(describe(row));
        SamplingOptions options = parse_sampling(chains.at(chain_name) + ";min_keep=1");
        options.seed = row["params"]["seed"].get<uint32_t>();
        SamplerChain chain(options);
        const auto expected = row["result"].get<std::vector<Token>>();
        EXPECT_EQ(generate(chain, logit_sets().at(row["logits"].get<std::string>()),
                           static_cast<int>(expected.size())),
                  expected);
        ++n_compared;
    }
    EXPECT_GT(n_compared, 90);
}

TEST(SamplerChain, GivesTheSameAsTheSamplersOneByOne) {
    for (const uint32_t seed : {1u, 2u, 3u}) {
        const auto logits = random_logits(5000, seed);
        SamplerChain chain(parse_sampling("top_k=50;top_p=0.9;temp=0.7;seed=" + std::to_string(seed)));
        std::mt19937 rng(seed);
        CandidateBuffer buffer;
        for (int i = 0; i < 50; ++i) {
            CandidateArray& array = buffer.fill(logits);
            top_k(array, 50, 0);
            top_p(array, 0.9f, 0);
            temperature(array, 0.7f);
            EXPECT_EQ(chain.sample(logits), draw(array, rng));
        }
    }
}

TEST(SamplerChain, TemperatureZeroTakesTheBestTokenWhateverElseIsSet) {
    const auto logits = random_logits(1000, 7);
    SamplerChain chain(parse_sampling("xtc=1,0;top_k=5;temp=0"));
    EXPECT_EQ(chain.sample(logits), greedy(logits));
    EXPECT_EQ(chain.candidates().size, 1u);
    EXPECT_EQ(chain.candidates().data[0].id, greedy(logits));
}

TEST(SamplerChain, CopiesGoOnAlikeAndResetStartsAgain) {
    const auto logits = random_logits(300, 3);
    for (const char* text :
         {"seed=5", "seed=5;mirostat=2", "seed=5;mirostat=1", "seed=5;top_k=40;adaptive_p=0.3",
          "seed=5;penalty_repeat=1.3;penalty_freq=0.2;dry=0.8;temp"}) {
        SCOPED_TRACE(text);
        SamplerChain chain(parse_sampling(text));
        const auto beginning = generate(chain, logits, 20);
        SamplerChain copy(chain);
        EXPECT_EQ(generate(chain, logits, 20), generate(copy, logits, 20));
        chain.reset();
        EXPECT_EQ(generate(chain, logits, 20), beginning);
        copy = chain;
        EXPECT_EQ(generate(chain, logits, 5), generate(copy, logits, 5));
    }
}

TEST(SamplerChain, PenaltiesSpareNewlinesUnlessAskedTo) {
    const std::vector<float> logits = {1.0f, 3.0f, 2.9f};
    SamplingOptions options = parse_sampling("greedy;penalty_present=1");
    SamplerChain sparing(options, {.newline = 1});
    EXPECT_EQ(generate(sparing, logits, 3), (std::vector<Token>{1, 1, 1}));
    options.penalize_nl = true;
    SamplerChain strict(options, {.newline = 1});
    EXPECT_EQ(generate(strict, logits, 3), (std::vector<Token>{1, 2, 1}));
}

TEST(SamplerChain, PenaltiesForgetTokensBeyondTheirWindow) {
    const std::vector<float> logits = {3.0f, 2.5f, 2.2f};
    SamplerChain chain(parse_sampling("greedy;penalty_present=10;penalty_last_n=1"));
    EXPECT_EQ(generate(chain, logits, 4), (std::vector<Token>{0, 1, 0, 1}));
}

TEST(SamplerChain, PenaltiesMayLookAtOtherTokensThanThoseSaid) {
    const std::vector<float> logits = {3.0f, 2.5f, 2.2f};
    SamplingOptions options = parse_sampling("greedy;penalty_present=10;penalty_last_n=2");
    options.penalty_tokens = std::vector<Token>{2, 0, 1};
    SamplerChain chain(options);
    EXPECT_EQ(generate(chain, logits, 3), (std::vector<Token>{2, 2, 2}));
}

TEST(SamplerChain, BiasesForbidForceAndAddUp) {
    const std::vector<float> logits = {3.0f, 2.0f, 1.0f};
    SamplingOptions options = parse_sampling("greedy");
    options.logit_bias = {{0, kForbidden}, {2, 0.8f}, {2, 0.8f}, {99, 5.0f}, {-1, 5.0f}};
    SamplerChain chain(options);
    EXPECT_EQ(chain.sample(logits), 2);
    const std::vector<TokenBias> extra = {{2, kForbidden}};
    EXPECT_EQ(chain.sample(logits, extra), 1);
    EXPECT_EQ(chain.sample(logits), 2);
}

TEST(SamplerChain, DryStopsARepetition) {
    std::vector<float> logits(20, 0.0f);
    SamplerChain chain(parse_sampling("dry=5;temp=0"));
    for (const Token token : {1, 2, 3, 4, 9, 1, 2, 3}) chain.accept(token);
    logits[4] = 2.0f;
    logits[5] = 1.0f;
    EXPECT_EQ(chain.sample(logits), 5);
    chain.accept(5);
    EXPECT_EQ(chain.sample(logits), 4);
}

TEST(SamplerChain, ConstrainedTextIsTheSameWhereTheConstraintAllowsIt) {
    const auto logits = random_logits(2000, 11);
    SamplerChain chain(parse_sampling("seed=9"));
    for (int i = 0; i < 200; ++i) {
        SamplerChain constrained(chain);
        auto parity = std::make_unique<OnlyParity>(0);
        const OnlyParity* watched = parity.get();
        constrained.set_constraint(std::move(parity));
        const Token free = chain.sample(logits);
        const Token token = constrained.sample(logits);
        EXPECT_EQ(token % 2, 0);
        if (free % 2 == 0) {
            EXPECT_EQ(token, free);
        }
        EXPECT_EQ(watched->n_masks, free % 2);
    }
}

TEST(SamplerChain, RefusesWhenTheConstraintLeavesNothing) {
    std::vector<float> logits(10, kForbidden);
    logits[3] = 1.0f;
    SamplerChain chain(SamplingOptions{});
    chain.set_constraint(std::make_unique<OnlyParity>(0));
    try {
        chain.sample(logits);
        FAIL() << "a forbidden token was chosen";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_NE(std::string(error.what()).find("forbidden"), std::string::npos);
    }
}

TEST(SamplerChain, RefusesLogitsWithoutAnyUsableNumber) {
    const float nan = std::nanf("");
    for (const char* text : {"", "greedy", "mirostat=2", "top_k=0;temp=2", "adaptive_p=0.5"}) {
        SCOPED_TRACE(text);
        SamplerChain chain(parse_sampling(text));
        EXPECT_THROW(chain.sample(std::vector<float>{}), Error);
        EXPECT_THROW(chain.sample(std::vector<float>{nan, kForbidden, nan}), Error);
        EXPECT_EQ(chain.sample(std::vector<float>{nan, -5.0f, kForbidden}), 1);
        // Adaptive-p wants a probability of 0.5, which neither 1 nor 0 is nearer to.
        if (chain.options().adaptive_target < 0) {
            EXPECT_EQ(chain.sample(std::vector<float>{3.0f, -kForbidden, 1.0f}), 1);
        }
    }
}

TEST(SamplerChain, MostProbableAgreesWithSoftmax) {
    const auto logits = random_logits(3000, 5);
    CandidateBuffer buffer;
    CandidateArray& all = buffer.fill(logits);
    softmax(all);
    const auto best = most_probable(logits, 20);
    ASSERT_EQ(best.size(), 20u);
    for (size_t i = 0; i < best.size(); ++i) {
        EXPECT_EQ(best[i].id, all.data[i].id);
        EXPECT_NEAR(best[i].p, all.data[i].p, 1e-6);
    }
}

TEST(SamplerChain, DescribesItselfInOneLine) {
    SamplingOptions options = parse_sampling("top_k=40;top_p=0.95;temp=0.8;penalty_repeat=1.1;seed=42");
    EXPECT_EQ(SamplerChain(options).describe(),
              "penalties repeat=1.1 last_n=64 -> top_k=40 -> top_p=0.95 -> temp=0.8 -> draw (seed 42)");
    SamplerChain greedy_chain(parse_sampling("greedy"));
    greedy_chain.set_constraint(std::make_unique<OnlyParity>(1));
    EXPECT_EQ(greedy_chain.describe(), "parity -> most probable token");
}

}  // namespace
}  // namespace cria::sampling
