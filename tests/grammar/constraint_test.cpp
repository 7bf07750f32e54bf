// Waking, refusing and copying of constraints; regular expressions as constraints.
#include "grammar/constraint.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cria::grammar {
namespace {

const std::vector<std::string> kPieces = {"a",  "b",    "<", "call", ">",   "call>x",
                                          "\n", "</s>", "é", "\xc3", "\xa9"};
enum : uint32_t { kA, kB, kOpen, kCall, kClose, kCallX, kLine, kEnd, kEAcute, kFirstByte, kSecondByte };

std::shared_ptr<const TokenTrie> vocabulary() {
    std::vector<TokenText> tokens;
    for (const std::string& piece : kPieces)
        tokens.push_back({piece, piece == "</s>" ? TokenRole::end : TokenRole::text});
    return TokenTrie::build(tokens);
}

std::string refusal(Constraint constraint, uint32_t id) {
    try {
        constraint.accept(id);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "accepted";
}

TEST(Constraint, EndsOnlyWhereTheGrammarMay) {
    Constraint constraint(compile_gbnf("root ::= \"ab\""), vocabulary());
    EXPECT_NE(refusal(constraint, kEnd).find("not complete"), std::string::npos);
    EXPECT_FALSE(constraint.allows(kEnd));
    constraint.accept(kA);
    EXPECT_NE(refusal(constraint, kA).find("refuses token 0 ('a') after 1 tokens"), std::string::npos);
    constraint.accept(kB);
    EXPECT_TRUE(constraint.may_end());
    EXPECT_TRUE(constraint.mask()->allows(kEnd));
    EXPECT_EQ(constraint.mask()->n_allowed, 1u);
    constraint.accept(kEnd);
    EXPECT_NE(refusal(constraint, 99).find("beyond the vocabulary"), std::string::npos);
}

TEST(Constraint, WakesInTheMiddleOfATokenAndFeedsItsRest) {
    const Triggers triggers{.patterns = {regex_for_word("<call>") + "()", "<call>"}};
    Constraint waiting(compile_gbnf("root ::= \"<call>x\" [ab]*"), vocabulary(), triggers);
    for (const uint32_t id : {kA, kOpen, kB, kOpen}) {
        waiting.accept(id);
        EXPECT_TRUE(waiting.is_waiting());
        EXPECT_EQ(waiting.mask()->n_allowed, kPieces.size());
    }
    Constraint copy = waiting;
    waiting.accept(kCallX);
    EXPECT_FALSE(waiting.is_waiting());
    EXPECT_TRUE(waiting.allows(kA));
    EXPECT_FALSE(waiting.allows(kLine));
    EXPECT_TRUE(copy.is_waiting());
    copy.accept(kLine);
    copy.accept(kCallX);
    EXPECT_TRUE(copy.is_waiting()) << "the line break came between";
}

TEST(Constraint, StaysAsItWasWhenWakingFails) {
    Constraint constraint(compile_gbnf("root ::= \"x\""), vocabulary(), {.patterns = {"a(b)"}});
    constraint.accept(kA);
    EXPECT_NE(refusal(constraint, kB).find("trigger at byte 1"), std::string::npos);
    EXPECT_THROW(constraint.accept(kB), Error);
    EXPECT_TRUE(constraint.is_waiting());
    constraint.accept(kLine);
    EXPECT_TRUE(constraint.is_waiting());
}

TEST(Constraint, RegularExpressionsHoldFromEndToEnd) {
    Constraint constraint(compile_regex("(a|é)+b?"), vocabulary());
    EXPECT_FALSE(constraint.may_end());
    EXPECT_TRUE(constraint.allows(kFirstByte));
    EXPECT_FALSE(constraint.allows(kSecondByte));
    constraint.accept(kFirstByte);
    EXPECT_FALSE(constraint.allows(kA));
    constraint.accept(kSecondByte);
    constraint.accept(kB);
    EXPECT_EQ(constraint.mask()->n_allowed, 1u);
    EXPECT_TRUE(constraint.may_end());
    EXPECT_THROW(compile_regex("a(?=b)"), Error);
    EXPECT_THROW(compile_regex("a$b"), Error) << "matches nothing";
}

TEST(Constraint, WordsBecomePatternsThatFindExactlyThem) {
    const std::string word = "<|a.b*c|>[x](y){1}\\$^+?/-";
    const Regex regex = Regex::compile(regex_for_word(word));
    EXPECT_EQ(regex.search("__" + word)->groups[0]->begin, 2u);
    EXPECT_FALSE(regex.search("<|aXb*c|>[x](y){1}\\$^+?/-"));
}

TEST(Constraint, TriggersAreChecked) {
    EXPECT_THROW(Constraint(compile_gbnf("root ::= \"x\""), vocabulary(), {.tokens = {99}}), Error);
    EXPECT_THROW(Constraint(compile_gbnf("root ::= \"x\""), vocabulary(), {.patterns = {"(a)\\1"}}), Error);
}

}  // namespace
}  // namespace cria::grammar
