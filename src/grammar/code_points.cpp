// Range arithmetic on code points, and UTF-8 one code point at a time.
#include "grammar/code_points.h"

#include <algorithm>

namespace cria::grammar {

CodePointSet::CodePointSet(std::vector<CodePointRange> ranges) {
    std::erase_if(ranges, [](const CodePointRange& r) { return r.first > r.last; });
    std::sort(ranges.begin(), ranges.end());
    for (const CodePointRange& range : ranges) {
        if (!ranges_.empty() &&
            (ranges_.back().last == UINT32_MAX || range.first <= ranges_.back().last + 1)) {
            ranges_.back().last = std::max(ranges_.back().last, range.last);
        } else {
            ranges_.push_back(range);
        }
    }
}

const CodePointSet& CodePointSet::all() {
    static const CodePointSet set{{0, 0xD7FF}, {0xE000, kMaxCodePoint}};
    return set;
}

bool CodePointSet::contains(uint32_t code_point) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), code_point,
                         [](uint32_t value, const CodePointRange& r) { return value < r.first; });
    return after != ranges_.begin() && std::prev(after)->last >= code_point;
}

CodePointSet CodePointSet::united(const CodePointSet& other) const {
    std::vector<CodePointRange> both = ranges_;
    both.insert(both.end(), other.ranges_.begin(), other.ranges_.end());
    return CodePointSet(std::move(both));
}

CodePointSet CodePointSet::intersected(const CodePointSet& other) const {
    std::vector<CodePointRange> common;
    for (size_t a = 0, b = 0; a < ranges_.size() && b < other.ranges_.size();) {
        const CodePointRange& left = ranges_[a];
        const CodePointRange& right = other.ranges_[b];
        common.push_back({std::max(left.first, right.first), std::min(left.last, right.last)});
        (left.last < right.last) ? ++a : ++b;
    }
    return CodePointSet(std::move(common));
}

CodePointSet CodePointSet::complement() const {
    std::vector<CodePointRange> gaps;
    uint32_t next = 0;
    for (const CodePointRange& range : ranges_) {
        if (range.first > next) gaps.push_back({next, range.first - 1});
        if (range.last >= kMaxCodePoint) return CodePointSet(std::move(gaps)).intersected(all());
        next = range.last + 1;
    }
    gaps.push_back({next, kMaxCodePoint});
    return CodePointSet(std::move(gaps)).intersected(all());
}

void append_utf8(std::string& out, uint32_t code_point) {
    const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
}

DecodedCodePoint decode_utf8(std::string_view text, size_t at) {
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return {lead, 1};
    const uint32_t length = lead >= 0xF0 && lead < 0xF8   ? 4
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xC0 && lead < 0xE0 ? 2
                                                          : 0;
    if (length == 0 || at + length > text.size()) return {DecodedCodePoint::kInvalid, 1};
    uint32_t value = lead & (0x7Fu >> length);
    for (uint32_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if ((byte & 0xC0) != 0x80) return {DecodedCodePoint::kInvalid, 1};
        value = value << 6 | (byte & 0x3F);
    }
    if (value < kLeast[length] || !CodePointSet::all().contains(value))
        return {DecodedCodePoint::kInvalid, 1};
    return {value, length};
}

size_t incomplete_utf8_tail(std::string_view text) {
    for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
        const auto byte = static_cast<uint8_t>(text[text.size() - n]);
        if ((byte & 0xC0) == 0x80) continue;
        const size_t length = byte >= 0xF0 && byte < 0xF5   ? 4
                              : byte >= 0xE0 && byte < 0xF0 ? 3
                              : byte >= 0xC2 && byte < 0xE0 ? 2
                                                            : 1;
        return length > n ? n : 0;
    }
    return 0;
}

}  // namespace cria::grammar
