#include "vocab/utf8.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "base/error.h"
#include "vocab/testing.h"
#include "vocab/unicode.h"

namespace cria {
namespace {

std::string repaired(std::string_view text) {
    std::string buffer;
    return std::string(utf8::repair(text, buffer));
}

TEST(Utf8, LeavesWellFormedTextWhereItIs) {
    const std::string text = "plain, längere 漢字 😀 and \xed\xa0\x80";
    std::string buffer;
    EXPECT_EQ(utf8::repair(text, buffer).data(), text.data());
    EXPECT_TRUE(buffer.empty());
}

TEST(Utf8, ReplacesEveryStrayByte) {
    EXPECT_EQ(repaired("a\x80z"), "a\uFFFDz");
    EXPECT_EQ(repaired("a\xe2\x82"), "a\uFFFD\uFFFD");
    EXPECT_EQ(repaired("\xf0\x9f z"), "\uFFFD\uFFFD z");
    EXPECT_EQ(repaired("\xfe\xff"), "\uFFFD\uFFFD");
}

TEST(Utf8, ShortensOverlongForms) { EXPECT_EQ(repaired("\xc1\xbf\xe0\x80\xaf"), "\x7f/"); }

TEST(Utf8, RefusesWhatIsBeyondUnicode) {
    try {
        repaired("ab\xf4\x90\x80\x80");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        EXPECT_NE(std::string(error.what()).find("0x110000 at byte 2"), std::string::npos) << error.what();
    }
}

TEST(Utf8Assembler, HoldsBackUntilACharacterIsWhole) {
    Utf8Assembler assembler;
    EXPECT_EQ(assembler.push("a\xf0\x9f"), "a");
    EXPECT_EQ(assembler.pending(), "\xf0\x9f");
    EXPECT_EQ(assembler.push("\x98"), "");
    EXPECT_EQ(assembler.push("\x80!"), "😀!");
    EXPECT_EQ(assembler.finish(), "");
}

TEST(Utf8Assembler, DoesNotHoldBackWhatCanNeverBecomeACharacter) {
    Utf8Assembler assembler;
    EXPECT_EQ(assembler.push("\x80\xc0\xf8"), "\x80\xc0\xf8");
    EXPECT_EQ(assembler.push("\xe2"), "");
    EXPECT_EQ(assembler.push("x"), "\xe2x");
    EXPECT_EQ(assembler.push("\xe2\x82"), "");
    EXPECT_EQ(assembler.finish(), "\xe2\x82");
    EXPECT_EQ(assembler.finish(), "");
}

TEST(Utf8Assembler, AnyCutsOfAnyBytesAddUpToTheWhole) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes;
        for (size_t n = random() % 20; n > 0; --n)
            bytes += static_cast<char>(random() % 3 == 0 ? 'a' : 0x80 + random() % 128);
        Utf8Assembler assembler;
        std::string out;
        for (size_t at = 0; at < bytes.size();) {
            const size_t n = std::min<size_t>(1 + random() % 4, bytes.size() - at);
            out += assembler.push(std::string_view(bytes).substr(at, n));
            EXPECT_LE(assembler.pending().size(), 3u);
            at += n;
        }
        EXPECT_EQ(out + assembler.finish(), bytes);
    }
}

TEST(Unicode, ComposesAndDecomposes) {
    std::string buffer;
    EXPECT_EQ(unicode::nfc("e\u0301 \u1112\u1161\u11ab", buffer), "é 한");
    EXPECT_EQ(unicode::nfc("q\u0307\u0323", buffer), "q\u0323\u0307");  // marks in canonical order
    EXPECT_EQ(unicode::nfc("\u2126\u212b", buffer), "ΩÅ");
    EXPECT_EQ(unicode::nfd("é한"), U"e\u0301\u1112\u1161\u11ab");
    const std::string composed = "déjà vu 漢字 한국어 🙂";
    EXPECT_EQ(unicode::nfc(composed, buffer).data(), composed.data());
}

// Composing piece by piece gives what utf8proc makes of the whole.
TEST(Unicode, ComposesLongTextsLikeTheLibrary) {
    std::mt19937 random(5);
    static const std::vector<std::string> parts = {"a",      "e",      "ａ",     "漢", "\u0301", "\u0323",
                                                   "\u1100", "\u1161", "\u11a8", "가", "\u0958", "\u2126",
                                                   "é",      "か",     "\u3099", "😀"};
    for (int i = 0; i < 5000; ++i) {
        std::string text, buffer;
        for (size_t n = random() % 12; n > 0; --n) text += parts[random() % parts.size()];
        utf8proc_uint8_t* whole = nullptr;
        const auto n = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                    static_cast<utf8proc_ssize_t>(text.size()), &whole,
                                    static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
        ASSERT_GE(n, 0);
        const std::string expected(reinterpret_cast<const char*>(whole), static_cast<size_t>(n));
        std::free(whole);
        EXPECT_EQ(vocab_testing::to_hex(unicode::nfc(text, buffer)), vocab_testing::to_hex(expected));
    }
}

// The shortcut for text that needs no composing must not pass any character that would change, or that could
// combine.
TEST(Unicode, ShortcutForComposedTextIsSound) {
    std::string buffer, plain;
    for (uint32_t c = 1; c < 0x110000; ++c) {
        std::string text = "a";
        utf8::append(text, c);
        utf8::append(text, 0x0915);  // outside the shortcut: takes the long way
        std::string alone = "a";
        utf8::append(alone, c);
        plain = unicode::nfc(alone, buffer);
        std::string whole(unicode::nfc(text, buffer));
        EXPECT_EQ(whole.substr(0, whole.size() - 3), plain) << std::hex << c;
    }
}

TEST(Unicode, AMillionMarksAreOrderedInTime) {
    std::string text = "a", buffer;
    while (text.size() < 1'000'000) text += "\u0301\u0323";
    const double start = vocab_testing::thread_seconds();
    EXPECT_GE(unicode::nfc(text, buffer).size(), text.size() - 4);
    EXPECT_LT(vocab_testing::thread_seconds() - start, 1.0);
}

TEST(Unicode, KnowsClasses) {
    using namespace unicode;
    EXPECT_EQ(classes('a'), kLower);
    EXPECT_EQ(classes(0x1c5), kTitle);
    EXPECT_EQ(classes('\n'), kOther | kSpace | kNewline);
    EXPECT_EQ(classes(0x3000), kSpace);
    EXPECT_EQ(classes('~'), kSymbol);
    EXPECT_EQ(classes(0x2167), kOtherNumber);
    EXPECT_EQ(classes(0x1f600), kSymbol);
    EXPECT_TRUE(is_han(0x4e00) && is_han(0x3007) && is_han(0x20001) && !is_han(0x3042));
    EXPECT_FALSE(is_assigned(0x378));
    EXPECT_EQ(to_lower(0x130), 'i');
}

}  // namespace
}  // namespace cria
