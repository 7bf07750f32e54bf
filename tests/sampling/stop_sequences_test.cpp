// Stop strings: against the definition (the first to be complete), however the text is cut.
#include "sampling/stop_sequences.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "base/error.h"
#include "sampling/utf8_tail.h"

namespace cria::sampling {
namespace {

struct Ending {
    std::string text;
    std::string matched;
};

// By definition: the shortest beginning of the text that ends with a stop string; of several, the longest.
Ending ending_by_definition(const std::string& text, const std::vector<std::string>& stops) {
    for (size_t n = 1; n <= text.size(); ++n) {
        const std::string beginning = text.substr(0, n);
        std::string matched;
        for (const std::string& stop : stops)
            if (beginning.ends_with(stop) && stop.size() > matched.size()) matched = stop;
        if (!matched.empty()) return {beginning.substr(0, n - matched.size()), matched};
    }
    return {text, ""};
}

Ending feed_in_pieces(StopSequences stops, const std::string& text, const std::vector<size_t>& cuts) {
    std::string shown;
    size_t begin = 0;
    for (const size_t cut : cuts) {
        shown += stops.feed(std::string_view(text).substr(begin, cut - begin));
        begin = cut;
    }
    shown += stops.feed(std::string_view(text).substr(begin));
    shown += stops.finish();
    return {shown, stops.matched()};
}

TEST(StopSequences, EveryCutGivesTheSameAsTheDefinition) {
    const std::vector<std::string> stops = {"</s>", "User:", "\n\n", "ser"};
    for (const std::string text : {"Hello </s> there", "a\n\nb", "no stop <", "</", "</s", "UUser:",
                                   "Use User", "\n", "", "user", "\xE2\x82\xAC and \xE2\x82", "</s>"}) {
        const auto expected = ending_by_definition(text, stops);
        for (size_t a = 0; a <= text.size(); ++a)
            for (size_t b = a; b <= text.size(); ++b) {
                const auto got = feed_in_pieces(StopSequences(stops), text, {a, b});
                EXPECT_EQ(got.text, expected.text) << text << " cut at " << a << ", " << b;
                EXPECT_EQ(got.matched, expected.matched);
            }
    }
}

TEST(StopSequences, RandomTextsOfFewLettersAgreeWithTheDefinition) {
    std::mt19937 rng(4);
    const auto random_text = [&](size_t max) {
        std::string text(rng() % (max + 1), 'a');
        for (char& c : text) c = static_cast<char>('a' + rng() % 2);
        return text;
    };
    for (int i = 0; i < 3000; ++i) {
        std::vector<std::string> stops;
        for (size_t n = rng() % 5; n > 0; --n) stops.push_back("a" + random_text(6));
        const std::string text = random_text(40);
        std::vector<size_t> cuts;
        for (size_t at = 0; at < text.size(); at += 1 + rng() % 5) cuts.push_back(at);
        const auto expected = ending_by_definition(text, stops);
        const auto got = feed_in_pieces(StopSequences(stops), text, cuts);
        EXPECT_EQ(got.text, expected.text) << text;
        EXPECT_EQ(got.matched, expected.matched) << text;
    }
}

TEST(StopSequences, HoldBackNoMoreThanNeeded) {
    const std::vector<std::string> list = {"STOP!"};
    StopSequences stops(list);
    EXPECT_EQ(stops.feed("abc"), "abc");
    EXPECT_EQ(stops.feed("dST"), "d");
    EXPECT_EQ(stops.n_held_bytes(), 2u);
    EXPECT_EQ(stops.feed("X"), "STX");
    EXPECT_EQ(stops.feed("STSTO"), "ST");
    EXPECT_EQ(stops.feed("P!rest"), "");
    EXPECT_TRUE(stops.is_stopped());
    EXPECT_EQ(stops.matched(), "STOP!");
    EXPECT_EQ(stops.feed("more"), "");
    EXPECT_EQ(stops.finish(), "");
    stops.reset();
    EXPECT_EQ(stops.feed("again"), "again");
    EXPECT_FALSE(stops.is_stopped());
}

TEST(StopSequences, ShowOnlyWholeCharacters) {
    StopSequences stops({});
    EXPECT_EQ(stops.feed("a\xF0\x9F"), "a");
    EXPECT_EQ(stops.feed("\x98"), "");
    EXPECT_EQ(stops.feed("\x80"
                         "b"),
              "\xF0\x9F\x98\x80"
              "b");
    EXPECT_EQ(stops.feed("\xFF\x80"), "\xFF\x80");
    EXPECT_EQ(stops.feed("\xE2\x82"), "");
    EXPECT_EQ(stops.finish(), "\xE2\x82");
    StopSequences bytes({}, false);
    EXPECT_EQ(bytes.feed("\xE2\x82"), "\xE2\x82");
}

TEST(StopSequences, EmptyAndOversizedStringsAreRefused) {
    const std::vector<std::string> empty = {"a", ""};
    EXPECT_THROW(StopSequences{empty}, Error);
    const std::vector<std::string> large(3, std::string(TextMatcher::kMaxTotalBytes / 2, 'x'));
    EXPECT_THROW(StopSequences{large}, Error);
}

TEST(StopSequences, TakeTimeInProportionToTheText) {
    // The worst text for methods that start again: every position begins the stop string and fails at its
    // end.
    const std::vector<std::string> list = {std::string(20000, 'a') + "b"};
    StopSequences stops(list);
    const std::string piece(1000, 'a');
    const auto start = std::chrono::steady_clock::now();
    size_t n_shown = 0;
    for (int i = 0; i < 1000; ++i) n_shown += stops.feed(piece).size();
    n_shown += stops.finish().size();
    EXPECT_EQ(n_shown, 1000000u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Utf8Tail, CountsBytesOfAnUnfinishedCharacter) {
    EXPECT_EQ(incomplete_utf8_bytes(""), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("a"), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("\xC3"), 1u);
    EXPECT_EQ(incomplete_utf8_bytes("\xC3\xA9"), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("\xE2\x82"), 2u);
    EXPECT_EQ(incomplete_utf8_bytes("\xF0\x9F\x98"), 3u);
    EXPECT_EQ(incomplete_utf8_bytes("\xF0\x9F\x98\x80"), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("\x80\x80\x80"), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("\xFF"), 0u);
    EXPECT_EQ(incomplete_utf8_bytes("\xC0"), 0u);
}

}  // namespace
}  // namespace cria::sampling
