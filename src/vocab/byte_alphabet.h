// The alphabet of byte-level BPE: every byte has a printable character, in which tokens and merges are
// written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cria::byte_alphabet {

// The code point of a byte: itself where it is printable Latin-1, otherwise one from U+0100 on.
uint32_t code_point_of(uint8_t byte);
// The byte of a code point, or -1.
int byte_of(uint32_t code_point);

std::string encode(std::string_view bytes);
// Characters outside the alphabet are kept as they are, and so is text that is no UTF-8.
std::string decode(std::string_view text);

}  // namespace cria::byte_alphabet
