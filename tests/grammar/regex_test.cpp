// Searching, scanning and languages of patterns, against std::regex where both can, and against each other.
#include "grammar/regex.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "base/error.h"

namespace cria::grammar {
namespace {

std::string refusal(const std::string& pattern) {
    try {
        Regex::compile(pattern);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Regex, RefusesWhatItCannotDoByName) {
    const std::pair<const char*, const char*> cases[] = {
        {"(a)\\1", "back-references"},   {"\\k<x>", "back-references"},
        {"(?=a)", "look-aheads"},        {"(?!a)", "look-aheads"},
        {"(?<=a)b", "look-behinds"},     {"(?<!a)b", "look-behinds"},
        {"\\p{L}", "Unicode prop"},      {"([", "'[' is not closed"},
        {"(a", "'(' is not closed"},     {"a)", "unopened ')'"},
        {"*a", "repetition of nothing"}, {"a**", "directly after"},
        {"^*", "repetition of ^"},       {"[b-a]", "out of order"},
        {"a{3,2}", "maximum below"},     {"\\", "backslash at the end"},
        {"\\q", "unknown escape"},       {"(?P<a>b)", "unknown kind of group"},
        {"\\x4", "hexadecimal"},         {"\\u{110000}", "beyond"},
        {"a{20001}", "more than 20000"}, {"(a{1000}){1000}", "instructions"},
        {"\xff", "not UTF-8"},
    };
    for (const auto& [pattern, words] : cases)
        EXPECT_NE(refusal(pattern).find(words), std::string::npos) << pattern << ": " << refusal(pattern);
    EXPECT_NE(refusal(std::string(120 * 1024, '(')).find("more than 65536"), std::string::npos);
    EXPECT_NE(refusal(std::string(60000, '(')).find("nested more than 250"), std::string::npos);
}

TEST(Regex, SearchFindsWhatStdRegexFinds) {
    const char* const patterns[] = {"a",
                                    "a|ab",
                                    "(a|ab)(c|bcd)(d*)",
                                    "(a*)(b?)",
                                    "^a+$",
                                    "b$",
                                    "(a+?)(a*)",
                                    "x*",
                                    "(?:ab)+",
                                    "[ab]{2,3}",
                                    "(a)|(b)",
                                    "\\bab\\b",
                                    "\\Ba",
                                    "[^a]b",
                                    "a.c",
                                    "(a|b)*?c",
                                    "\\d+\\s\\w",
                                    "(ab|c){1,2}",
                                    "a{0}b",
                                    "((a)(b)?)+",
                                    "()a",
                                    "(^|b)a(c|$)",
                                    "[\\s\\S]*?(ab)"};
    std::mt19937 random(5);
    for (const char* pattern : patterns) {
        const Regex regex = Regex::compile(pattern);
        const std::regex twin(pattern, std::regex::ECMAScript);
        for (int round = 0; round < 300; ++round) {
            std::string text;
            for (size_t n = random() % 8; n > 0; --n) text += "abcd 1"[random() % 6];
            std::smatch expected;
            const bool found = std::regex_search(text, expected, twin);
            const auto match = regex.search(text);
            ASSERT_EQ(match.has_value(), found) << pattern << " in '" << text << "'";
            if (!found) continue;
            EXPECT_EQ(match->groups[0]->begin, static_cast<size_t>(expected.position(0)))
                << pattern << " in '" << text << "'";
            EXPECT_EQ(match->groups[0]->end, static_cast<size_t>(expected.position(0) + expected.length(0)))
                << pattern << " in '" << text << "'";
        }
    }
}

TEST(Regex, ScannerAndLanguageAgreeWithSearch) {
    const char* const patterns[] = {"ab", "^ab",         "ab$",       "^a|b$",    "\\ba", "a\\B",
                                    "^$", "^(é|[^a])+$", "(a|b)c{2}", "^\\w+\\s", "b*"};
    std::mt19937 random(6);
    for (const char* pattern : patterns) {
        const Regex regex = Regex::compile(pattern);
        const StringSet contains = regex.language(RegexUse::search), whole = regex.language(RegexUse::whole);
        for (int round = 0; round < 500; ++round) {
            std::string text;
            for (size_t n = random() % 7; n > 0; --n)
                text += std::array{"a", "b", "c", " ", "é", "_"}[random() % 6];
            const auto match = regex.search(text);
            ASSERT_EQ(contains.contains(text), match.has_value()) << pattern << " in '" << text << "'";
            const bool is_whole =
                match && match->groups[0]->begin == 0 && match->groups[0]->end == text.size();
            EXPECT_TRUE(!is_whole || whole.contains(text)) << pattern << " in '" << text << "'";
            RegexScanner scanner(regex);
            for (const char c : text) scanner.feed({&c, 1});
            EXPECT_EQ(scanner.found(), match.has_value()) << pattern << " in '" << text << "'";
        }
    }
}

TEST(Regex, TakesLinearTimeOnPatternsThatExplodeElsewhere) {
    const std::string text(20000, 'a');
    EXPECT_FALSE(Regex::compile("(a*)*b").search(text));
    EXPECT_FALSE(Regex::compile("(a|aa)+$").search(text + "b"));
    EXPECT_TRUE(Regex::compile("^(a?){50}a{50}$").search(std::string(50, 'a')));
    RegexScanner scanner(Regex::compile("(a+)+b"));
    for (int i = 0; i < 100; ++i) scanner.feed(text.substr(0, 200));
    EXPECT_FALSE(scanner.found());
    EXPECT_THROW(Regex::compile("(a|b)*a(a|b){20}").language(RegexUse::whole), Error);
}

TEST(Regex, CodePointsAndInvalidBytes) {
    EXPECT_EQ(Regex::compile("^.$").search("é")->groups[0]->end, 2u);
    EXPECT_TRUE(Regex::compile("\\u00e9\\u{1F600}\\ud83d\\ude00").search("xé😀😀"));
    EXPECT_FALSE(Regex::compile("^.$").search("\xff"));
    const auto match = Regex::compile("b").search(
        "\xff\xff"
        "ab");
    ASSERT_TRUE(match);
    EXPECT_EQ(match->groups[0]->begin, 3u);
    RegexScanner scanner(Regex::compile("é$"));
    scanner.feed("\xc3");
    EXPECT_FALSE(scanner.found());
    scanner.feed("\xa9");
    EXPECT_TRUE(scanner.found());
}

TEST(StringSet, TheAlgebraHolds) {
    const StringSet words = StringSet::of({"", "a", "ab", "é"});
    const StringSet starts_with_a = Regex::compile("^a").language(RegexUse::search);
    for (const char* text : {"", "a", "ab", "abc", "é", "b", "éa", "ba"}) {
        EXPECT_EQ(words.complement().contains(text), !words.contains(text)) << text;
        EXPECT_EQ(words.intersected(starts_with_a).contains(text),
                  words.contains(text) && starts_with_a.contains(text))
            << text;
        EXPECT_EQ(words.united(starts_with_a).contains(text),
                  words.contains(text) || starts_with_a.contains(text))
            << text;
    }
    EXPECT_TRUE(words.intersected(words.complement()).empty());
    EXPECT_TRUE(words.united(words.complement()).is_everything());
    EXPECT_FALSE(words.empty());
    EXPECT_TRUE(StringSet::with_length(2, 3).contains("éé"));
    EXPECT_FALSE(StringSet::with_length(2, 3).contains("é"));
    EXPECT_FALSE(StringSet::with_length(2, 3).contains("abcd"));
    EXPECT_TRUE(StringSet::with_length(3, 2).empty());
    EXPECT_THROW(StringSet::with_length(0, 1u << 30), Error);
}

}  // namespace
}  // namespace cria::grammar
