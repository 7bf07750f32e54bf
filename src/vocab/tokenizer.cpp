// What several kinds of tokenizers share; see tokenizer.h.
#include "vocab/tokenizer.h"

#include "base/error.h"

namespace cria {

std::string space_marks_to_spaces(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const bool is_mark = text.substr(at, kSpaceMark.size()) == kSpaceMark;
        out += is_mark ? ' ' : text[at];
        at += is_mark ? kSpaceMark.size() : 1;
    }
    return out;
}

std::string spaces_to_space_marks(std::string_view text) {
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (const char c : text) {
        if (c == ' ') {
            out += kSpaceMark;
        } else {
            out += c;
        }
    }
    return out;
}

std::vector<int32_t> byte_token_ids(const TokenTable& table) {
    for (int32_t id = 0; id < table.size(); ++id) {
        if (table.has(id, kAttrByte) && parse_byte_token(table.text(id)) < 0) {
            fail(ErrorCode::invalid_file,
                 "token {} is of type byte, but its text is not of the form <0x00> to <0xFF>; the vocabulary "
                 "is damaged",
                 id);
        }
    }
    std::vector<int32_t> ids(256);
    for (int byte = 0; byte < 256; ++byte)
        ids[static_cast<size_t>(byte)] = table.find_byte(static_cast<uint8_t>(byte));
    return ids;
}

SpaceBoundaries::SpaceBoundaries(const TokenTable& table) {
    for (int32_t id = 0; id < table.size(); ++id) {
        const std::string_view text = table.text(id);
        for (size_t at = text.find(kSpaceMark, 1); at != std::string_view::npos;
             at = text.find(kSpaceMark, at + 1)) {
            if (at >= kSpaceMark.size() &&
                text.substr(at - kSpaceMark.size(), kSpaceMark.size()) == kSpaceMark)
                continue;
            joins_[static_cast<unsigned char>(text[at - 1])] = true;
        }
    }
}

}  // namespace cria
