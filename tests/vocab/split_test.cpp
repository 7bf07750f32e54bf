// Every pre-tokenizer against PCRE2 with the regular expressions of the models' own tokenizers, on random
// text made of characters where the rules differ; and the tools that passes are made of.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "vocab/pre_tokenizer.h"
#include "vocab/testing.h"
#include "vocab/unicode.h"

namespace cria {
namespace {

using Pieces = std::vector<std::string>;

class Regex {
  public:
    explicit Regex(const std::string& pattern) {
        int error = 0;
        PCRE2_SIZE offset = 0;
        code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                  PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
        EXPECT_NE(code_, nullptr) << pattern << " at " << offset;
        match_.reset(pcre2_match_data_create_from_pattern(code_.get(), nullptr));
    }

    // The matches from left to right, and what stands between them.
    void split(const std::string& text, Pieces& pieces) const {
        size_t gap = 0;
        for (size_t at = 0; at < text.size();) {
            if (pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0,
                            match_.get(), nullptr) < 0) {
                break;
            }
            const PCRE2_SIZE* span = pcre2_get_ovector_pointer(match_.get());
            EXPECT_GT(span[1], span[0]);
            if (span[0] > gap) pieces.push_back(text.substr(gap, span[0] - gap));
            pieces.push_back(text.substr(span[0], span[1] - span[0]));
            gap = at = span[1];
        }
        if (gap < text.size()) pieces.push_back(text.substr(gap));
    }

  private:
    struct Free {
        void operator()(pcre2_code* code) const { pcre2_code_free(code); }
        void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
    };
    std::unique_ptr<pcre2_code, Free> code_;
    std::unique_ptr<pcre2_match_data, Free> match_;
};

const std::string kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const std::string kContractions = R"((?i:'s|'t|'re|'ve|'m|'ll|'d))";
const std::string kSpaces = R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
const std::string kSymbols = R"( ?[^\s\p{L}\p{N}]+)";
const std::string kWord = R"([^\r\n\p{L}\p{N}]?\p{L}+)";
const std::string kUpper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
const std::string kLower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
const std::string kDeepseek3 =
    R"([!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)" + kSpaces;

std::string cased_words(const std::string& upper, const std::string& lower, const std::string& after) {
    const std::string prefix = R"([^\r\n\p{L}\p{N}]?)";
    return prefix + upper + "*" + lower + "+" + after + "|" + prefix + upper + "+" + lower + "*" + after;
}
const std::string kGpt4oWords = cased_words(kUpper, kLower, kContractions + "?");
const std::string kSymbolsWithSlash = kSymbols + R"([\r\n/]*)";

struct Case {
    std::string name;
    std::vector<std::string> patterns;
};

const std::vector<Case>& cases() {
    const auto not_han = [](const std::string& set) { return "(?:(?!\\p{sc:Han})" + set + ")"; };
    const std::string gpt4o = kGpt4oWords + "|\\p{N}{1,3}|" + kSymbolsWithSlash + "|" + kSpaces;
    static const std::vector<Case> all = {
        {"gpt-2", {kGpt2}},
        {"default", {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
        {"falcon", {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2, "[0-9][0-9][0-9]"}},
        {"starcoder", {R"(\p{N})", kGpt2}},
        {"llama-bpe", {kContractions + "|" + kWord + R"(|\p{N}{1,3}|)" + kSymbols + R"([\r\n]*|)" + kSpaces}},
        {"qwen2", {kContractions + "|" + kWord + R"(|\p{N}|)" + kSymbols + R"([\r\n]*|)" + kSpaces}},
        {"qwen35",
         {kContractions + R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" +
          kSpaces}},
        {"bailingmoe",
         {R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|)" + kWord + R"(|\p{N}|)" + kSymbols +
          R"([\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"}},
        {"seed-coder", {kContractions + "|" + kWord + R"(|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" + kSpaces}},
        {"jais-2",
         {kContractions + "|" + kWord + R"(|\p{N}{1,3}|)" + kSymbols +
          R"([\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S))"
          R"(|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"}},
        {"exaone-moe",
         {kContractions + R"(|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)" + kSymbols +
          R"([\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}},
        {"tekken", {cased_words(kUpper, kLower, "") + R"(|\p{N}|)" + kSymbolsWithSlash + "|" + kSpaces}},
        {"gpt-4o", {gpt4o}},
        {"tiny_aya", {R"(\p{Nd}{1,3}(?=(?:\p{Nd}{3})*(?![\p{L}\p{M}\p{N}_])))", gpt4o}},
        {"kimi-k2",
         {R"(\p{sc:Han}+|)" + cased_words(not_han(kUpper), not_han(kLower), kContractions + "?") +
          R"(|\p{N}{1,3}|)" + kSymbols + R"([\r\n]*|)" + kSpaces}},
        {"youtu",
         {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-"
          "ヿ]"
          "+",
          kGpt4oWords + R"(|\p{N}|)" + kSymbolsWithSlash + "|" + kSpaces}},
        {"deepseek-v3", {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+", kDeepseek3}},
        {"afmoe",
         {R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))",
          "[一-鿿㐀-䶿\uF900-\uFAFF぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-"
          "꧿가-"
          "\uD7AFᄀ-"
          "ᇿ]"
          "+",
          kDeepseek3}},
        {"deepseek-coder",
         {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N})"}},
        {"bloom", {R"( ?[^(\s|.,!?…。，、।۔،)]+)"}},
        {"viking", {R"( ?[^(\s|.,!?…。，、।۔،)]+)", R"(\p{N})"}},
        {"superbpe", {R"(\p{N}+)", R"(\p{Nd}{1,3}(?=(?:\p{Nd}{3})*(?!\p{Nd})))"}},
        {"chameleon",
         {"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", R"(\p{N})",
          R"([\p{P}!-/:-@\[-`{-~])", kGpt2}},
    };
    return all;
}

// Words, marks, numbers, symbols and spaces of many kinds; the more often listed, the more often drawn.
std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> parts = {
        "a",      "b",          "Z",      "Q",    "é",      "ß",      "ǅ",          "ʰ",       "я",
        "Ж",      "好",         "々",     "한",   "ㄱ",     "ㄅ",     "か",         "カ",      "ｶ",
        "ก",      "ນ",          "ا",      "अ",    "\u0301", "\u0308", "\u0e31",     "'",       "'s",
        "'S",     "'ll",        "'RE",    "'d",   "n't",    "1",      "2",          "34",      "567",
        "٣",      "Ⅷ",          "½",      "²",    "!",      "?",      ".",          ",",       "-",
        "_",      "/",          "//",     "<",    ">",      "=",      "+",          "$",       "^",
        "`",      "|",          "~",      "(",    ")",      "…",      "。",         "，",      "、",
        "।",      "“",          "：",     "€",    "😀",      "→",      " ",          " ",       " ",
        " ",      "  ",         "    ",   "\t",   "\n",     "\r",     "\r\n",       "\v",      "\u00a0",
        "\u3000", "\u2003",     "\u2028", "\x01", "\u200b", "\ue000", "\U00020001", "IMGIMG",  "ABZ",
        "I",      "<sentinel:", "7>",     "⺀",   "〇",     "ﾟ",      "〿",          "       ", "x"};
    std::string text;
    const size_t n = random() % 24;
    for (size_t i = 0; i < n; ++i) text += parts[random() % parts.size()];
    return text;
}

Pieces split_all(const PreTokenizer& pre, std::string_view text) {
    Pieces pieces;
    split::cascade(pre.passes, text, [&](std::string_view piece) { pieces.emplace_back(piece); });
    return pieces;
}

Pieces split_by_regexes(const std::vector<Regex>& regexes, const std::string& text) {
    Pieces pieces;
    if (!text.empty()) pieces.push_back(text);
    for (const Regex& regex : regexes) {
        Pieces next;
        for (const std::string& piece : pieces) regex.split(piece, next);
        pieces = std::move(next);
    }
    return pieces;
}

std::string show(const Pieces& pieces) {
    std::string text;
    for (const std::string& piece : pieces) text += "[" + piece + "]";
    return text + " = " + vocab_testing::to_hex(text);
}

TEST(Split, CutsLikeTheRegularExpressionsOfTheModels) {
    for (const Case& test : cases()) {
        const PreTokenizer* pre = find_pre_tokenizer(test.name);
        ASSERT_NE(pre, nullptr) << test.name;
        std::vector<Regex> regexes;
        for (const std::string& pattern : test.patterns) regexes.emplace_back(pattern);
        std::mt19937 random(1);
        int n_failed = 0;
        for (int i = 0; i < 4000 && n_failed < 3; ++i) {
            const std::string text = random_text(random);
            const Pieces expected = split_by_regexes(regexes, text);
            const Pieces got = split_all(*pre, text);
            n_failed += expected == got ? 0 : 1;
            EXPECT_EQ(expected, got) << test.name << "\n expected " << show(expected) << "\n got      "
                                     << show(got);
        }
    }
}

TEST(Split, CutsLongSpacesOfJais2IntoPowersOfTwo) {
    const PreTokenizer* pre = find_pre_tokenizer("jais-2");
    std::vector<size_t> sizes;
    for (const std::string& piece : split_all(*pre, std::string(512 + 256 + 4 + 3, ' ') + "a"))
        sizes.push_back(piece.size());
    EXPECT_EQ(sizes, (std::vector<size_t>{512, 256, 4, 2, 2}));
}

TEST(Split, EveryPieceIsNotEmptyAndAllTogetherAreTheText) {
    std::mt19937 random(2);
    std::string names(pre_tokenizer_names());
    for (size_t begin = 0; begin < names.size();) {
        const size_t end = std::min(names.find(' ', begin), names.size());
        const PreTokenizer* pre = find_pre_tokenizer(names.substr(begin, end - begin));
        ASSERT_NE(pre, nullptr);
        for (int i = 0; i < 200; ++i) {
            const std::string text = random_text(random);
            std::string joined;
            split::cascade(pre->passes, text, [&](std::string_view piece) {
                EXPECT_FALSE(piece.empty());
                joined += piece;
            });
            EXPECT_EQ(joined, text);
        }
        begin = end + 1;
    }
}

TEST(Split, TakesLinearTimeAndLittleStackForAnyRun) {
    vocab_testing::run_on_small_stack([] {
        for (const Case& test : cases()) {
            const PreTokenizer* pre = find_pre_tokenizer(test.name);
            for (const std::string_view once : {"a", "A", " ", "\n", "7", "!", "'", "\t ", "aA", "\u0301",
                                                "好", "a ", "<sentinel:1", "IMGIMG"}) {
                std::string text;
                while (text.size() < 200'000) text += once;
                const double start = vocab_testing::thread_seconds();
                size_t n_bytes = 0;
                split::cascade(pre->passes, text, [&](std::string_view piece) { n_bytes += piece.size(); });
                EXPECT_LT(vocab_testing::thread_seconds() - start, 0.2) << test.name << " " << once;
                EXPECT_EQ(n_bytes, text.size());
            }
        }
    });
}

}  // namespace
}  // namespace cria
