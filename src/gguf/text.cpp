// Quoting of names for messages.
#include "gguf/text.h"

#include <fmt/core.h>

namespace cria::gguf {

std::string quoted(std::string_view text) {
    constexpr size_t kShown = 80;
    std::string out = "'";
    for (const char character : text.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte >= 0x7f) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += character;
        }
    }
    out += text.size() > kShown ? "...'" : "'";
    return out;
}

}  // namespace cria::gguf
