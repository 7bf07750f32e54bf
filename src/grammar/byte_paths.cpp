// UTF-8 is generated from its tail: for a set of values below 64^n, a shared node per distinct rest, so that
// classes stay small.
#include "grammar/byte_paths.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace cria::grammar {
namespace {

using Ranges = std::vector<CodePointRange>;

// The parts of `ranges` that fall into [first, last], relative to first.
Ranges clipped(const Ranges& ranges, uint32_t first, uint32_t last) {
    Ranges part;
    for (const CodePointRange& range : ranges) {
        const uint32_t low = std::max(range.first, first), high = std::min(range.last, last);
        if (low <= high) part.push_back({low - first, high - first});
    }
    return part;
}

class Utf8Paths {
  public:
    Utf8Paths(ByteEdgeSink& sink, uint32_t to) : sink_(sink), to_(to) {}

    // Paths from `from` for the values of `ranges`, spelled as a lead byte of base + value >> 6n and n
    // continuation bytes, for values of at most `limit`.
    void add(const Ranges& ranges, uint32_t from, uint32_t n_continuation, uint32_t lead_base,
             uint32_t limit) {
        const uint32_t span = 1u << (6 * n_continuation);
        uint32_t run_first = 0;
        Ranges run_rest;
        const auto flush = [&](uint32_t end) {
            if (!run_rest.empty()) {
                sink_.add_bytes(from, static_cast<uint8_t>(lead_base + run_first),
                                static_cast<uint8_t>(lead_base + end - 1),
                                tail_node(run_rest, n_continuation));
            }
        };
        for (uint32_t lead = 0; lead <= limit / span; ++lead) {
            const Ranges rest = clipped(ranges, lead * span, lead * span + span - 1);
            if (rest == run_rest) continue;
            flush(lead);
            run_first = lead;
            run_rest = rest;
        }
        flush(limit / span + 1);
    }

  private:
    uint32_t tail_node(const Ranges& rest, uint32_t n_continuation) {
        if (n_continuation == 0) return to_;
        const auto [known, is_new] = tails_.try_emplace({n_continuation, rest}, 0);
        if (is_new) {
            const uint32_t node = sink_.new_node();
            known->second = node;
            add(rest, node, n_continuation - 1, 0x80, (1u << (6 * n_continuation)) - 1);
            return node;
        }
        return known->second;
    }

    ByteEdgeSink& sink_;
    uint32_t to_;
    std::map<std::pair<uint32_t, Ranges>, uint32_t> tails_;
};

void add_hex_digit(ByteEdgeSink& sink, uint32_t from, uint32_t first, uint32_t last, uint32_t to) {
    const auto byte = [](uint32_t base, uint32_t value) { return static_cast<uint8_t>(base + value); };
    if (first <= 9) sink.add_bytes(from, byte('0', first), byte('0', std::min(last, 9u)), to);
    if (last < 10) return;
    const uint32_t low = std::max(first, 10u) - 10;
    sink.add_bytes(from, byte('a', low), byte('a', last - 10), to);
    sink.add_bytes(from, byte('A', low), byte('A', last - 10), to);
}

void add_two_hex_digits(ByteEdgeSink& sink, uint32_t from, uint32_t to) {
    const uint32_t middle = sink.new_node();
    add_hex_digit(sink, from, 0, 15, middle);
    add_hex_digit(sink, middle, 0, 15, to);
}

// All of XXXX after "\u" that is a character alone, and the pairs of surrogates.
void add_all_unicode_escapes(ByteEdgeSink& sink, uint32_t from, uint32_t to) {
    const uint32_t last_two = sink.new_node(), second = sink.new_node(), after_d = sink.new_node();
    add_two_hex_digits(sink, last_two, to);
    add_hex_digit(sink, from, 0, 12, second);
    add_hex_digit(sink, from, 14, 15, second);
    add_hex_digit(sink, from, 13, 13, after_d);
    add_hex_digit(sink, second, 0, 15, last_two);
    add_hex_digit(sink, after_d, 0, 7, last_two);
    const uint32_t high_rest = sink.new_node(), backslash = sink.new_node(), u = sink.new_node(),
                   low_first = sink.new_node(), low_second = sink.new_node();
    add_hex_digit(sink, after_d, 8, 11, high_rest);
    add_two_hex_digits(sink, high_rest, backslash);
    sink.add_bytes(backslash, '\\', '\\', u);
    sink.add_bytes(u, 'u', 'u', low_first);
    add_hex_digit(sink, low_first, 13, 13, low_second);
    add_hex_digit(sink, low_second, 12, 15, last_two);
}

// \u0000 to \u001f, those of the set.
void add_control_escapes(ByteEdgeSink& sink, const CodePointSet& set, uint32_t from, uint32_t to) {
    const uint32_t zero = sink.new_node(), third = sink.new_node();
    sink.add_bytes(from, '0', '0', zero);
    sink.add_bytes(zero, '0', '0', third);
    for (uint32_t high = 0; high < 2; ++high) {
        const Ranges low = clipped(set.ranges(), 16 * high, 16 * high + 15);
        if (low.empty()) continue;
        const uint32_t last = sink.new_node();
        add_hex_digit(sink, third, high, high, last);
        for (const CodePointRange& range : low) add_hex_digit(sink, last, range.first, range.last, to);
    }
}

}  // namespace

void add_utf8_paths(ByteEdgeSink& sink, const CodePointSet& set, uint32_t from, uint32_t to) {
    static const CodePointSet writable{{0, 0xD7FF}, {0xE000, kMaxUtf8Pattern}};
    const Ranges ranges = set.intersected(writable).ranges();
    Utf8Paths paths(sink, to);
    const auto part = [&](uint32_t first, uint32_t last) {
        Ranges clip = clipped(ranges, first, last);
        for (CodePointRange& range : clip) range = {range.first + first, range.last + first};
        return clip;
    };
    paths.add(part(0, 0x7F), from, 0, 0, 0x7F);
    paths.add(part(0x80, 0x7FF), from, 1, 0xC0, 0x7FF);
    paths.add(part(0x800, 0xFFFF), from, 2, 0xE0, 0xFFFF);
    paths.add(part(0x10000, kMaxUtf8Pattern), from, 3, 0xF0, kMaxUtf8Pattern);
}

void add_json_character_paths(ByteEdgeSink& sink, const CodePointSet& set, uint32_t from, uint32_t to) {
    static const CodePointSet raw = CodePointSet{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}.complement();
    static constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t", kLetter = "\"\\/bfnrt";
    add_utf8_paths(sink, set.intersected(raw), from, to);
    const bool is_everything = set == CodePointSet::all();
    const bool has_controls = !set.intersected({{0, 0x1F}}).empty();
    uint32_t escape = UINT32_MAX;
    const auto escape_node = [&] {
        if (escape == UINT32_MAX) {
            escape = sink.new_node();
            sink.add_bytes(from, '\\', '\\', escape);
        }
        return escape;
    };
    for (size_t i = 0; i < kMeaning.size(); ++i) {
        const auto letter = static_cast<uint8_t>(kLetter[i]);
        if (set.contains(static_cast<uint8_t>(kMeaning[i])))
            sink.add_bytes(escape_node(), letter, letter, to);
    }
    if (!is_everything && !has_controls) return;
    const uint32_t digits = sink.new_node();
    sink.add_bytes(escape_node(), 'u', 'u', digits);
    if (is_everything) {
        add_all_unicode_escapes(sink, digits, to);
    } else {
        add_control_escapes(sink, set, digits, to);
    }
}

}  // namespace cria::grammar
