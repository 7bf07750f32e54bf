// A grammar inside a chain: the text always keeps to it, and is the free text where that keeps to it anyway.
#include "sampling/grammar_constraint.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "sampling/chain.h"

namespace cria::sampling {
namespace {

// Tokens are the letters a to z; token 26 ends generation.
constexpr Token kEnd = 26;

std::shared_ptr<const grammar::TokenTrie> letters() {
    static const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
    std::vector<grammar::TokenText> tokens;
    for (size_t i = 0; i < alphabet.size(); ++i) tokens.push_back({std::string_view(alphabet).substr(i, 1)});
    tokens.push_back({"", grammar::TokenRole::end});
    return grammar::TokenTrie::build(tokens);
}

std::unique_ptr<GrammarConstraint> constraint(const char* gbnf) {
    return std::make_unique<GrammarConstraint>(grammar::Constraint(grammar::compile_gbnf(gbnf), letters()));
}

std::string write(SamplerChain& chain, const std::vector<float>& logits, int max_tokens) {
    std::string text;
    for (int i = 0; i < max_tokens; ++i) {
        const Token token = chain.sample(logits);
        chain.accept(token);
        if (token == kEnd) break;
        text += static_cast<char>('a' + token);
    }
    return text;
}

TEST(GrammarConstraint, TextAlwaysKeepsToTheGrammar) {
    std::mt19937 rng(1);
    std::normal_distribution<float> normal(0.0f, 2.0f);
    for (uint32_t seed = 0; seed < 50; ++seed) {
        std::vector<float> logits(27);
        for (float& logit : logits) logit = normal(rng);
        SamplingOptions options = parse_sampling("top_k=5;temp=1");
        options.seed = seed;
        SamplerChain chain(options);
        chain.set_constraint(constraint("root ::= \"ab\" [x-z]{2} \"c\"?"));
        const std::string text = write(chain, logits, 10);
        ASSERT_GE(text.size(), 4u);
        EXPECT_TRUE(text.starts_with("ab"));
        EXPECT_EQ(text.find_first_not_of("xyz", 2), text.size() == 4 ? std::string::npos : 4u);
        chain.reset();
        EXPECT_EQ(write(chain, logits, 10), text);
    }
}

TEST(GrammarConstraint, AnyTextIsTheSameAsWithoutConstraint) {
    std::vector<float> logits(27, 1.0f);
    logits[kEnd] = -10.0f;
    SamplerChain free(parse_sampling("seed=4;temp=1")), constrained(free);
    constrained.set_constraint(constraint("root ::= [a-z]*"));
    EXPECT_EQ(write(free, logits, 100), write(constrained, logits, 100));
}

TEST(GrammarConstraint, RefusedTokensAreErrorsAndChangeNothing) {
    auto grammar = constraint("root ::= \"ab\"");
    EXPECT_TRUE(grammar->allows(0));
    EXPECT_FALSE(grammar->allows(1));
    EXPECT_FALSE(grammar->allows(-1));
    EXPECT_THROW(grammar->accept(1), Error);
    EXPECT_THROW(grammar->accept(-1), Error);
    grammar->accept(0);
    grammar->accept(1);
    EXPECT_TRUE(grammar->may_end());
    EXPECT_TRUE(grammar->allows(kEnd));
}

}  // namespace
}  // namespace cria::sampling
