// Properties of characters and the normal forms, from utf8proc's tables (Unicode 15).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cria::unicode {

// Sets of characters as bits, named as in regular expressions.
enum CharClass : uint16_t {
    kUpper = 1 << 0,        // Lu
    kLower = 1 << 1,        // Ll
    kTitle = 1 << 2,        // Lt
    kModifier = 1 << 3,     // Lm
    kOtherLetter = 1 << 4,  // Lo
    kMark = 1 << 5,         // M
    kDigit = 1 << 6,        // Nd
    kOtherNumber = 1 << 7,  // Nl, No
    kPunctuation = 1 << 8,  // P
    kSymbol = 1 << 9,       // S
    kSpace = 1 << 10,       // White_Space, which is what \s means
    kNewline = 1 << 11,     // \r and \n, which are kSpace too
    kOther = 1 << 12,       // C: control, format, surrogate, private use, unassigned

    kLetter = kUpper | kLower | kTitle | kModifier | kOtherLetter,
    kNumber = kDigit | kOtherNumber,
};

// The bits of a code point. Constant time, thread-safe.
uint16_t classes(uint32_t code_point);

// Combining marks that take no room (category Mn).
bool is_nonspacing_mark(uint32_t code_point);
// Whether Unicode gives the code point a meaning, or leaves it for private use.
bool is_assigned(uint32_t code_point);
// Han script.
bool is_han(uint32_t code_point);
uint32_t to_lower(uint32_t code_point);

// Canonical composition of well-formed text: `text` itself when it is composed already, otherwise the result
// in `buffer`. n log n even for a million combining marks in a row.
std::string_view nfc(std::string_view text, std::string& buffer);
// Canonical decomposition of well-formed text, as code points.
std::u32string nfd(std::string_view text);

}  // namespace cria::unicode
