// The matcher against a slow twin, its independence of copies and of portions, and its cost on ambiguous and
// deep grammars.
#include "grammar/matcher.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/error.h"
#include "grammar/constraint.h"
#include "grammar/random_text.h"

namespace cria::grammar {
namespace {

// The definition: the set of places in the text at which an expression may end when it begins at `from`.
// Slow, and obviously right for grammars without left recursion.
class SlowTwin {
  public:
    SlowTwin(const Grammar& grammar, const std::string& text) : grammar_(grammar), text_(text) {}
    bool matches() { return ends(*grammar_.rules()[grammar_.root()].body, 0).contains(text_.size()); }

  private:
    const std::set<size_t>& ends(ExprId id, size_t from) {
        const auto known = known_.find({id, from});
        if (known != known_.end()) return known->second;
        return known_[{id, from}] = compute_ends(id, from);
    }
    std::set<size_t> compute_ends(ExprId id, size_t from) {
        const Grammar::Expr& expr = grammar_.expr(id);
        switch (expr.kind) {
            case ExprKind::literal: {
                const std::string& literal = grammar_.text(expr);
                return text_.compare(from, literal.size(), literal) == 0 ? std::set{from + literal.size()}
                                                                         : std::set<size_t>{};
            }
            case ExprKind::characters: {
                if (from >= text_.size()) return {};
                const DecodedCodePoint next = decode_utf8(text_, from);
                return grammar_.set(expr).contains(next.code_point) ? std::set{from + next.n_bytes}
                                                                    : std::set<size_t>{};
            }
            case ExprKind::sequence: {
                std::set<size_t> at = {from};
                for (const ExprId part : expr.children) at = after_all(part, at);
                return at;
            }
            case ExprKind::choice: {
                std::set<size_t> all;
                for (const ExprId alternative : expr.children)
                    all.merge(std::set<size_t>(ends(alternative, from)));
                return all;
            }
            case ExprKind::repeat: {
                std::set<size_t> at = {from}, all;
                for (uint32_t i = 0;
                     i <= std::min<size_t>(expr.max, text_.size() + expr.min + 1) && !at.empty(); ++i) {
                    if (i >= expr.min) all.insert(at.begin(), at.end());
                    at = after_all(expr.children[0], at);
                }
                return all;
            }
            case ExprKind::rule:
                return ends(*grammar_.rules()[expr.target].body, from);
            default:
                return {};
        }
    }
    std::set<size_t> after_all(ExprId id, const std::set<size_t>& starts) {
        std::set<size_t> all;
        for (const size_t start : starts) all.merge(std::set<size_t>(ends(id, start)));
        return all;
    }

    const Grammar& grammar_;
    const std::string& text_;
    std::map<std::pair<ExprId, size_t>, std::set<size_t>> known_;
};

// A random expression over a and b in GBNF; names of later rules only, or any rule behind a character, so
// nothing is left-recursive.
std::string random_expression(std::mt19937& random, int rule, int n_rules, int depth) {
    const auto inner = [&] { return random_expression(random, rule, n_rules, depth - 1); };
    switch (depth == 0 ? random() % 2 : random() % 8) {
        case 0:
            return random() % 2 ? "\"a\"" : "\"ab\"";
        case 1:
            return rule + 1 < n_rules ? "r" + std::to_string(rule + 1) : "[ab]";
        case 2:
            return "(" + inner() + " | " + inner() + ")";
        case 3:
            return "(" + inner() + ")*";
        case 4:
            return "(" + inner() + "){" + std::to_string(random() % 2) + "," +
                   std::to_string(1 + random() % 3) + "}";
        case 5:
            return "(\"b\" r" + std::to_string(random() % n_rules) + ")?";
        case 6:
            return "(" + inner() + ")?";
        default:
            return inner() + " " + inner();
    }
}

TEST(Matcher, AgreesWithTheDefinitionOnRandomGrammars) {
    std::mt19937 random(1);
    size_t n_accepted = 0;
    for (int round = 0; round < 150; ++round) {
        const int n_rules = 1 + static_cast<int>(random() % 3);
        std::string text = "root ::= r0\n";
        for (int rule = 0; rule < n_rules; ++rule) {
            text += "r" + std::to_string(rule) + " ::= " + random_expression(random, rule, n_rules, 3) + "\n";
        }
        const Grammar grammar = parse_gbnf(text);
        const Matcher start(Program::compile(grammar));
        for (int n = 0; n < 127; ++n) {  // all texts of up to six letters
            std::string input;
            for (int bits = n + 1; bits > 1; bits >>= 1) input += bits & 1 ? 'a' : 'b';
            Matcher matcher = start;
            const bool accepted = matcher.accept(input) && matcher.may_end();
            ASSERT_EQ(accepted, SlowTwin(grammar, input).matches()) << text << "text: " << input;
            n_accepted += accepted;
        }
    }
    EXPECT_GT(n_accepted, 1000u);
}

TEST(Matcher, CopiesAreIndependentAndPortionsDoNotMatter) {
    const std::string gbnf = "root ::= (\"\\\"\" [^\"]* \"\\\"\" | [0-9]+ | \"(\" root \")\")";
    const Matcher start(compile_gbnf(gbnf));
    std::mt19937 random(3);
    for (int round = 0; round < 50; ++round) {
        const auto text = testing::random_text(start, random, 30);
        if (!text) continue;
        for (size_t cut = 0; cut <= text->size(); ++cut) {
            Matcher first = start;
            ASSERT_TRUE(first.accept(text->substr(0, cut)));
            Matcher second = first;
            EXPECT_FALSE(second.accept("\xff"));
            ASSERT_TRUE(second.accept(text->substr(cut)));
            EXPECT_TRUE(second.may_end());
            EXPECT_EQ(first.accepted_length(text->substr(cut)), text->size() - cut);
        }
    }
}

TEST(Matcher, RefusalLeavesThePlaceUnchanged) {
    Matcher matcher(compile_gbnf("root ::= \"abc\""));
    ASSERT_TRUE(matcher.accept("a"));
    EXPECT_FALSE(matcher.accept("bx"));
    EXPECT_EQ(matcher.accepted_length("bx"), 1u);
    EXPECT_TRUE(matcher.accept("bc"));
    EXPECT_TRUE(matcher.may_end());
}

TEST(Matcher, AmbiguousGrammarsStayPolynomial) {
    // Every split of the text is a derivation: exponentially many, one set of open rules.
    Matcher exponential(
        compile_gbnf("root ::= x*\nx ::= \"a\" | \"aa\" | \"a\" x | y\ny ::= \"aa\" y | \"a\""));
    EXPECT_TRUE(exponential.accept(std::string(20000, 'a')));
    EXPECT_TRUE(exponential.may_end());
    // s ::= "a" s s | "a" keeps a number of callers that grows with the text, until the limit says so.
    Matcher growing(compile_gbnf("root ::= s\ns ::= \"a\" s s | \"a\""));
    EXPECT_TRUE(growing.accept(std::string(301, 'a')));
    try {
        EXPECT_TRUE(growing.accept(std::string(100000, 'a')));
        FAIL() << "expected the limit";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::no_space);
    }
    EXPECT_TRUE(growing.accept("a")) << "the matcher stays usable after the limit";
}

TEST(Matcher, LongAndDeepTextsTakeLinearTime) {
    Matcher list(compile_gbnf("root ::= item root | item\nitem ::= [a-z]+ \" \""));
    std::string words;
    while (words.size() < 300000) words += "word ";
    EXPECT_TRUE(list.accept(words));
    const std::string open(120 * 1024, '('), close(120 * 1024, ')');
    Matcher nested(compile_gbnf("root ::= \"(\" root \")\" | \"x\""));
    EXPECT_TRUE(nested.accept(open + "x" + close));
    EXPECT_TRUE(nested.may_end());
}

TEST(Matcher, GrowingCachesAreReplacedWithoutLosingThePlace) {
    // Each level of "(" is a new frame and a new state.
    Matcher matcher(compile_gbnf("root ::= \"(\" root \")\" | [a-z]"), 10000);
    const Matcher start = matcher;
    const std::string open(50000, '(');
    const auto first_cache = matcher.cache();
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(matcher.accept(open));
    EXPECT_NE(matcher.cache(), first_cache);
    EXPECT_EQ(start.cache(), first_cache);
    EXPECT_TRUE(start.allows("(x)"));
    EXPECT_FALSE(matcher.may_end());
    ASSERT_TRUE(matcher.accept("x" + std::string(100000, ')')));
    EXPECT_TRUE(matcher.may_end());
    EXPECT_FALSE(matcher.accept(")"));
}

TEST(Matcher, ThreadsMayShareAGrammar) {
    const Matcher start(compile_gbnf("root ::= (\"a\" | \"b\" root \"c\")+"));
    std::vector<std::thread> threads;
    std::vector<char> results(4, 0);
    for (size_t t = 0; t < results.size(); ++t) {
        threads.emplace_back([&, t] {
            Matcher matcher = start;
            bool ok = true;
            for (int i = 0; i < 500; ++i) ok = ok && matcher.accept("b");
            ok = ok && matcher.accept("a");
            for (int i = 0; i < 500; ++i) ok = ok && matcher.accept("c");
            results[t] = ok && matcher.may_end();
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const char ok : results) EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace cria::grammar
