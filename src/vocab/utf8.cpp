// See utf8.h.
#include "vocab/utf8.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace cria {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Length of the sequence that starts the text, by the shape of its bytes alone; 0 when there is none.
size_t sequence_bytes(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    if (first < 0xc0 || first >= 0xf8) return 0;
    const size_t wanted = utf8::claimed_bytes(text[0]);
    if (text.size() < wanted) return 0;
    for (size_t i = 1; i < wanted; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    return wanted;
}

size_t shortest_bytes(uint32_t code_point) {
    return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

// Whether the text's first sequence is complete, as short as it can be and within Unicode; its length.
size_t well_formed_bytes(std::string_view text) {
    const size_t n_bytes = sequence_bytes(text);
    if (n_bytes < 2) return n_bytes;
    const uint32_t code_point = utf8::decode(text.data()).code_point;
    return code_point <= 0x10ffff && shortest_bytes(code_point) == n_bytes ? n_bytes : 0;
}

// Bytes from the start that need no repair.
size_t well_formed_prefix(std::string_view text) {
    size_t at = 0;
    while (at < text.size()) {
        uint64_t eight = 0;
        if (at + 8 <= text.size()) {
            std::memcpy(&eight, text.data() + at, 8);
            if ((eight & 0x8080808080808080u) == 0) {
                at += 8;
                continue;
            }
        }
        const size_t n_bytes = well_formed_bytes(text.substr(at));
        if (n_bytes == 0) break;
        at += n_bytes;
    }
    return at;
}

// How many bytes at the end are the beginning of a sequence that later bytes could complete.
size_t unfinished_bytes(std::string_view text) {
    const size_t longest = std::min<size_t>(3, text.size());
    for (size_t n = 1; n <= longest; ++n) {
        const char byte = text[text.size() - n];
        if (is_continuation(byte)) continue;
        const auto first = static_cast<unsigned char>(byte);
        return first >= 0xc2 && first < 0xf5 && utf8::claimed_bytes(byte) > n ? n : 0;
    }
    return 0;
}

}  // namespace

std::string Utf8Assembler::push(std::string_view bytes) {
    std::string text = std::move(pending_);
    text += bytes;
    const size_t held = unfinished_bytes(text);
    pending_.assign(text, text.size() - held);
    text.resize(text.size() - held);
    return text;
}

std::string Utf8Assembler::finish() {
    std::string rest = std::move(pending_);
    pending_.clear();
    return rest;
}

namespace utf8 {

void append(std::string& out, uint32_t code_point) {
    const auto put = [&out](uint32_t byte) { out += static_cast<char>(byte); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xc0 | code_point >> 6);
        put(0x80 | (code_point & 0x3f));
    } else if (code_point < 0x10000) {
        put(0xe0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3f));
        put(0x80 | (code_point & 0x3f));
    } else {
        put(0xf0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3f));
        put(0x80 | (code_point >> 6 & 0x3f));
        put(0x80 | (code_point & 0x3f));
    }
}

bool is_well_formed(std::string_view text) { return well_formed_prefix(text) == text.size(); }

std::string_view repair(std::string_view text, std::string& buffer) {
    size_t at = well_formed_prefix(text);
    if (at == text.size()) return text;
    buffer.assign(text, 0, at);
    while (at < text.size()) {
        const size_t n_bytes = sequence_bytes(text.substr(at));
        const uint32_t code_point = n_bytes == 0 ? 0xfffd : decode(text.data() + at).code_point;
        if (code_point > 0x10ffff) {
            fail(ErrorCode::invalid_argument,
                 "the text holds the code point {:#x} at byte {}, beyond the last one of Unicode (0x10ffff); "
                 "is it "
                 "UTF-8?",
                 code_point, at);
        }
        append(buffer, code_point);
        at += n_bytes == 0 ? 1 : n_bytes;
    }
    return buffer;
}

}  // namespace utf8
}  // namespace cria
