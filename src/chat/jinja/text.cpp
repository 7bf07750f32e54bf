// UTF-8, character classes, and Python's way of writing floats and quoted strings.
#include "chat/jinja/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace cria::chat::jinja {
namespace {

// Case pairs come in two patterns: a fixed distance, or neighbours of which the upper one is even (or odd).
struct CaseRange {
    uint32_t first_upper, last_upper;
    uint32_t distance;  // 1: neighbours, every second code point is upper
};
constexpr CaseRange kCaseRanges[] = {
    {'A', 'Z', 32},       {0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},   {0x100, 0x12E, 1},   {0x132, 0x136, 1},
    {0x139, 0x147, 1},    {0x14A, 0x176, 1},  {0x179, 0x17D, 1},  {0x1CD, 0x1DB, 1},   {0x1DE, 0x1EE, 1},
    {0x1F8, 0x21E, 1},    {0x222, 0x232, 1},  {0x386, 0x386, 38}, {0x388, 0x38A, 37},  {0x391, 0x3A1, 32},
    {0x3A3, 0x3AB, 32},   {0x400, 0x40F, 80}, {0x410, 0x42F, 32}, {0x460, 0x480, 1},   {0x48A, 0x4BE, 1},
    {0x4C1, 0x4CD, 1},    {0x4D0, 0x52E, 1},  {0x531, 0x556, 48}, {0x1E00, 0x1E94, 1}, {0x1EA0, 0x1EFE, 1},
    {0xFF21, 0xFF3A, 32},
};

bool is_upper_in(const CaseRange& range, uint32_t code) {
    if (code < range.first_upper || code > range.last_upper) return false;
    return range.distance != 1 || (code - range.first_upper) % 2 == 0;
}

template <typename Mapping>
std::string mapped(std::string_view text, Mapping mapping) {
    std::string result;
    result.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        append_char(result, mapping(here.code));
        at += here.bytes;
    }
    return result;
}

}  // namespace

Char char_at(std::string_view text, size_t offset) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[offset + i]); };
    const uint8_t lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    const Char invalid{0xDC00u + lead, 1};
    const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || offset + length > text.size()) return invalid;
    uint32_t code = lead & (0xFFu >> (length + 1));
    for (uint32_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return invalid;
        code = code << 6 | (byte(i) & 0x3F);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return invalid;
    return {code, length};
}

void append_char(std::string& text, uint32_t code) {
    const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code >= 0xDC80 && code <= 0xDCFF) {
        put(code - 0xDC00);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6);
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

size_t count_chars(std::string_view text) {
    if (is_ascii(text)) return text.size();
    size_t n_chars = 0;
    for (size_t at = 0; at < text.size(); at += char_at(text, at).bytes) ++n_chars;
    return n_chars;
}

size_t char_offset(std::string_view text, size_t index) {
    size_t at = 0;
    for (; index > 0 && at < text.size(); --index) at += char_at(text, at).bytes;
    return at;
}

std::vector<std::string_view> split_chars(std::string_view text) {
    std::vector<std::string_view> chars;
    for (size_t at = 0; at < text.size();) {
        const size_t n_bytes = char_at(text, at).bytes;
        chars.push_back(text.substr(at, n_bytes));
        at += n_bytes;
    }
    return chars;
}

bool is_space(uint32_t code) {
    return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
           code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
           code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_digit(uint32_t code) { return code >= '0' && code <= '9'; }

// Beyond ASCII everything from the Latin-1 letters on counts as a letter, except punctuation, symbol and
// emoji blocks.
bool is_alpha(uint32_t code) {
    if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    if (code < 0xC0) return code == 0xAA || code == 0xB5 || code == 0xBA;
    if (code == 0xD7 || code == 0xF7) return false;
    const bool symbols = (code >= 0x2000 && code < 0x2C00) || (code >= 0x3000 && code < 0x3005) ||
                         (code >= 0x3008 && code < 0x3021) || (code >= 0xD800 && code < 0xF900) ||
                         (code >= 0xFF00 && code < 0xFF21) || code >= 0x1F000;
    return !symbols || (code >= 0x20000 && code < 0x32000);
}

bool is_upper(uint32_t code) { return lower_of(code) != code; }
bool is_lower(uint32_t code) { return upper_of(code) != code || code == 0xDF; }

uint32_t lower_of(uint32_t code) {
    for (const CaseRange& range : kCaseRanges) {
        if (is_upper_in(range, code)) return code + range.distance;
    }
    return code;
}

uint32_t upper_of(uint32_t code) {
    if (code == 0xFF) return 0x178;
    if (code == 0xB5) return 0x39C;
    if (code == 0x3C2) return 0x3A3;
    for (const CaseRange& range : kCaseRanges) {
        if (code >= range.distance && is_upper_in(range, code - range.distance)) return code - range.distance;
    }
    return code;
}

std::string to_upper(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        if (here.code == 0xDF) {
            result += "SS";
        } else {
            append_char(result, upper_of(here.code));
        }
        at += here.bytes;
    }
    return result;
}

std::string to_lower(std::string_view text) { return mapped(text, lower_of); }

std::string capitalized(std::string_view text) {
    if (text.empty()) return {};
    const size_t first = char_at(text, 0).bytes;
    return to_upper(text.substr(0, first)) + to_lower(text.substr(first));
}

std::string_view stripped(std::string_view text, Side side, const std::string* set) {
    const auto chars = set ? split_chars(*set) : std::vector<std::string_view>{};
    const auto goes = [&](std::string_view one) {
        if (!set) return is_space(char_at(one, 0).code);
        return std::find(chars.begin(), chars.end(), one) != chars.end();
    };
    while (side != Side::right && !text.empty()) {
        const size_t n_bytes = char_at(text, 0).bytes;
        if (!goes(text.substr(0, n_bytes))) break;
        text.remove_prefix(n_bytes);
    }
    while (side != Side::left && !text.empty()) {
        size_t start = text.size() - 1;
        while (start > 0 && text.size() - start < 4 && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80)
            --start;
        if (start + char_at(text, start).bytes != text.size()) start = text.size() - 1;
        if (!goes(text.substr(start))) break;
        text = text.substr(0, start);
    }
    return text;
}

std::string float_text(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
    const std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
    const size_t e = scientific.find('e');
    const int exponent = std::stoi(std::string(scientific.substr(e + 1)));
    if (exponent < -4 || exponent >= 16) return std::string(scientific);
    const auto fixed_end =
        std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed).ptr;
    std::string fixed(buffer, fixed_end);
    if (fixed.find('.') == std::string::npos) fixed += ".0";
    return fixed;
}

std::string html_escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&#34;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string quoted_text(std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    const bool has_double = text.find('"') != std::string_view::npos;
    const char quote = has_single && !has_double ? '"' : '\'';
    std::string result(1, quote);
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        switch (here.code) {
            case '\n':
                result += "\\n";
                break;
            case '\r':
                result += "\\r";
                break;
            case '\t':
                result += "\\t";
                break;
            case '\\':
                result += "\\\\";
                break;
            default:
                if (here.code == static_cast<uint8_t>(quote)) {
                    result += '\\';
                    result += quote;
                } else if (here.code < 0x20 || (here.code >= 0x7F && here.code <= 0xA0) ||
                           here.code == 0xAD) {
                    result += fmt::format("\\x{:02x}", here.code);
                } else if (here.code >= 0xDC80 && here.code <= 0xDCFF) {
                    result += fmt::format("\\u{:04x}", here.code);
                } else {
                    result.append(text.substr(at, here.bytes));
                }
        }
        at += here.bytes;
    }
    result += quote;
    return result;
}

}  // namespace cria::chat::jinja
