// The lexer walks the text once: find the next tag, emit the data before it, then cut what is inside the tag.
#include "chat/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "chat/jinja/error.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

constexpr std::array<std::string_view, 29> kOperators = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(",
    ")",  "{",  "}",  ">",  "<",  "=",  ".", ":", "|", ",", ";", "!", "&", "^"};
constexpr size_t kUsedOperators = 26;  // the rest is not part of the language

std::string with_plain_newlines(std::string_view source) {
    std::string text;
    text.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r') {
            text += '\n';
            if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
        } else {
            text += source[i];
        }
    }
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

bool is_name_char(uint32_t code) { return code == '_' || is_digit(code) || is_alpha(code); }

class Lexer {
  public:
    explicit Lexer(std::string_view source) : text_(with_plain_newlines(source)) {}

    std::vector<Token> run() {
        while (at_ < text_.size()) lex_data();
        emit(TokenKind::end, {});
        return std::move(tokens_);
    }

  private:
    void emit(TokenKind kind, std::string text) { tokens_.push_back({kind, std::move(text), line_}); }
    [[noreturn]] void fail_here(const std::string& message) const {
        throw TemplateError("TemplateSyntaxError", message, line_);
    }
    void advance(size_t n_bytes) {
        line_ +=
            static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(at_ + n_bytes), '\n'));
        at_ += n_bytes;
    }
    bool sees(std::string_view what) const { return std::string_view(text_).substr(at_).starts_with(what); }
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void skip_space() {
        size_t n = 0;
        while (at_ + n < text_.size() && is_space(char_at(text_, at_ + n).code))
            n += char_at(text_, at_ + n).bytes;
        advance(n);
    }

    // The next "{{", "{%" or "{#" from `from` on, or the end.
    size_t find_tag(size_t from) const {
        for (size_t i = text_.find('{', from); i != std::string::npos; i = text_.find('{', i + 1)) {
            const char next = i + 1 < text_.size() ? text_[i + 1] : '\0';
            if (next == '{' || next == '%' || next == '#') return i;
        }
        return text_.size();
    }

    // Emits text_[at_, end) as data after the white space rules of the tag that stands at `end`; `sign` is
    // '-', '+' or 0.
    void emit_data(size_t end, char sign, bool is_block) {
        std::string_view data = std::string_view(text_).substr(at_, end - at_);
        if (sign == '-') {
            data = stripped(data, Side::right);
        } else if (sign != '+' && is_block) {
            const size_t newline = data.rfind('\n');
            const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
            const bool starts_line = newline != std::string_view::npos || at_line_start_;
            if (starts_line && stripped(data.substr(line_start), Side::both).empty())
                data = data.substr(0, line_start);
        }
        if (!data.empty()) emit(TokenKind::data, std::string(data));
        advance(end - at_);
    }

    void lex_data() {
        const size_t tag = find_tag(at_);
        if (tag == text_.size()) {
            emit_data(tag, '+', false);
            return;
        }
        const char kind = text_[tag + 1];
        const char after = tag + 2 < text_.size() ? text_[tag + 2] : '\0';
        const char sign = after == '-' || after == '+' ? after : '\0';
        emit_data(tag, sign, kind != '{');
        advance(2);
        if (kind == '#') {
            lex_comment();
        } else if (kind != '%' || !lex_raw()) {
            if (sign) advance(1);
            emit(kind == '%' ? TokenKind::block_begin : TokenKind::print_begin, {});
            lex_inside(kind == '%');
        }
    }

    // After the closing bracket of a block or comment, which stands at at_ - 2.
    void after_block(char sign) {
        const size_t before = at_;
        if (sign == '-') {
            skip_space();
        } else if (sign != '+' && peek() == '\n') {
            advance(1);
        }
        at_line_start_ = at_ > before && text_[at_ - 1] == '\n';
    }

    void lex_comment() {
        const size_t close = text_.find("#}", at_);
        if (close == std::string::npos) fail_here("Missing end of comment tag");
        const char before = close > at_ ? text_[close - 1] : '\0';
        advance(close + 2 - at_);
        after_block(before);
    }

    // Length of `sign? spaces word spaces sign? %}` at `from`, or 0; *sign is the closing one.
    size_t match_block_tag(size_t from, std::string_view word, char* closing_sign) const {
        size_t i = from;
        const auto skip_blank = [&] {
            while (i < text_.size() && is_space(static_cast<uint8_t>(text_[i]))) ++i;
        };
        if (i < text_.size() && (text_[i] == '-' || text_[i] == '+')) ++i;
        skip_blank();
        if (text_.compare(i, word.size(), word) != 0) return 0;
        i += word.size();
        skip_blank();
        *closing_sign = '\0';
        if (i < text_.size() && (text_[i] == '-' || text_[i] == '+')) *closing_sign = text_[i++];
        if (text_.compare(i, 2, "%}") != 0) return 0;
        return i + 2 - from;
    }

    // If a raw block begins here, just after "{%": everything up to {% endraw %} is data.
    bool lex_raw() {
        char sign = '\0';
        const size_t n_open = match_block_tag(at_, "raw", &sign);
        if (n_open == 0) return false;
        advance(n_open);
        at_line_start_ = false;
        if (sign == '-') skip_space();
        for (size_t tag = text_.find("{%", at_); tag != std::string::npos; tag = text_.find("{%", tag + 2)) {
            const size_t n_close = match_block_tag(tag + 2, "endraw", &sign);
            if (n_close == 0) continue;
            const char opening = text_[tag + 2];
            emit_data(tag, opening == '-' || opening == '+' ? opening : '\0', true);
            advance(2 + n_close);
            after_block(sign);
            return true;
        }
        fail_here("Missing end of raw directive");
    }

    // Tokens up to the closing bracket. A "}}" inside { } of an expression is two operators.
    void lex_inside(bool is_block) {
        const std::string_view close = is_block ? "%}" : "}}";
        brackets_.clear();
        while (true) {
            skip_space();
            if (at_ >= text_.size()) return;
            if (brackets_.empty() && lex_close(close, is_block)) return;
            lex_token();
        }
    }

    bool lex_close(std::string_view close, bool is_block) {
        const char sign = peek() == '-' || (is_block && peek() == '+') ? peek() : '\0';
        const size_t n_sign = sign ? 1 : 0;
        if (text_.compare(at_ + n_sign, 2, close) != 0) return false;
        emit(is_block ? TokenKind::block_end : TokenKind::print_end, {});
        advance(n_sign + 2);
        if (is_block) {
            after_block(sign);
        } else {
            const size_t before = at_;
            if (sign == '-') skip_space();
            at_line_start_ = at_ > before && text_[at_ - 1] == '\n';
        }
        return true;
    }

    void lex_token() {
        const char c = peek();
        if (c == '\'' || c == '"') return lex_string(c);
        if (is_digit(static_cast<uint8_t>(c))) return lex_number();
        if (is_name_char(char_at(text_, at_).code)) return lex_name();
        for (size_t i = 0; i < kUsedOperators; ++i) {
            if (!sees(kOperators[i])) continue;
            track_bracket(kOperators[i]);
            emit(TokenKind::op, std::string(kOperators[i]));
            advance(kOperators[i].size());
            return;
        }
        fail_here(fmt::format("unexpected char {} at {}",
                              quoted_text(std::string_view(text_).substr(at_, char_at(text_, at_).bytes)),
                              count_chars(std::string_view(text_).substr(0, at_))));
    }

    void track_bracket(std::string_view op) {
        if (op == "(") brackets_ += ')';
        if (op == "[") brackets_ += ']';
        if (op == "{") brackets_ += '}';
        if (op != ")" && op != "]" && op != "}") return;
        if (brackets_.empty()) fail_here(fmt::format("unexpected '{}'", op));
        if (brackets_.back() != op[0])
            fail_here(fmt::format("unexpected '{}', expected '{}'", op, brackets_.back()));
        brackets_.pop_back();
    }

    void lex_name() {
        size_t end = at_;
        while (end < text_.size() && is_name_char(char_at(text_, end).code)) end += char_at(text_, end).bytes;
        emit(TokenKind::name, text_.substr(at_, end - at_));
        advance(end - at_);
    }

    size_t digits_end(size_t from) const {
        size_t end = from;
        while (end < text_.size() && (is_digit(static_cast<uint8_t>(text_[end])) || text_[end] == '_')) ++end;
        return end;
    }

    void lex_number() {
        const bool after_dot =
            !tokens_.empty() && tokens_.back().kind == TokenKind::op && tokens_.back().text == ".";
        const auto digit_at = [&](size_t i) {
            return i < text_.size() && is_digit(static_cast<uint8_t>(text_[i]));
        };
        size_t end = digits_end(at_);
        bool is_float = false;
        const char prefix = static_cast<char>(peek(1) | 0x20);
        if (peek() == '0' && (prefix == 'x' || prefix == 'o' || prefix == 'b')) {
            end = at_ + 2;
            while (end < text_.size() && std::isxdigit(static_cast<uint8_t>(text_[end]))) ++end;
        } else if (!after_dot) {
            if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) {
                end = digits_end(end + 1);
                is_float = true;
            }
            if (end < text_.size() && (text_[end] | 0x20) == 'e') {
                const size_t sign =
                    end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-') ? 1 : 0;
                if (digit_at(end + 1 + sign)) {
                    end = digits_end(end + 1 + sign);
                    is_float = true;
                }
            }
        }
        std::string digits = text_.substr(at_, end - at_);
        digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
        emit(is_float ? TokenKind::floating : TokenKind::integer, std::move(digits));
        advance(end - at_);
    }

    void lex_string(char quote) {
        const size_t start = at_;
        size_t i = at_ + 1;
        std::string value;
        while (i < text_.size() && text_[i] != quote) {
            if (text_[i] == '\\' && i + 1 < text_.size()) {
                i = unescape(i + 1, value);
            } else {
                value += text_[i++];
            }
        }
        if (i >= text_.size()) {
            fail_here(fmt::format("unexpected char {} at {}",
                                  quoted_text(std::string_view(text_).substr(start, 1)),
                                  count_chars(std::string_view(text_).substr(0, start))));
        }
        emit(TokenKind::string, std::move(value));
        advance(i + 1 - at_);
    }

    // The escape whose letter stands at i; appends what it means and returns where it ends.
    size_t unescape(size_t i, std::string& value) const {
        constexpr std::string_view kLetters = "ntrabfv\\'\"";
        constexpr std::string_view kMeanings = "\n\t\r\a\b\f\v\\'\"";
        const char letter = text_[i];
        const size_t simple = kLetters.find(letter);
        if (simple != std::string_view::npos) {
            value += kMeanings[simple];
            return i + 1;
        }
        if (letter == '\n') return i + 1;
        if (letter >= '0' && letter <= '7') return unescape_number(i, {.max_digits = 3, .base = 8}, value);
        if (letter == 'x') return unescape_number(i + 1, {.max_digits = 2, .min_digits = 2}, value);
        if (letter == 'u') return unescape_number(i + 1, {.max_digits = 4, .min_digits = 4}, value);
        if (letter == 'U') return unescape_number(i + 1, {.max_digits = 8, .min_digits = 8}, value);
        value += '\\';
        return i;
    }

    struct Escape {
        size_t max_digits;
        size_t min_digits = 1;
        uint32_t base = 16;
    };
    size_t unescape_number(size_t i, Escape escape, std::string& value) const {
        uint32_t code = 0;
        size_t n_digits = 0;
        for (; n_digits < escape.max_digits && i < text_.size(); ++n_digits, ++i) {
            const char c = text_[i];
            const uint32_t lower = static_cast<uint32_t>(c | 0x20);
            const uint32_t digit = c >= '0' && c <= '9'           ? static_cast<uint32_t>(c - '0')
                                   : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                                                  : 99;
            if (digit >= escape.base) break;
            code = code * escape.base + digit;
        }
        if (n_digits < escape.min_digits) fail_here("truncated escape sequence in a string");
        if (code > 0x10FFFF) fail_here("illegal Unicode character in a string");
        append_char(value, code);
        return i;
    }

    std::string text_;
    size_t at_ = 0;
    int line_ = 1;
    bool at_line_start_ = true;  // the data that follows begins a line
    std::string brackets_;       // the closing brackets still owed inside a tag
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace cria::chat::jinja
