// What the parser refuses, with which words and where; limits; and behaviour that the conformance data do not
// cover.
#include "grammar/gbnf.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "grammar/constraint.h"

namespace cria::grammar {
namespace {

bool accepts(const std::string& gbnf, const std::string& text) {
    Matcher matcher(compile_gbnf(gbnf));
    return matcher.accept(text) && matcher.may_end();
}

std::string refusal(const std::string& gbnf) {
    try {
        compile_gbnf(gbnf);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Gbnf, ErrorsSayWhereAndWhat) {
    const struct {
        const char* gbnf;
        std::vector<const char*> words;
    } cases[] = {
        {"root ::= \"a\" )", {"line 1, column 14", "expected the end of the line, found ')'"}},
        {"root ::= a\n\nb ::= \"x\" missing", {"used but not defined", "\"a\"", "line 1, column 10"}},
        {"x ::= \"1\"", {"no rule \"root\""}},
        {"root ::= \"\xc3\xa9\" \"\\q\"", {"line 1, column 16", "unknown escape"}},
        {"root ::= [a", {"line 1, column 10", "class is not closed"}},
        {"root ::= \"a", {"line 1, column 10", "literal is not closed"}},
        {"root ::= \"a\" (\n \"b\"", {"line 1, column 14", "'(' is not closed"}},
        {"root ::= \"a\"{2001}", {"above 2000"}},
        {"root ::= \"a\"{3,2}", {"maximum below its minimum"}},
        {"root ::= | *", {"'*' has nothing before it"}},
        {"root ::= <|end|>", {"needs a vocabulary"}},
        {"root ::= <[99999999999]>", {"beyond the vocabulary"}},
        {"root ::= a\na ::= b \"1\"\nb ::= a | \"2\"",
         {"left-recursive", "\"a\" (line 2, column 1)", "\"b\" (line 3, column 1)"}},
        {"root ::= \"\xff\"", {"not valid UTF-8"}},
        {"root ::= \"a\" |\nb ::= \"x\"", {"inside a rule"}},
    };
    for (const auto& c : cases) {
        const std::string message = refusal(c.gbnf);
        for (const char* word : c.words)
            EXPECT_NE(message.find(word), std::string::npos) << c.gbnf << "\n" << message;
    }
}

TEST(Gbnf, EveryTruncationOfAGrammarIsParsedOrRefused) {
    const std::string text =
        "# c\r\nroot ::= (a | [^\\x00-\\u00ff\\U0001F600]{1,3}) !<[3]>? <[4]> .+ # end\na ::= \"\\\"\\n\" | "
        "(\"b\" a)*\n";
    for (size_t n = 0; n <= text.size(); ++n) {
        try {
            compile_gbnf(text.substr(0, n));
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        }
    }
}

TEST(Gbnf, DeepOrLongTextsExhaustNothing) {
    const std::string many(120 * 1024, '(');
    EXPECT_NE(refusal("root ::= " + many).find("nested more than 1000 deep"), std::string::npos);
    EXPECT_NE(refusal("root ::= " + std::string(900, '(')).find("not closed"), std::string::npos);
    EXPECT_TRUE(accepts("root ::= " + std::string(1000, '(') + "\"a\"" + std::string(1000, ')'), "a"));
    EXPECT_NE(refusal(std::string(kMaxGbnfBytes + 1, ' ')).find("more than"), std::string::npos);
    // 50 rules that call each other 2000 times would need 2000^50 nodes written out; as calls they need
    // 100,000.
    std::string nested = "root ::= r0\n";
    for (int i = 0; i < 50; ++i)
        nested += "r" + std::to_string(i) + " ::= \"a\" | r" + std::to_string(i + 1) + "{2000}\n";
    EXPECT_TRUE(accepts(nested + "r50 ::= \"b\"", "a"));
    // Written-out repetitions of groups are limited in all.
    std::string wide = "root ::= \"x\"";
    for (int i = 0; i < 700; ++i) wide += " [a-z]{2000}";
    EXPECT_NE(refusal(wide).find("automaton nodes"), std::string::npos);
}

TEST(Gbnf, ManyRulesCompileQuickly) {
    std::string text = "root ::= r0\n";
    for (int i = 0; i < 10000; ++i)
        text += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + " | \"x\"\n";
    EXPECT_TRUE(accepts(text + "r10000 ::= \"y\"", "y"));
}

TEST(Gbnf, RepeatedOperatorsFollowTheFamily) {
    EXPECT_TRUE(accepts("root ::= \"a\"*?", "aaa"));
    EXPECT_TRUE(accepts("root ::= \"a\"?{2,3}", "aaa"));
    EXPECT_FALSE(accepts("root ::= \"a\"?{2,3}", "aaaa"));
    EXPECT_NE(refusal("root ::= \"a\"?*").find("parentheses"), std::string::npos);
    EXPECT_TRUE(accepts("root ::= (\"a\" | )* \"b\"", "aab"));
}

TEST(Gbnf, BeyondUnicodeIsMatchedOnlyOnRequest) {
    const std::string byte = "\xf5\x80\x80\x80";
    EXPECT_FALSE(Matcher(compile_gbnf("root ::= .")).allows(byte));
    EXPECT_TRUE(Matcher(compile_gbnf("root ::= .", {.beyond_unicode = true})).allows(byte));
    EXPECT_TRUE(Matcher(compile_gbnf("root ::= [^a]", {.beyond_unicode = true})).allows("\xff"));
    EXPECT_FALSE(
        Matcher(compile_gbnf("root ::= [\\U00110000-\\U001FFFFF]", {.beyond_unicode = true})).allows("\xf5"));
}

}  // namespace
}  // namespace cria::grammar
