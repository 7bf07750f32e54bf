// Sets of Unicode code points as sorted ranges, and their form as UTF-8 bytes. Surrogates and numbers above
// U+10FFFF may be members, but no text matches them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cria::grammar {

inline constexpr uint32_t kMaxCodePoint = 0x10FFFF;
// What UTF-8's pattern of four bytes could hold if its lead byte went up to 0xFF; see
// GbnfOptions::beyond_unicode.
inline constexpr uint32_t kMaxUtf8Pattern = 0x3FFFFF;

struct CodePointRange {
    uint32_t first;
    uint32_t last;  // inclusive
    bool operator==(const CodePointRange&) const = default;
    auto operator<=>(const CodePointRange&) const = default;
};

// A value type. Ranges are sorted, disjoint and not adjacent, so equal sets compare equal.
class CodePointSet {
  public:
    CodePointSet() = default;
    CodePointSet(std::initializer_list<CodePointRange> ranges)
        : CodePointSet(std::vector<CodePointRange>(ranges)) {}
    // Sorts and merges; ranges whose first is above their last are dropped.
    explicit CodePointSet(std::vector<CodePointRange> ranges);

    // Every code point that UTF-8 can write: U+0000..U+10FFFF without the surrogates.
    static const CodePointSet& all();

    const std::vector<CodePointRange>& ranges() const { return ranges_; }
    bool empty() const { return ranges_.empty(); }
    bool contains(uint32_t code_point) const;
    CodePointSet united(const CodePointSet& other) const;
    CodePointSet intersected(const CodePointSet& other) const;
    // all() without this set.
    CodePointSet complement() const;

    bool operator==(const CodePointSet&) const = default;
    auto operator<=>(const CodePointSet&) const = default;

  private:
    std::vector<CodePointRange> ranges_;
};

// Appends the UTF-8 form; `code_point` must be in CodePointSet::all().
void append_utf8(std::string& out, uint32_t code_point);

// The code point that starts at text[at], and its length in bytes (1 for a byte that starts none: code_point
// is then kInvalid).
struct DecodedCodePoint {
    static constexpr uint32_t kInvalid = UINT32_MAX;
    uint32_t code_point;
    uint32_t n_bytes;
};
DecodedCodePoint decode_utf8(std::string_view text, size_t at);

// How many bytes at the end of `text` (0 to 3) begin a code point whose rest is missing.
size_t incomplete_utf8_tail(std::string_view text);

}  // namespace cria::grammar
