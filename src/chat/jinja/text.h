// Text as Python sees it: strings are sequences of code points, stored here as UTF-8. A byte that is not part
// of valid UTF-8 counts as one character and is kept as it is. Upper and lower case are known for Latin,
// Greek and Cyrillic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cria::chat::jinja {

struct Char {
    uint32_t code;   // code point; 0xDC00 + byte for a byte that is not valid UTF-8
    uint32_t bytes;  // its length in the text, 1 to 4
};

// The character at byte `offset` (below text.size()).
Char char_at(std::string_view text, size_t offset);
void append_char(std::string& text, uint32_t code);

bool is_ascii(std::string_view text);
size_t count_chars(std::string_view text);
// The byte offset of character `index`; text.size() when there are fewer.
size_t char_offset(std::string_view text, size_t index);
std::vector<std::string_view> split_chars(std::string_view text);

bool is_space(uint32_t code);
bool is_digit(uint32_t code);
bool is_alpha(uint32_t code);
bool is_upper(uint32_t code);
bool is_lower(uint32_t code);
uint32_t upper_of(uint32_t code);
uint32_t lower_of(uint32_t code);

std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);
// First character upper, all others lower.
std::string capitalized(std::string_view text);

enum class Side { left, right, both };
// Without characters of `set` at the ends; white space when `set` is null.
std::string_view stripped(std::string_view text, Side side, const std::string* set = nullptr);

// "1.0", "1e+20", "0.30000000000000004", "inf": the shortest text that reads back as the same number, in
// Python's form.
std::string float_text(double number);
// &, <, >, " and ' as HTML entities.
std::string html_escaped(std::string_view text);
// The text in quotes, as Python's repr writes it.
std::string quoted_text(std::string_view text);

}  // namespace cria::chat::jinja
