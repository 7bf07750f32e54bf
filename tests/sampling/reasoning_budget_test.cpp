// Reasoning budget: when it forces what, alone and inside a chain.
#include "sampling/reasoning_budget.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sampling/chain.h"

namespace cria::sampling {
namespace {

using State = ReasoningBudget::State;

// Tokens: 0-5 text, 6 7 open a block, 8 9 close it, 10 is the message.
ReasoningBudgetOptions options_with(int32_t n_tokens) {
    return {.start = {6, 7}, .end = {8, 9}, .message = {10}, .n_tokens = n_tokens};
}

// Feeds the model's wishes through the budget; returns what is written.
std::vector<Token> write(ReasoningBudget& budget, const std::vector<Token>& wishes) {
    std::vector<Token> written;
    for (const Token wish : wishes) {
        std::vector<float> logits(12, 0.0f);
        logits[static_cast<size_t>(wish)] = 5.0f;
        CandidateBuffer buffer;
        budget.apply(buffer.fill(logits));
        CandidateArray& array = buffer.array();
        sort_candidates(array);
        written.push_back(array.data[0].id);
        budget.accept(written.back());
    }
    return written;
}

TEST(ReasoningBudget, ForcesMessageAndEndWhenItIsUsedUp) {
    ReasoningBudget budget(options_with(2));
    EXPECT_EQ(write(budget, {6, 7, 1, 2, 3, 3, 3, 4}), (std::vector<Token>{6, 7, 1, 2, 10, 8, 9, 4}));
    EXPECT_EQ(budget.state(), State::done);
}

TEST(ReasoningBudget, LeavesShorterBlocksAloneAndCountsEachAnew) {
    ReasoningBudget budget(options_with(3));
    EXPECT_EQ(write(budget, {6, 7, 1, 8, 9, 5, 5, 5, 5}), (std::vector<Token>{6, 7, 1, 8, 9, 5, 5, 5, 5}));
    EXPECT_EQ(write(budget, {6, 7, 1, 1, 1, 1, 1, 1, 2}), (std::vector<Token>{6, 7, 1, 1, 1, 10, 8, 9, 2}));
}

TEST(ReasoningBudget, ZeroClosesTheBlockAtOnceAndMinusOneNever) {
    ReasoningBudget none(options_with(0));
    EXPECT_EQ(write(none, {6, 7, 1, 1, 1, 2}), (std::vector<Token>{6, 7, 10, 8, 9, 2}));
    ReasoningBudget unlimited(options_with(-1));
    write(unlimited, {6, 7});
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(write(unlimited, {1}), std::vector<Token>{1});
    EXPECT_TRUE(unlimited.is_inside());
}

TEST(ReasoningBudget, FinishesAnEndThatTheModelHasBegun) {
    auto options = options_with(2);
    options.message.clear();
    ReasoningBudget budget(options);
    EXPECT_EQ(write(budget, {6, 7, 1, 8, 3, 4}), (std::vector<Token>{6, 7, 1, 8, 9, 4}));
}

TEST(ReasoningBudget, WaitsForTheEndOfACharacterButNotForEver) {
    auto options = options_with(1);
    options.piece = [](Token token) {
        return token == 1 ? std::string("\xE2\x82") : token == 2 ? std::string("\xAC") : std::string("x");
    };
    ReasoningBudget budget(options);
    EXPECT_EQ(write(budget, {6, 7, 1, 2, 5, 5, 5}), (std::vector<Token>{6, 7, 1, 2, 10, 8, 9}));
    options.piece = [](Token) { return std::string("\xE2"); };
    ReasoningBudget broken(options);
    EXPECT_EQ(write(broken, {6, 7, 1, 1, 1, 1, 1, 1}), (std::vector<Token>{6, 7, 1, 1, 1, 1, 1, 10}));
}

TEST(ReasoningBudget, WorksInAChainBeforeTruncation) {
    std::vector<float> logits(12, 0.0f);
    logits[1] = 30.0f;
    SamplerChain chain(parse_sampling("top_k=1;temp=1"));
    chain.add(std::make_unique<ReasoningBudget>(options_with(1)));
    for (const Token token : {6, 7}) chain.accept(token);
    std::vector<Token> written;
    for (int i = 0; i < 5; ++i) {
        written.push_back(chain.sample(logits));
        chain.accept(written.back());
    }
    EXPECT_EQ(written, (std::vector<Token>{1, 10, 8, 9, 1}));
    EXPECT_NE(chain.describe().find("reasoning budget 1"), std::string::npos);
}

TEST(ReasoningBudget, RefusesMissingTagsAndNegativeBudgets) {
    EXPECT_THROW(ReasoningBudget({.start = {}, .end = {1}}), Error);
    EXPECT_THROW(ReasoningBudget({.start = {1}, .end = {}}), Error);
    EXPECT_THROW(ReasoningBudget(options_with(-2)), Error);
}

}  // namespace
}  // namespace cria::sampling
