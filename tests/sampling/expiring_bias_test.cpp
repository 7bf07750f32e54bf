// Expiring biases: the program text, and what it does to tokens as a text goes on. One token is one letter
// here.
#include "sampling/expiring_bias.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sampling/chain.h"

namespace cria::sampling {
namespace {

BiasVocabulary letters() {
    return {.tokenize = [](std::string_view text) { return std::vector<Token>(text.begin(), text.end()); },
            .piece = [](Token token) { return std::string(1, static_cast<char>(token)); }};
}

ExpiringBias machine(std::string_view program) { return {BiasProgram::parse(program), letters()}; }

float bias_of(ExpiringBias& bias, char letter) {
    CandidateBuffer buffer;
    CandidateArray& array = buffer.fill(std::vector<float>(128, 0.0f));
    bias.apply(array);
    return array.data[static_cast<size_t>(letter)].logit;
}

void write(ExpiringBias& bias, std::string_view text) {
    for (const char c : text) bias.accept(c);
}

TEST(ExpiringBias, BiasesEachTokenOfAPhraseWhenItsTurnHasCome) {
    auto bias = machine("(-1 : \"abc\" : 1, 2, 3)");
    EXPECT_EQ(bias_of(bias, 'a'), 1.0f);
    EXPECT_EQ(bias_of(bias, 'b'), 0.0f);
    write(bias, "a");
    EXPECT_EQ(bias_of(bias, 'a'), 0.0f);
    EXPECT_EQ(bias_of(bias, 'b'), 2.0f);
    write(bias, "b");
    EXPECT_EQ(bias_of(bias, 'c'), 3.0f);
    write(bias, "x");
    EXPECT_EQ(bias_of(bias, 'c'), 0.0f);
    EXPECT_EQ(bias_of(bias, 'a'), 1.0f);
}

TEST(ExpiringBias, ExtrapolatesTheLastValueAndInterpolatesRanges) {
    auto last = machine("(-1 : \"abc\" : 1, 2)");
    write(last, "ab");
    EXPECT_EQ(bias_of(last, 'c'), 2.0f);
    auto range = machine("(-1 : \"abc\" : -1 ~ 3)");
    EXPECT_EQ(bias_of(range, 'a'), -1.0f);
    write(range, "a");
    EXPECT_EQ(bias_of(range, 'b'), 1.0f);
    write(range, "b");
    EXPECT_EQ(bias_of(range, 'c'), 3.0f);
}

TEST(ExpiringBias, ExpiresAfterItsDuration) {
    auto bias = machine("# two tokens, and one\n(2 : \"a\" : 5)\n(\"b\" : 7)\n");
    EXPECT_EQ(bias_of(bias, 'a'), 5.0f);
    EXPECT_EQ(bias_of(bias, 'b'), 7.0f);
    write(bias, "x");
    EXPECT_EQ(bias_of(bias, 'a'), 5.0f);
    EXPECT_EQ(bias_of(bias, 'b'), 0.0f);
    write(bias, "x");
    EXPECT_EQ(bias_of(bias, 'a'), 0.0f);
    bias.reset();
    EXPECT_EQ(bias_of(bias, 'a'), 5.0f);
}

TEST(ExpiringBias, WordsLeadToTheNextState) {
    auto bias = machine(
        "(-1 : \"a\" : 1)\n((-1 : \"p\" : 4))\n\"end\"\n(-1 : \"b\" : 2)\nnext\n(())\n(-1 : \"c\" : 3)");
    write(bias, "en");
    EXPECT_EQ(bias.state(), 0u);
    write(bias, "d");
    EXPECT_EQ(bias.state(), 1u);
    EXPECT_EQ(bias_of(bias, 'a'), 0.0f);
    EXPECT_EQ(bias_of(bias, 'b'), 2.0f);
    EXPECT_EQ(bias_of(bias, 'p'), 4.0f);
    write(bias, "next");
    EXPECT_EQ(bias.state(), 2u);
    EXPECT_EQ(bias_of(bias, 'p'), 0.0f);
    EXPECT_EQ(bias_of(bias, 'c'), 3.0f);
}

TEST(ExpiringBias, JumpWordsSkipStates) {
    auto bias = machine("one\ntwo\n\"stop\" >>\n(-1 : \"z\" : 1)");
    write(bias, "stop");
    EXPECT_EQ(bias.state(), 3u);
    EXPECT_EQ(bias_of(bias, 'z'), 1.0f);
}

TEST(ExpiringBias, AWordOfAnEarlierStateDoesNotCountInTheNext) {
    auto bias = machine("aa\naa\n(-1 : \"z\" : 1)");
    write(bias, "aa");
    EXPECT_EQ(bias.state(), 1u);
    write(bias, "a");
    EXPECT_EQ(bias.state(), 1u);
    write(bias, "a");
    EXPECT_EQ(bias.state(), 2u);
}

TEST(ExpiringBias, AWantedPhraseIsFinishedBeforeTheStateChanges) {
    auto bias = machine("(-1 : \"xyz\" : 5)\n\"xy\"\n(-1 : \"b\" : 2)");
    write(bias, "xy");
    EXPECT_EQ(bias.state(), 0u);
    EXPECT_EQ(bias_of(bias, 'z'), 5.0f);
    write(bias, "z");
    EXPECT_EQ(bias.state(), 1u);
}

TEST(ExpiringBias, ChangesOptionsForATimeOrBetweenPhrases) {
    auto timed = machine("(2 : temp~0.5)");
    ASSERT_EQ(timed.option_changes().size(), 1u);
    EXPECT_EQ(timed.option_changes()[0].name, "temp");
    write(timed, "ab");
    EXPECT_TRUE(timed.option_changes().empty());

    auto toggled = machine("(-1 : \"*\" : top_k~-39)");
    EXPECT_TRUE(toggled.option_changes().empty());
    write(toggled, "a*b");
    EXPECT_FLOAT_EQ(toggled.option_changes().at(0).delta, -39.0f);
    write(toggled, "*");
    EXPECT_TRUE(toggled.option_changes().empty());

    std::vector<float> logits(128, 0.0f);
    logits['q'] = 1.0f;
    SamplerChain chain(parse_sampling("top_k=40;temp=1;seed=1"));
    chain.add(std::make_unique<ExpiringBias>(machine("(-1 : \"*\" : top_k~-39)")));
    chain.accept('*');
    for (int i = 0; i < 20; ++i) EXPECT_EQ(chain.sample(logits), 'q');
    EXPECT_EQ(chain.options().top_k, 40);
}

TEST(ExpiringBias, RefusalsNameTheLine) {
    struct Case {
        const char* program;
        const char* words;
    };
    const Case cases[] = {
        {"(1 : \"a : 2)", "quote is not closed"},
        {"(1 : \"a\" : 2", "closing parenthesis"},
        {"((1 : \"a\" : 2)", "closing parenthesis"},
        {"(1.5 : \"a\" : 2)", "whole number"},
        {"(1 \"a\" : 2)", "':' is missing after the duration"},
        {"(1 : \"a\" 2)", "':' is missing after the phrases"},
        {"(1 : \"a\" : )", "missing"},
        {"(1 : 5)", "needs a phrase"},
        {"(1 : \"a\" : nan)", "number"},
        {"(1 : \"a\" : 1 ~)", "range"},
        {"(1 : warmth~2)", "warmth"},
        {"(1 : temp 2)", "'~'"},
        {"(1 : \"\" : 2)", "empty"},
        {"\"word\" <<", ">>"},
        {"(1 : \"a\" : 2) b", "follows"},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.program);
        try {
            BiasProgram::parse(std::string("# first\n") + c.program);
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(c.words), std::string::npos) << error.what();
        }
    }
    std::string large;
    for (int i = 0; i < 20000; ++i) large += "(1 : \"a\" : 1)\n";
    EXPECT_THROW(BiasProgram::parse(large), Error);
    EXPECT_EQ(BiasProgram::parse("").states.size(), 1u);
}

}  // namespace
}  // namespace cria::sampling
