// The parts that pre-tokenizers are made of: a pass cuts a text into pieces that together are the text again.
// All passes are linear in the text, use constant stack and expect well-formed UTF-8 (utf8::repair).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/function_ref.h"
#include "vocab/unicode.h"
#include "vocab/utf8.h"

namespace cria::split {

// Receives pieces from left to right, none of them empty.
using Emit = FunctionRef<void(std::string_view piece)>;
using Pass = void (*)(std::string_view text, Emit emit);

// Applies the passes one after the other, each to every piece of the one before.
void cascade(std::span<const Pass> passes, std::string_view text, Emit emit);

// --- passes
// -------------------------------------------------------------------------------------------------------
// Written as the regular expressions they stand for. Text that no alternative matches is a piece of its own.

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
void gpt2(std::string_view text, Emit emit);

// Variants of: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//              |\s*[\r\n]+|\s+(?!\S)|\s+
void llama3(std::string_view text, Emit emit);
void qwen2(std::string_view text, Emit emit);       // single \p{N}
void qwen35(std::string_view text, Emit emit);      // ... and \p{M} counts as \p{L}
void bailing(std::string_view text, Emit emit);     // qwen2; its \s*[\r\n] matches the same
void seed_coder(std::string_view text, Emit emit);  // qwen2 without the newlines after symbols
void jais2(std::string_view text, Emit emit);       // llama3; runs of spaces cut to 512, 256, ... 4, 2, 1
void exaone_moe(std::string_view text, Emit emit);  // letters with marks, joined over single spaces
void tekken(std::string_view text, Emit emit);  // words cut at capitals, single \p{N}, [\r\n/]* after symbols
void gpt4o(std::string_view text, Emit emit);   // ... contractions stay with their word, \p{N}{1,3}
void youtu_words(std::string_view text, Emit emit);  // gpt4o with single \p{N}
void kimi_k2(std::string_view text, Emit emit);      // gpt4o with \p{Han}+ apart and [\r\n]* after symbols

// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
// ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
void deepseek3_words(std::string_view text, Emit emit);

void each_newline(std::string_view text, Emit emit);           // [\r\n]
void newline_runs(std::string_view text, Emit emit);           // \n+
void each_number(std::string_view text, Emit emit);            // \p{N}
void number_runs(std::string_view text, Emit emit);            // \p{N}+
void numbers_up_to_three(std::string_view text, Emit emit);    // \p{N}{1,3}
void three_ascii_digits(std::string_view text, Emit emit);     // [0-9][0-9][0-9]
void thousands(std::string_view text, Emit emit);              // \p{N}+ in threes, counted from the right
void thousands_of_digits(std::string_view text, Emit emit);    // the same for \p{Nd}
void thousands_at_word_end(std::string_view text, Emit emit);  // \d{1,3}(?=(?:\d{3})*\b)
void punctuation_default(std::string_view text, Emit emit);    // [\p{P}$+<=>^~|]+
void punctuation_falcon(std::string_view text, Emit emit);     // [\p{P}$+<=>^~|`]+
void each_punctuation(std::string_view text, Emit emit);       // [\p{P}!-/:-@\[-`{-~]
void final_spaces(std::string_view text, Emit emit);           // \s+$
void words_of_bloom(std::string_view text, Emit emit);         // " ?[^(\s|.,!?…。，、।۔،)]+"
void spaced_letters(std::string_view text, Emit emit);         // \s?\p{L}+
void spaced_punctuation(std::string_view text, Emit emit);     // \s?\p{P}+
void spaced_cased_letters(std::string_view text,
                          Emit emit);  // \s?[cased letters]+ as DeepSeek LLM lists them
void spaced_listed_punctuation(std::string_view text, Emit emit);  // \s?[!-/:-~！-／：-～‘-‟　-。]+
void cjk_runs_deepseek(std::string_view text, Emit emit);          // [一-龥ࠀ-一가-퟿]+
void cjk_runs_deepseek3(std::string_view text, Emit emit);         // [一-龥぀-ゟ゠-ヿ]+
void asian_runs_afmoe(std::string_view text, Emit emit);           // scripts written without spaces
void asian_runs_youtu(std::string_view text,
                      Emit emit);  // Hangul, Asian punctuation, Bopomofo, CJK and kana, each apart
void chameleon_sentinels(std::string_view text, Emit emit);  // <sentinel:[0-9]+>
void chameleon_images(std::string_view text, Emit emit);     // IMGIMG[A-I]{1,4}Z
void chameleon_indents(std::string_view text, Emit emit);    // [\t\n]|    |  (four or two spaces)

// --- tools for passes
// ---------------------------------------------------------------------------------------------

namespace detail {
constexpr uint16_t ascii_class(uint32_t c) {
    if (c >= 'A' && c <= 'Z') return unicode::kUpper;
    if (c >= 'a' && c <= 'z') return unicode::kLower;
    if (c >= '0' && c <= '9') return unicode::kDigit;
    if (c == '\r' || c == '\n') return unicode::kOther | unicode::kSpace | unicode::kNewline;
    if (c == ' ') return unicode::kSpace;
    if (c >= 9 && c <= 13) return unicode::kOther | unicode::kSpace;
    if (c < 32 || c == 127) return unicode::kOther;
    return std::string_view("$+<=>^`|~").find(static_cast<char>(c)) != std::string_view::npos
               ? unicode::kSymbol
               : unicode::kPunctuation;
}
constexpr std::array<uint16_t, 128> make_ascii_classes() {
    std::array<uint16_t, 128> table{};
    for (uint32_t c = 0; c < 128; ++c) table[c] = ascii_class(c);
    return table;
}
inline constexpr std::array<uint16_t, 128> kAsciiClasses = make_ascii_classes();
}  // namespace detail

// One character of a text. Past the end it has no bytes and no class.
struct Char {
    uint32_t code_point = 0;
    uint32_t n_bytes = 0;
    uint16_t classes = 0;

    bool in(uint32_t mask) const { return (classes & mask) != 0; }
};

inline Char char_at(std::string_view text, size_t at) {
    if (at >= text.size()) return {};
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) return {byte, 1, detail::kAsciiClasses[byte]};
    const utf8::Decoded decoded = utf8::decode(text.data() + at);
    return {decoded.code_point, decoded.n_bytes, unicode::classes(decoded.code_point)};
}

// The first place from `at` on whose character does not satisfy `is_member`; the end of the text at last.
template <typename IsMember>
size_t skip_while(std::string_view text, size_t at, IsMember is_member) {
    while (at < text.size()) {
        const Char c = char_at(text, at);
        if (!is_member(c)) break;
        at += c.n_bytes;
    }
    return at;
}
inline size_t skip_classes(std::string_view text, size_t at, uint32_t mask) {
    return skip_while(text, at, [mask](Char c) { return c.in(mask); });
}

// Emits the matches of match(at) -> end (`at` when nothing matches there), tried from left to right, and what
// is between.
template <typename Match>
void emit_matches(std::string_view text, Emit emit, Match match) {
    size_t gap = 0;
    for (size_t at = 0; at < text.size();) {
        const size_t end = match(at);
        if (end == at) {
            at += utf8::claimed_bytes(text[at]);
            continue;
        }
        if (gap < at) emit(text.substr(gap, at - gap));
        emit(text.substr(at, end - at));
        gap = at = end;
    }
    if (gap < text.size()) emit(text.substr(gap));
}

// \s*[\r\n]+|\s+(?!\S)|\s+ at a white space.
size_t match_spaces(std::string_view text, size_t at);

}  // namespace cria::split
