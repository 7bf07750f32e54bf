// See unicode.h.
#include "vocab/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "vocab/utf8.h"

namespace cria::unicode {
namespace {

constexpr uint32_t kTableSize = 0x10000;  // the basic plane is looked up, the rest computed

bool is_white_space(uint32_t c) {
    return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
           c == 0x3000;
}

uint16_t category_class(uint32_t code_point) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
        case UTF8PROC_CATEGORY_LU:
            return kUpper;
        case UTF8PROC_CATEGORY_LL:
            return kLower;
        case UTF8PROC_CATEGORY_LT:
            return kTitle;
        case UTF8PROC_CATEGORY_LM:
            return kModifier;
        case UTF8PROC_CATEGORY_LO:
            return kOtherLetter;
        case UTF8PROC_CATEGORY_MN:
        case UTF8PROC_CATEGORY_MC:
        case UTF8PROC_CATEGORY_ME:
            return kMark;
        case UTF8PROC_CATEGORY_ND:
            return kDigit;
        case UTF8PROC_CATEGORY_NL:
        case UTF8PROC_CATEGORY_NO:
            return kOtherNumber;
        case UTF8PROC_CATEGORY_PC:
        case UTF8PROC_CATEGORY_PD:
        case UTF8PROC_CATEGORY_PS:
        case UTF8PROC_CATEGORY_PE:
        case UTF8PROC_CATEGORY_PI:
        case UTF8PROC_CATEGORY_PF:
        case UTF8PROC_CATEGORY_PO:
            return kPunctuation;
        case UTF8PROC_CATEGORY_SM:
        case UTF8PROC_CATEGORY_SC:
        case UTF8PROC_CATEGORY_SK:
        case UTF8PROC_CATEGORY_SO:
            return kSymbol;
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return 0;
        default:
            return kOther;
    }
}

uint16_t compute_classes(uint32_t code_point) {
    uint16_t result = category_class(code_point);
    if (is_white_space(code_point)) result |= kSpace;
    if (code_point == '\r' || code_point == '\n') result |= kNewline;
    return result;
}

std::array<uint16_t, kTableSize> make_class_table() {
    std::array<uint16_t, kTableSize> table;
    for (uint32_t c = 0; c < kTableSize; ++c) table[c] = compute_classes(c);
    return table;
}

struct Range {
    uint32_t first, last;
};

// Script=Han of Unicode 15, without planes 2 and 3, which hold nothing else.
constexpr Range kHan[] = {{0x2e80, 0x2e99},  {0x2e9b, 0x2ef3}, {0x2f00, 0x2fd5}, {0x3005, 0x3005},
                          {0x3007, 0x3007},  {0x3021, 0x3029}, {0x3038, 0x303b}, {0x3400, 0x4dbf},
                          {0x4e00, 0x9fff},  {0xf900, 0xfa6d}, {0xfa70, 0xfad9}, {0x16fe2, 0x16fe3},
                          {0x16ff0, 0x16ff1}};

// Stretches whose characters neither change under NFC nor combine with what stands before them; they cover
// most text.
bool is_surely_composed(uint32_t c) {
    return c < 0x300 || (c >= 0x400 && c <= 0x482) || (c >= 0x48a && c <= 0x590) ||
           (c >= 0x2010 && c <= 0x205e) || (c >= 0x2100 && c <= 0x2125) || (c >= 0x2190 && c <= 0x2328) ||
           (c >= 0x232b && c <= 0x2adb) || (c >= 0x3000 && c <= 0x3029) || (c >= 0x3030 && c <= 0x3098) ||
           (c >= 0x309b && c <= 0xa66e) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xe000 && c <= 0xf8ff) ||
           (c >= 0xff00 && c <= 0xfffd) || (c >= 0x1f000 && c <= 0x1fbff) || (c >= 0x20000 && c <= 0x2f7ff);
}

// A stretch that may have to change, with the character before it, which it may combine with. Empty at the
// end.
struct Doubtful {
    size_t begin, end;
};
Doubtful next_doubtful(std::string_view text, size_t from) {
    size_t previous = from;
    size_t at = from;
    while (at < text.size()) {
        const utf8::Decoded decoded = utf8::decode(text.data() + at);
        if (decoded.n_bytes > 1 && !is_surely_composed(decoded.code_point)) break;
        previous = at;
        at += decoded.n_bytes;
    }
    if (at == text.size()) return {at, at};
    while (at < text.size()) {
        const utf8::Decoded decoded = utf8::decode(text.data() + at);
        if (is_surely_composed(decoded.code_point)) break;
        at += decoded.n_bytes;
    }
    return {previous, at};
}

// Puts runs of combining marks into canonical order. A stable sort, since utf8proc's own takes quadratic
// time.
void order_marks(std::vector<utf8proc_int32_t>& points) {
    const auto mark_class = [](utf8proc_int32_t c) { return utf8proc_get_property(c)->combining_class; };
    for (size_t begin = 0; begin < points.size();) {
        if (mark_class(points[begin]) == 0) {
            ++begin;
            continue;
        }
        size_t end = begin + 1;
        while (end < points.size() && mark_class(points[end]) != 0) ++end;
        std::stable_sort(points.begin() + static_cast<ptrdiff_t>(begin),
                         points.begin() + static_cast<ptrdiff_t>(end),
                         [&](auto a, auto b) { return mark_class(a) < mark_class(b); });
        begin = end;
    }
}

std::vector<utf8proc_int32_t> decompose(std::string_view text) {
    std::vector<utf8proc_int32_t> points;
    points.reserve(text.size());
    for (size_t at = 0; at < text.size();) {
        const utf8::Decoded decoded = utf8::decode(text.data() + at);
        at += decoded.n_bytes;
        utf8proc_int32_t parts[8];  // canonical decompositions have at most four
        int last_boundary = 0;
        const auto n = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(decoded.code_point), parts, 8,
                                               UTF8PROC_DECOMPOSE, &last_boundary);
        if (n < 1 || n > 8) {  // not a scalar value (a surrogate): stays as it is
            points.push_back(static_cast<utf8proc_int32_t>(decoded.code_point));
        } else {
            points.insert(points.end(), parts, parts + n);
        }
    }
    order_marks(points);
    return points;
}

void append_composed(std::string& out, std::string_view text) {
    std::vector<utf8proc_int32_t> points = decompose(text);
    const auto n =
        utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                                 static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    CRIA_BUG_UNLESS(n >= 0);
    for (utf8proc_ssize_t i = 0; i < n; ++i) {
        utf8::append(out, static_cast<uint32_t>(points[static_cast<size_t>(i)]));
    }
}

}  // namespace

uint16_t classes(uint32_t code_point) {
    static const std::array<uint16_t, kTableSize> table = make_class_table();
    return code_point < kTableSize ? table[code_point] : compute_classes(code_point);
}

bool is_nonspacing_mark(uint32_t code_point) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == UTF8PROC_CATEGORY_MN;
}

bool is_assigned(uint32_t code_point) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) != UTF8PROC_CATEGORY_CN;
}

bool is_han(uint32_t code_point) {
    if (code_point < kHan[0].first) return false;
    if (code_point >= 0x20000) return code_point < 0x40000 && classes(code_point) == kOtherLetter;
    return std::any_of(std::begin(kHan), std::end(kHan),
                       [=](Range r) { return code_point >= r.first && code_point <= r.last; });
}

uint32_t to_lower(uint32_t code_point) {
    return static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point)));
}

std::string_view nfc(std::string_view text, std::string& buffer) {
    Doubtful doubtful = next_doubtful(text, 0);
    if (doubtful.begin == text.size()) return text;
    buffer.clear();
    buffer.reserve(text.size());
    size_t done = 0;
    for (; doubtful.begin < text.size(); doubtful = next_doubtful(text, done)) {
        buffer += text.substr(done, doubtful.begin - done);
        append_composed(buffer, text.substr(doubtful.begin, doubtful.end - doubtful.begin));
        done = doubtful.end;
    }
    return buffer += text.substr(done);
}

std::u32string nfd(std::string_view text) {
    const std::vector<utf8proc_int32_t> points = decompose(text);
    return {points.begin(), points.end()};
}

}  // namespace cria::unicode
