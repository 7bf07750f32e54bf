// The one question about UTF-8 that streaming has: does a text end inside a character?
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace cria::sampling {

// How many bytes at the end begin a character that is not complete yet: 0 to 3. Bytes that can never become
// one count as complete.
inline size_t incomplete_utf8_bytes(std::string_view text) {
    for (size_t n = 1; n <= std::min<size_t>(3, text.size()); ++n) {
        const auto byte = static_cast<uint8_t>(text[text.size() - n]);
        if ((byte & 0xC0) == 0x80) continue;  // a byte inside a character
        const size_t length = byte >= 0xF0 && byte <= 0xF4  ? 4
                              : byte >= 0xE0 && byte < 0xF0 ? 3
                              : byte >= 0xC2 && byte < 0xE0 ? 2
                                                            : 1;
        return length > n ? n : 0;
    }
    return 0;
}

}  // namespace cria::sampling
