// UTF-8 as tokenizers need it: decoding of text known to be well-formed, repair of text that is not, and the
// assembler that turns the pieces of a stream into whole characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cria {

// Holds back the beginning of a character until its last byte has come, so that everything handed out can be
// shown at once. Bytes that can never become a character are handed out as they are: what comes out always
// adds up to what went in. Not thread-safe.
class Utf8Assembler {
  public:
    // Adds bytes; returns what is complete now.
    std::string push(std::string_view bytes);
    // Ends the stream: returns what was held back (at most three bytes), complete or not.
    std::string finish();
    // The bytes held back now.
    std::string_view pending() const { return pending_; }

  private:
    std::string pending_;
};

namespace utf8 {

struct Decoded {
    uint32_t code_point;
    uint32_t n_bytes;
};

// The character at `at`, which must be the start of a complete sequence (text that repair() has passed).
inline Decoded decode(const char* at) {
    const auto byte = [at](int i) { return static_cast<uint32_t>(static_cast<unsigned char>(at[i])); };
    const uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first < 0xe0) return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
    if (first < 0xf0) return {(first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
    return {(first & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4};
}

// Bytes that a sequence with this first byte claims; 1 for bytes that start none.
inline uint32_t claimed_bytes(char first) {
    const auto byte = static_cast<unsigned char>(first);
    if (byte < 0xc0) return 1;
    return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Whether decode() works everywhere in the text.
bool is_well_formed(std::string_view text);

// Appends a code point up to U+10FFFF (surrogates as the three bytes they would have).
void append(std::string& out, uint32_t code_point);

// Text in which decode() works everywhere: `text` itself when it is well-formed, otherwise a repaired copy in
// `buffer`. Every byte that belongs to no sequence becomes U+FFFD; overlong forms are shortened; surrogates
// stay (they are characters of their own to tokenizers). Throws Error{invalid_argument} for a sequence beyond
// U+10FFFF.
std::string_view repair(std::string_view text, std::string& buffer);

}  // namespace utf8
}  // namespace cria
