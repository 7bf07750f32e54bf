// See byte_alphabet.h.
#include "vocab/byte_alphabet.h"

#include <array>

#include "vocab/utf8.h"

namespace cria::byte_alphabet {
namespace {

constexpr bool is_printable(uint32_t byte) {
    return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

struct Tables {
    std::array<uint16_t, 256> code_points{};
    std::array<int16_t, 0x144> bytes{};  // by code point; the last one is U+0143

    constexpr Tables() {
        bytes.fill(-1);
        uint32_t next = 0x100;
        for (uint32_t byte = 0; byte < 256; ++byte) {
            const uint32_t code_point = is_printable(byte) ? byte : next++;
            code_points[byte] = static_cast<uint16_t>(code_point);
            bytes[code_point] = static_cast<int16_t>(byte);
        }
    }
};
constexpr Tables kTables;

}  // namespace

uint32_t code_point_of(uint8_t byte) { return kTables.code_points[byte]; }

int byte_of(uint32_t code_point) {
    return code_point < kTables.bytes.size() ? kTables.bytes[code_point] : -1;
}

std::string encode(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) utf8::append(text, code_point_of(static_cast<uint8_t>(byte)));
    return text;
}

std::string decode(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    if (!utf8::is_well_formed(text)) return std::string(text);
    for (size_t at = 0; at < text.size();) {
        const utf8::Decoded c = utf8::decode(text.data() + at);
        const int byte = byte_of(c.code_point);
        if (byte >= 0) {
            bytes += static_cast<char>(byte);
        } else {
            bytes += text.substr(at, c.n_bytes);
        }
        at += c.n_bytes;
    }
    return bytes;
}

}  // namespace cria::byte_alphabet
