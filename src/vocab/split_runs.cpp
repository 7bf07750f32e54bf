// The simple passes: runs and single characters of a class, groups of digits, and the odd formats of a few
// models.
#include <algorithm>

#include "vocab/split.h"

namespace cria::split {
namespace {

using namespace unicode;

struct Range {
    uint32_t first, last;
};

template <size_t N>
bool in_ranges(const Range (&ranges)[N], uint32_t code_point) {
    const Range* after = std::upper_bound(std::begin(ranges), std::end(ranges), code_point,
                                          [](uint32_t c, const Range& range) { return c < range.first; });
    return after != std::begin(ranges) && code_point <= (after - 1)->last;
}

// The letters with case that DeepSeek LLM's tokenizer lists.
constexpr Range kCasedLetters[] = {
    {0x41, 0x5a},       {0x61, 0x7a},       {0xb5, 0xb5},       {0xc0, 0xd6},       {0xd8, 0xf6},
    {0xf8, 0x1ba},      {0x1bc, 0x1bf},     {0x1c4, 0x293},     {0x295, 0x2af},     {0x370, 0x373},
    {0x376, 0x377},     {0x37b, 0x37d},     {0x37f, 0x37f},     {0x386, 0x386},     {0x388, 0x38a},
    {0x38c, 0x38c},     {0x38e, 0x3a1},     {0x3a3, 0x3f5},     {0x3f7, 0x481},     {0x48a, 0x52f},
    {0x531, 0x556},     {0x10a0, 0x10c5},   {0x13a0, 0x13f5},   {0x13f8, 0x13fd},   {0x1c90, 0x1cba},
    {0x1cbd, 0x1cbf},   {0x1d00, 0x1d2b},   {0x1d6b, 0x1d77},   {0x1d79, 0x1d9a},   {0x1e00, 0x1f15},
    {0x1f18, 0x1f1d},   {0x1f20, 0x1f45},   {0x1f48, 0x1f4d},   {0x1f50, 0x1f57},   {0x1f59, 0x1f59},
    {0x1f5b, 0x1f5b},   {0x1f5d, 0x1f5d},   {0x1f5f, 0x1f7d},   {0x1f80, 0x1fb4},   {0x1fb6, 0x1fbc},
    {0x1fbe, 0x1fbe},   {0x1fc2, 0x1fc4},   {0x1fc6, 0x1fcc},   {0x1fd0, 0x1fd3},   {0x1fd6, 0x1fdb},
    {0x1fe0, 0x1fec},   {0x1ff2, 0x1ff4},   {0x1ff6, 0x1ffc},   {0x2102, 0x2102},   {0x2107, 0x2107},
    {0x210a, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211d},   {0x2124, 0x2124},   {0x2126, 0x2126},
    {0x2128, 0x2128},   {0x212a, 0x212d},   {0x212f, 0x2134},   {0x2139, 0x2139},   {0x213c, 0x213f},
    {0x2145, 0x2149},   {0x214e, 0x214e},   {0x2183, 0x2184},   {0x2c00, 0x2c7b},   {0x2c7e, 0x2ce4},
    {0x2ceb, 0x2cee},   {0x2cf2, 0x2cf3},   {0xa640, 0xa66d},   {0xa680, 0xa69b},   {0xa722, 0xa76f},
    {0xa771, 0xa787},   {0xa78b, 0xa78e},   {0xab70, 0xabbf},   {0xfb00, 0xfb06},   {0xfb13, 0xfb17},
    {0xff21, 0xff3a},   {0xff41, 0xff5a},   {0x10400, 0x1044f}, {0x104b0, 0x104d3}, {0x104d8, 0x104fb},
    {0x10c80, 0x10cb2}, {0x10cc0, 0x10cf2}, {0x118a0, 0x118df}, {0x1e900, 0x1e943}};

constexpr Range kListedPunctuation[] = {{'!', '/'},       {':', '~'},       {0x2018, 0x201f},
                                        {0x3000, 0x3002}, {0xff01, 0xff0f}, {0xff1a, 0xff5e}};
constexpr Range kCjkDeepseek[] = {{0x800, 0x9fa5}, {0xac00, 0xd7ff}};
constexpr Range kCjkAndKana[] = {{0x3040, 0x30ff}, {0x4e00, 0x9fa5}};
constexpr Range kAsianAfmoe[] = {{0xe40, 0xeff},   {0x1000, 0x109f}, {0x1100, 0x11ff}, {0x1780, 0x17ff},
                                 {0x2f00, 0x2fdf}, {0x3040, 0x30ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff},
                                 {0xa9e0, 0xa9ff}, {0xaa60, 0xaa7f}, {0xac00, 0xd7af}, {0xf900, 0xfaff},
                                 {0xff65, 0xff9f}};
constexpr Range kHangulYoutu[] = {{0x3131, 0x318e}, {0xac00, 0xd7a3}};
constexpr Range kAsianPunctuationYoutu[] = {{0x2014, 0x2014}, {0x2018, 0x2019}, {0x201c, 0x201d},
                                            {0x2026, 0x2026}, {0x3001, 0x303f}, {0xfe30, 0xfe4f},
                                            {0xff01, 0xff01}, {0xff0c, 0xff0c}, {0xff1a, 0xff1b}};
constexpr Range kBopomofo[] = {{0x3105, 0x312f}};

template <size_t N>
auto member_of(const Range (&ranges)[N]) {
    return [&ranges](Char c) { return in_ranges(ranges, c.code_point); };
}

template <typename IsMember>
void emit_runs(std::string_view text, Emit emit, IsMember is_member) {
    emit_matches(text, emit, [=](size_t at) { return skip_while(text, at, is_member); });
}

template <typename IsMember>
void emit_singles(std::string_view text, Emit emit, IsMember is_member) {
    emit_matches(text, emit, [=](size_t at) {
        const Char c = char_at(text, at);
        return is_member(c) ? at + c.n_bytes : at;
    });
}

// \s?[members]+
template <typename IsMember>
void emit_spaced_runs(std::string_view text, Emit emit, IsMember is_member) {
    emit_matches(text, emit, [=](size_t at) {
        const Char first = char_at(text, at);
        if (first.in(kSpace)) {
            const size_t begin = at + first.n_bytes;
            const size_t end = skip_while(text, begin, is_member);
            if (end > begin) return end;
        }
        return skip_while(text, at, is_member);
    });
}

bool is_digit(Char c) { return c.in(kDigit); }
bool is_number(Char c) { return c.in(kNumber); }
bool is_word(Char c) {
    const uint32_t p = c.code_point;  // connectors are punctuation that joins words
    return c.in(kLetter | kMark | kNumber) || p == '_' || p == 0x203f || p == 0x2040 || p == 0x2054 ||
           p == 0xfe33 || p == 0xfe34 || (p >= 0xfe4d && p <= 0xfe4f) || p == 0xff3f;
}
bool is_default_punctuation(Char c) {
    return c.in(kPunctuation) || (c.code_point < 0x80 && c.in(kSymbol) && c.code_point != '`');
}

// Runs of members cut into threes so that the last is complete. A run that `accepts_end` does not like is
// left alone.
template <typename IsMember, typename AcceptsEnd>
void emit_thousands(std::string_view text, Emit emit, IsMember is_member, AcceptsEnd accepts_end) {
    size_t run_end = 0, run_chars = 0;
    bool accepted = false;
    emit_matches(text, emit, [&](size_t at) {
        if (at >= run_end) {
            run_chars = 0;
            run_end = skip_while(text, at, [&](Char c) { return is_member(c) && ++run_chars > 0; });
            if (run_end == at) return at;
            accepted = accepts_end(char_at(text, run_end));
        }
        if (!accepted) return at;
        const size_t n_chars = run_chars % 3 == 0 ? 3 : run_chars % 3;
        run_chars -= n_chars;
        for (size_t i = 0; i < n_chars; ++i) at += char_at(text, at).n_bytes;
        return at;
    });
}

// A fixed beginning, then `min` to `max` members, then a fixed end.
struct Bracketed {
    std::string_view before, after;
    size_t max;
};
template <typename IsMember>
void emit_bracketed(std::string_view text, Emit emit, const Bracketed& form, IsMember is_member) {
    emit_matches(text, emit, [&](size_t at) {
        if (text.substr(at, form.before.size()) != form.before) return at;
        const size_t begin = at + form.before.size();
        size_t end = begin;
        while (end < text.size() && end - begin < form.max && is_member(text[end])) ++end;
        return end > begin && text.substr(end, form.after.size()) == form.after ? end + form.after.size()
                                                                                : at;
    });
}

}  // namespace

void cascade(std::span<const Pass> passes, std::string_view text, Emit emit) {
    if (passes.empty()) {
        if (!text.empty()) emit(text);
        return;
    }
    if (passes.size() == 1) return passes[0](text, emit);
    passes[0](text, [&](std::string_view piece) { cascade(passes.subspan(1), piece, emit); });
}

void each_newline(std::string_view text, Emit emit) {
    emit_singles(text, emit, [](Char c) { return c.in(kNewline); });
}
void newline_runs(std::string_view text, Emit emit) {
    emit_runs(text, emit, [](Char c) { return c.code_point == '\n'; });
}
void each_number(std::string_view text, Emit emit) { emit_singles(text, emit, is_number); }
void number_runs(std::string_view text, Emit emit) { emit_runs(text, emit, is_number); }
void numbers_up_to_three(std::string_view text, Emit emit) {
    emit_matches(text, emit, [=](size_t at) {
        for (int i = 0; i < 3 && is_number(char_at(text, at)); ++i) at += char_at(text, at).n_bytes;
        return at;
    });
}
void three_ascii_digits(std::string_view text, Emit emit) {
    emit_matches(text, emit, [=](size_t at) {
        const std::string_view three = text.substr(at, 3);
        const bool digits =
            std::all_of(three.begin(), three.end(), [](char c) { return c >= '0' && c <= '9'; });
        return three.size() == 3 && digits ? at + 3 : at;
    });
}
void thousands(std::string_view text, Emit emit) {
    emit_thousands(text, emit, is_number, [](Char) { return true; });
}
void thousands_of_digits(std::string_view text, Emit emit) {
    emit_thousands(text, emit, is_digit, [](Char) { return true; });
}
void thousands_at_word_end(std::string_view text, Emit emit) {
    emit_thousands(text, emit, is_digit, [](Char next) { return !is_word(next); });
}

void punctuation_default(std::string_view text, Emit emit) { emit_runs(text, emit, is_default_punctuation); }
void punctuation_falcon(std::string_view text, Emit emit) {
    emit_runs(text, emit, [](Char c) { return is_default_punctuation(c) || c.code_point == '`'; });
}
void each_punctuation(std::string_view text, Emit emit) {
    emit_singles(text, emit,
                 [](Char c) { return c.in(kPunctuation) || (c.code_point < 0x80 && c.in(kSymbol)); });
}

void final_spaces(std::string_view text, Emit emit) {
    size_t begin = 0;
    for (size_t at = 0; at < text.size();) {
        const Char c = char_at(text, at);
        at += c.n_bytes;
        if (!c.in(kSpace)) begin = at;
    }
    if (begin > 0) emit(text.substr(0, begin));
    if (begin < text.size()) emit(text.substr(begin));
}

void words_of_bloom(std::string_view text, Emit emit) {
    constexpr std::u32string_view kSeparators = U"(|.,!?)\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c";
    const auto is_member = [=](Char c) {
        return !c.in(kSpace) &&
               kSeparators.find(static_cast<char32_t>(c.code_point)) == std::u32string_view::npos;
    };
    emit_matches(text, emit, [=](size_t at) {
        const size_t begin = text[at] == ' ' ? at + 1 : at;
        const size_t end = skip_while(text, begin, is_member);
        return end > begin ? end : at;
    });
}

void spaced_letters(std::string_view text, Emit emit) {
    emit_spaced_runs(text, emit, [](Char c) { return c.in(kLetter); });
}
void spaced_punctuation(std::string_view text, Emit emit) {
    emit_spaced_runs(text, emit, [](Char c) { return c.in(kPunctuation); });
}
void spaced_cased_letters(std::string_view text, Emit emit) {
    emit_spaced_runs(text, emit, member_of(kCasedLetters));
}
void spaced_listed_punctuation(std::string_view text, Emit emit) {
    emit_spaced_runs(text, emit, member_of(kListedPunctuation));
}

void cjk_runs_deepseek(std::string_view text, Emit emit) { emit_runs(text, emit, member_of(kCjkDeepseek)); }
void cjk_runs_deepseek3(std::string_view text, Emit emit) { emit_runs(text, emit, member_of(kCjkAndKana)); }
void asian_runs_afmoe(std::string_view text, Emit emit) { emit_runs(text, emit, member_of(kAsianAfmoe)); }
void asian_runs_youtu(std::string_view text, Emit emit) {
    emit_matches(text, emit, [text](size_t at) {
        const uint32_t first = char_at(text, at).code_point;
        if (in_ranges(kHangulYoutu, first)) return skip_while(text, at, member_of(kHangulYoutu));
        if (in_ranges(kAsianPunctuationYoutu, first))
            return skip_while(text, at, member_of(kAsianPunctuationYoutu));
        if (in_ranges(kBopomofo, first)) return skip_while(text, at, member_of(kBopomofo));
        return skip_while(text, at, member_of(kCjkAndKana));
    });
}

void chameleon_sentinels(std::string_view text, Emit emit) {
    emit_bracketed(text, emit, {"<sentinel:", ">", text.size()}, [](char c) { return c >= '0' && c <= '9'; });
}
void chameleon_images(std::string_view text, Emit emit) {
    emit_bracketed(text, emit, {"IMGIMG", "Z", 4}, [](char c) { return c >= 'A' && c <= 'I'; });
}
void chameleon_indents(std::string_view text, Emit emit) {
    emit_matches(text, emit, [text](size_t at) {
        if (text[at] == '\t' || text[at] == '\n') return at + 1;
        if (text.substr(at, 4) == "    ") return at + 4;
        return text.substr(at, 2) == "  " ? at + 2 : at;
    });
}

}  // namespace cria::split
