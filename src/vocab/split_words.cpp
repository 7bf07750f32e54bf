// The pre-tokenizers in the manner of GPT-2 and of tiktoken's later vocabularies: one pass that knows words,
// numbers, symbols and spaces. The families differ in a few choices, which WordRules names.
#include "base/error.h"
#include "vocab/split.h"

namespace cria::split {
namespace {

using namespace unicode;

enum class Contractions { own_piece, with_word, none };
enum class Words {
    letters,            // \p{L}+
    letters_and_marks,  // [\p{L}\p{M}]+
    cased,   // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, or the same with + and * changed
             // about
    joined,  // \p{L}\p{M}*, over single spaces
};
enum class AfterSymbols { nothing, newlines, newlines_and_slashes, one_newline_or_slash };
enum class Spaces { plain, powers_of_two };

struct WordRules {
    Contractions contractions = Contractions::own_piece;
    Words words = Words::letters;
    int max_digits = 1;
    AfterSymbols after_symbols = AfterSymbols::newlines;
    Spaces spaces = Spaces::plain;
    bool han_apart = false;
};

constexpr uint32_t kUpperPart = kUpper | kTitle | kModifier | kOtherLetter | kMark;
constexpr uint32_t kLowerPart = kLower | kModifier | kOtherLetter | kMark;

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// 's 't 're 've 'm 'll 'd at `at`; returns the end, or `at`.
template <typename Fold>
size_t match_contraction(std::string_view text, size_t at, Fold fold) {
    if (at >= text.size() || text[at] != '\'') return at;
    const char first = at + 1 < text.size() ? fold(text[at + 1]) : '\0';
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
    const char second = at + 2 < text.size() ? fold(text[at + 2]) : '\0';
    if ((first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
        (first == 'l' && second == 'l')) {
        return at + 3;
    }
    return at;
}

class WordScanner {
  public:
    WordScanner(std::string_view text, const WordRules& rules) : text_(text), rules_(rules) {}

    // The end of the piece that starts at `at`, which is before the end of the text.
    size_t next(size_t at) {
        if (rules_.han_apart) {
            const size_t end = skip_while(text_, at, [](Char c) { return is_han(c.code_point); });
            if (end > at) return end;
        }
        if (rules_.contractions == Contractions::own_piece) {
            const size_t end = match_contraction(text_, at, ascii_lower);
            if (end > at) return end;
        }
        if (const size_t end = match_word(at); end > at) return end;
        if (char_at(text_, at).in(kNumber)) return match_number(at);
        if (const size_t end = match_symbols(at); end > at) return end;
        return rules_.spaces == Spaces::plain ? match_spaces(text_, at) : match_power_of_two(at);
    }

  private:
    uint16_t word_classes(size_t at) const {
        const Char c = char_at(text_, at);
        return rules_.han_apart && c.in(kOtherLetter | kModifier) && is_han(c.code_point) ? 0 : c.classes;
    }

    size_t match_word(size_t at) const {
        const Char first = char_at(text_, at);
        const bool may_be_prefix = !first.in(kLetter | kNumber | kNewline);
        const size_t after = at + first.n_bytes;
        if (rules_.words == Words::cased) return match_cased(at, may_be_prefix ? after : at);
        const auto letters = [this](size_t from) {
            if (rules_.words == Words::joined) return skip_joined(from);
            return skip_classes(text_, from, rules_.words == Words::letters ? kLetter : kLetter | kMark);
        };
        if (may_be_prefix) {
            const size_t end = letters(after);
            if (end > after) return end;
        }
        return letters(at);  // a mark is no letter to the prefix, but may be one to the word
    }

    size_t skip_joined(size_t at) const {
        while (char_at(text_, at).in(kLetter)) {
            at = skip_classes(text_, at + char_at(text_, at).n_bytes, kMark);
            if (at < text_.size() && text_[at] == ' ' && char_at(text_, at + 1).in(kLetter)) ++at;
        }
        return at;
    }

    // Both alternatives of the cased word, each first with the prefix, then without (begin = at).
    size_t match_cased(size_t at, size_t begin) const {
        size_t end = upper_then_lower(begin);
        if (end == begin && begin != at) end = upper_then_lower(begin = at);
        if (end == begin) {
            begin =
                at + (char_at(text_, at).in(kLetter | kNumber | kNewline) ? 0 : char_at(text_, at).n_bytes);
            end = capitals(begin);
            if (end == begin && begin != at) end = capitals(begin = at);
        }
        if (end == begin) return at;
        return rules_.contractions == Contractions::with_word ? match_contraction(text_, end, ascii_lower)
                                                              : end;
    }

    // U*L+: the run of U gives back what L needs, so the match ends with the last character that can be in L.
    size_t upper_then_lower(size_t begin) const {
        size_t last_lower_end = begin;
        size_t at = begin;
        uint16_t classes = word_classes(at);
        while ((classes & kUpperPart) != 0) {
            at += char_at(text_, at).n_bytes;
            if ((classes & kLowerPart) != 0) last_lower_end = at;
            classes = word_classes(at);
        }
        return (classes & kLowerPart) != 0 ? skip_word(at, kLowerPart) : last_lower_end;
    }

    // U+L*
    size_t capitals(size_t begin) const {
        const size_t end = skip_word(begin, kUpperPart);
        return end == begin ? begin : skip_word(end, kLowerPart);
    }

    size_t skip_word(size_t at, uint32_t mask) const {
        while ((word_classes(at) & mask) != 0) at += char_at(text_, at).n_bytes;
        return at;
    }

    size_t match_number(size_t at) const {
        for (int i = 0; i < rules_.max_digits && char_at(text_, at).in(kNumber); ++i)
            at += char_at(text_, at).n_bytes;
        return at;
    }

    size_t match_symbols(size_t at) const {
        const size_t begin = text_[at] == ' ' ? at + 1 : at;
        uint32_t excluded = kSpace | kLetter | kNumber;
        if (rules_.words == Words::letters_and_marks) excluded |= kMark;
        const size_t end = skip_while(text_, begin, [=](Char c) { return !c.in(excluded); });
        if (end == begin) return at;
        switch (rules_.after_symbols) {
            case AfterSymbols::nothing:
                return end;
            case AfterSymbols::newlines:
                return skip_classes(text_, end, kNewline);
            case AfterSymbols::newlines_and_slashes:
                return skip_while(text_, end, is_newline_or_slash);
            case AfterSymbols::one_newline_or_slash:
                return is_newline_or_slash(char_at(text_, end)) ? end + 1 : end;
        }
        CRIA_BUG_UNLESS(false);
        return end;
    }
    static bool is_newline_or_slash(Char c) { return c.in(kNewline) || c.code_point == '/'; }

    // \s{512}(?!\S)|\s{256}(?!\S)| ... |\s{4}(?!\S)|\s{1,2}(?!\S)|\s, after lines have been taken. The length
    // of the run is kept, since counting it for every piece would take quadratic time.
    size_t match_power_of_two(size_t at) {
        if (at >= run_end_) {
            const size_t line_end = match_spaces(text_, at);
            if (text_[line_end - 1] == '\n' || text_[line_end - 1] == '\r') return line_end;
            run_end_ = skip_classes(text_, at, kSpace);
            run_chars_ = 0;
            for (size_t i = at; i < run_end_; i += char_at(text_, i).n_bytes) ++run_chars_;
        }
        const size_t usable = run_end_ == text_.size() ? run_chars_ : run_chars_ - 1;
        size_t n_chars = 512;
        while (n_chars > 1 && n_chars > usable) n_chars /= 2;
        run_chars_ -= n_chars;
        for (size_t i = 0; i < n_chars; ++i) at += char_at(text_, at).n_bytes;
        return at;
    }

    std::string_view text_;
    const WordRules& rules_;
    size_t run_end_ = 0;    // of the white space being cut into powers of two
    size_t run_chars_ = 0;  // what is left of it
};

void scan(std::string_view text, Emit emit, const WordRules& rules) {
    WordScanner scanner(text, rules);
    for (size_t at = 0; at < text.size();) {
        const size_t end = scanner.next(at);
        CRIA_BUG_UNLESS(end > at);
        emit(text.substr(at, end - at));
        at = end;
    }
}

constexpr WordRules kLlama3{.max_digits = 3};
constexpr WordRules kQwen2{};
constexpr WordRules kQwen35{.words = Words::letters_and_marks};
constexpr WordRules kSeedCoder{.after_symbols = AfterSymbols::nothing};
constexpr WordRules kJais2{.max_digits = 3, .spaces = Spaces::powers_of_two};
constexpr WordRules kExaoneMoe{.words = Words::joined, .after_symbols = AfterSymbols::one_newline_or_slash};
constexpr WordRules kTekken{.contractions = Contractions::none,
                            .words = Words::cased,
                            .after_symbols = AfterSymbols::newlines_and_slashes};
constexpr WordRules kGpt4o{.contractions = Contractions::with_word,
                           .words = Words::cased,
                           .max_digits = 3,
                           .after_symbols = AfterSymbols::newlines_and_slashes};
constexpr WordRules kYoutu{.contractions = Contractions::with_word,
                           .words = Words::cased,
                           .after_symbols = AfterSymbols::newlines_and_slashes};
constexpr WordRules kKimiK2{
    .contractions = Contractions::with_word, .words = Words::cased, .max_digits = 3, .han_apart = true};

bool is_ascii_letter(Char c) { return c.code_point < 0x80 && c.in(kLetter); }
bool is_ascii_symbol(Char c) { return c.code_point < 0x80 && c.in(kPunctuation | kSymbol); }

}  // namespace

size_t match_spaces(std::string_view text, size_t at) {
    size_t end = at, last_char = at, line_end = at;
    for (Char c = char_at(text, end); c.in(kSpace); c = char_at(text, end)) {
        last_char = end;
        end += c.n_bytes;
        if (c.in(kNewline)) line_end = end;
    }
    if (line_end > at) return line_end;
    return end < text.size() && last_char > at ? last_char : end;
}

void gpt2(std::string_view text, Emit emit) {
    emit_matches(text, emit, [text](size_t at) {
        const size_t end = match_contraction(text, at, [](char c) { return c; });
        if (end > at) return end;
        const size_t begin = text[at] == ' ' ? at + 1 : at;
        const Char first = char_at(text, begin);
        if (first.in(kLetter)) return skip_classes(text, begin, kLetter);
        if (first.in(kNumber)) return skip_classes(text, begin, kNumber);
        if (first.n_bytes > 0 && !first.in(kSpace)) {
            return skip_while(text, begin, [](Char c) { return !c.in(kSpace | kLetter | kNumber); });
        }
        const size_t run_end = skip_classes(text, at, kSpace);
        if (run_end == text.size()) return run_end;
        size_t last_char = run_end - 1;
        while ((static_cast<unsigned char>(text[last_char]) & 0xc0) == 0x80) --last_char;
        return last_char > at ? last_char : run_end;
    });
}

void llama3(std::string_view text, Emit emit) { scan(text, emit, kLlama3); }
void qwen2(std::string_view text, Emit emit) { scan(text, emit, kQwen2); }
void qwen35(std::string_view text, Emit emit) { scan(text, emit, kQwen35); }
void bailing(std::string_view text, Emit emit) { scan(text, emit, kQwen2); }
void seed_coder(std::string_view text, Emit emit) { scan(text, emit, kSeedCoder); }
void jais2(std::string_view text, Emit emit) { scan(text, emit, kJais2); }
void exaone_moe(std::string_view text, Emit emit) { scan(text, emit, kExaoneMoe); }
void tekken(std::string_view text, Emit emit) { scan(text, emit, kTekken); }
void gpt4o(std::string_view text, Emit emit) { scan(text, emit, kGpt4o); }
void youtu_words(std::string_view text, Emit emit) { scan(text, emit, kYoutu); }
void kimi_k2(std::string_view text, Emit emit) { scan(text, emit, kKimiK2); }

void deepseek3_words(std::string_view text, Emit emit) {
    emit_matches(text, emit, [text](size_t at) {
        const Char first = char_at(text, at);
        const size_t after = at + first.n_bytes;
        if (is_ascii_symbol(first) && is_ascii_letter(char_at(text, after))) {
            return skip_while(text, after, is_ascii_letter);
        }
        if (!first.in(kNewline | kLetter | kPunctuation | kSymbol)) {
            const size_t end = skip_classes(text, after, kLetter | kMark);
            if (end > after) return end;
        }
        if (first.in(kLetter | kMark)) return skip_classes(text, at, kLetter | kMark);
        const size_t begin = text[at] == ' ' ? after : at;
        const size_t end = skip_classes(text, begin, kPunctuation | kSymbol);
        if (end > begin) return skip_classes(text, end, kNewline);
        return first.in(kSpace) ? match_spaces(text, at) : at;
    });
}

}  // namespace cria::split
