// Banned strings: no banned text is ever released, tokens are rewound to where the match began, and it always
// ends.
#include "sampling/string_bans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"

namespace cria::sampling {
namespace {

// A model with one token per piece that writes a fixed text unless biases forbid it, then the next token of
// the vocabulary.
struct Writer {
    std::vector<std::string> pieces;
    std::vector<Token> wanted;

    Token choose(size_t place, const std::vector<TokenBias>& biases) const {
        auto token = place < wanted.size() ? wanted[place] : static_cast<Token>(place % pieces.size());
        const auto is_banned = [&](Token t) {
            return std::any_of(biases.begin(), biases.end(),
                               [&](const TokenBias& bias) { return bias.token == t; });
        };
        for (size_t i = 0; i < pieces.size() && is_banned(token); ++i)
            token = static_cast<Token>((token + 1) % pieces.size());
        return token;
    }
};

struct Outcome {
    std::string text;
    size_t n_rewinds = 0;
    size_t n_steps = 0;
};

Outcome write(const Writer& writer, BanOptions options, size_t n_tokens) {
    StringBans bans(std::move(options));
    std::vector<Token> tokens;
    size_t n_released = 0;
    Outcome run;
    while (tokens.size() < n_tokens && run.n_steps < 100000) {
        ++run.n_steps;
        tokens.push_back(writer.choose(tokens.size(), bans.biases()));
        const BanStep step = bans.feed(tokens.back(), writer.pieces[static_cast<size_t>(tokens.back())]);
        EXPECT_LE(step.n_rewound, tokens.size() - n_released);
        EXPECT_TRUE(step.n_released == 0 || step.n_rewound == 0);
        n_released += step.n_released;
        run.n_rewinds += step.n_rewound > 0;
        tokens.resize(tokens.size() - step.n_rewound);
        EXPECT_EQ(bans.n_held(), tokens.size() - n_released);
    }
    n_released += bans.finish();
    EXPECT_EQ(n_released, tokens.size());
    for (const Token token : tokens) run.text += writer.pieces[static_cast<size_t>(token)];
    return run;
}

TEST(StringBans, RewindToTheTokenInWhichTheMatchBegins) {
    const Writer writer{{"I ", "can", "not", " say", "!"}, {0, 1, 2, 3}};
    StringBans bans({.strings = {"CANNOT"}});
    EXPECT_EQ(bans.feed(0, "I ").n_released, 1u);
    EXPECT_EQ(bans.feed(1, "Can").n_released, 0u);
    const BanStep step = bans.feed(2, "not");
    EXPECT_EQ(step.n_rewound, 2u);
    ASSERT_EQ(bans.biases().size(), 1u);
    EXPECT_EQ(bans.biases()[0].token, 1);
    EXPECT_FLOAT_EQ(bans.biases()[0].bias, -999.0f);
    EXPECT_EQ(bans.feed(4, "!").n_released, 1u);
    EXPECT_TRUE(bans.biases().empty());
    EXPECT_EQ(write(writer, {.strings = {"cannot"}}, 4).text, "I notnot say");
}

std::vector<Token> random_wishes(size_t n_pieces, std::mt19937& rng) {
    std::vector<Token> wishes(60);
    for (Token& wish : wishes) wish = static_cast<Token>(rng() % n_pieces);
    return wishes;
}

TEST(StringBans, NoBannedTextIsReleasedWhileRewindsAreUnlimited) {
    std::mt19937 rng(2);
    const std::vector<std::string> pieces = {"a", "b", "ab", "c",  "",  "ba", "cc", "d",
                                             "e", "f", "ad", "ea", "g", "h",  "i"};
    const std::vector<std::string> banned = {"abba", "cc", "bab", "aea"};
    for (int i = 0; i < 300; ++i) {
        const Writer writer{pieces, random_wishes(pieces.size(), rng)};
        const Outcome run = write(writer, {.strings = banned, .max_rewinds = 0}, 60);
        EXPECT_LT(run.n_steps, 100000u);
        for (const std::string& text : banned) EXPECT_EQ(run.text.find(text), std::string::npos) << run.text;
    }
}

TEST(StringBans, EndSoonByDefaultEvenWhereAlmostEverythingIsBanned) {
    std::mt19937 rng(3);
    const std::vector<std::string> pieces = {"a", "b", "ab", "ba"};
    for (int i = 0; i < 200; ++i) {
        const Writer writer{pieces, random_wishes(pieces.size(), rng)};
        const Outcome run =
            write(writer, {.strings = {"aa", "bb", "abab"}, .n_biased = i % 2 == 0 ? 1 : -1}, 60);
        EXPECT_LT(run.n_steps, 60u * 25u);
    }
}

TEST(StringBans, LetTextThroughWhenRewindsAreUsedUp) {
    // Nothing but the banned letter can be written.
    const Writer writer{{"x"}, {}};
    const Outcome run = write(writer, {.strings = {"x"}, .max_rewinds = 3}, 2);
    EXPECT_EQ(run.text, "xx");
    EXPECT_EQ(run.n_rewinds, 6u);
    EXPECT_EQ(write(writer, {.strings = {"x"}}, 1).n_rewinds, 20u);
}

TEST(StringBans, SearchesWithAFunctionOverTheTokensItHolds) {
    BanOptions options;
    options.n_search_tokens = 3;
    options.search = [](std::string_view text) -> std::optional<std::pair<size_t, size_t>> {
        const size_t at = text.find("42");
        if (at == std::string_view::npos) return std::nullopt;
        return std::pair{at, size_t(2)};
    };
    StringBans bans(options);
    EXPECT_EQ(bans.feed(7, "it is ").n_released, 0u);
    EXPECT_EQ(bans.feed(8, "4").n_released, 0u);
    EXPECT_EQ(bans.feed(9, "2").n_rewound, 2u);
    EXPECT_EQ(bans.biases().at(0).token, 8);
    EXPECT_EQ(bans.finish(), 1u);
}

TEST(StringBans, FindRegularExpressionsInEitherCase) {
    BanOptions options;
    add_regex_bans(options, std::vector<std::string>{"[A-C]\\d+\\W"}, true, 4);
    StringBans bans(options);
    EXPECT_EQ(bans.feed(1, "x").n_released, 0u);
    EXPECT_EQ(bans.feed(2, "b4").n_rewound, 0u);
    EXPECT_EQ(bans.feed(3, "2").n_rewound, 0u);
    EXPECT_EQ(bans.feed(4, "!").n_rewound, 3u);
    EXPECT_EQ(bans.biases().at(0).token, 2);

    BanOptions strict;
    add_regex_bans(strict, std::vector<std::string>{"[A-C]\\d"}, false);
    EXPECT_EQ(strict.n_search_tokens, 8u);
    StringBans strict_bans(strict);
    EXPECT_EQ(strict_bans.feed(2, "b4").n_rewound, 0u);
    EXPECT_EQ(strict_bans.feed(2, "B4").n_rewound, 1u);
    EXPECT_THROW(add_regex_bans(strict, std::vector<std::string>{"a*"}, false), Error);
    EXPECT_THROW(add_regex_bans(strict, std::vector<std::string>{"(a"}, false), Error);
}

TEST(StringBans, RefuseOptionsThatMakeNoSense) {
    EXPECT_THROW(StringBans({.strings = {""}}), Error);
    EXPECT_THROW(StringBans({.strings = {"a"}, .bias = std::nanf("")}), Error);
    EXPECT_THROW(StringBans({.strings = {"a"}, .n_biased = -2}), Error);
    EXPECT_THROW(StringBans({.strings = {"a"}, .n_biased = 0, .max_rewinds = 0}), Error);
}

}  // namespace
}  // namespace cria::sampling
