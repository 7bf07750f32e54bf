// Random walks through a grammar, for tests of properties.
#pragma once

#include <optional>
#include <random>
#include <string>

#include "grammar/matcher.h"

namespace cria::grammar::testing {

// Bytes that one may go on with, by 256 trials.
inline std::string allowed_bytes(const Matcher& matcher) {
    std::string bytes;
    for (int b = 0; b < 256; ++b) {
        const char byte = static_cast<char>(b);
        if (matcher.allows({&byte, 1})) bytes += byte;
    }
    return bytes;
}

// A complete text of the grammar, usually of less than a few hundred bytes: after `soft_limit` bytes whatever
// closes comes first. Nothing when it has not ended after 4000 bytes or there was no way on.
inline std::optional<std::string> random_text(Matcher matcher, std::mt19937& random,
                                              size_t soft_limit = 120) {
    std::string text;
    while (text.size() < 4000) {
        const std::string allowed = allowed_bytes(matcher);
        if (matcher.may_end() && (allowed.empty() || text.size() > soft_limit || random() % 4 == 0))
            return text;
        if (allowed.empty()) return std::nullopt;
        char byte = allowed[random() % allowed.size()];
        const bool wants_to_close = text.size() > soft_limit || random() % 5 == 0;
        if (wants_to_close) {
            const size_t closing = allowed.find_first_of("}]\"");
            if (closing != std::string::npos) byte = allowed[closing];
            // Opening more would never end.
            for (int i = 0; i < 20 && closing == std::string::npos &&
                            std::string_view("{[,").find(byte) != std::string_view::npos;
                 ++i) {
                byte = allowed[random() % allowed.size()];
            }
        }
        matcher.accept({&byte, 1});
        text += byte;
    }
    return std::nullopt;
}

}  // namespace cria::grammar::testing
