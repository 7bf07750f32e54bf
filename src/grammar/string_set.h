// Regular sets of strings as deterministic automata over code points, with the algebra that JSON schema
// needs: and, or, not. Used for `pattern`, string lengths, formats, property names and the spellings of
// bounded numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/code_points.h"

namespace cria::grammar {

// An automaton with state 0 as start. Edges of a state are disjoint and sorted; a code point without edge is
// refused. Every state except perhaps the start can reach an accepting one. A value type; const calls are
// thread-safe.
class StringSet {
  public:
    // More states than this are refused, so that a pattern such as (a|b)*a(a|b){20} cannot take all memory.
    static constexpr size_t kMaxStates = 20000;

    struct Edge {
        CodePointRange range;
        uint32_t target;
        bool operator==(const Edge&) const = default;
    };
    struct State {
        bool accepts = false;
        std::vector<Edge> edges;
        bool operator==(const State&) const = default;
    };

    // The empty set.
    StringSet() : states_(1) {}
    // Takes any deterministic automaton and drops what cannot reach an accepting state. Throws
    // Error{unsupported} above kMaxStates.
    explicit StringSet(std::vector<State> states);

    static StringSet everything();
    static StringSet of(const std::vector<std::string>& members);  // valid UTF-8
    // Strings of min..max code points; nothing for max: no upper limit.
    static StringSet with_length(uint64_t min, std::optional<uint64_t> max);

    StringSet intersected(const StringSet& other) const;
    StringSet united(const StringSet& other) const;
    StringSet complement() const;

    const std::vector<State>& states() const { return states_; }
    bool contains(std::string_view text) const;
    bool empty() const;
    bool is_everything() const;

  private:
    // Product automaton; `accepts` of a pair by `rule(a, b)`. A missing edge leads to an implicit dead state.
    static StringSet product(const StringSet& a, const StringSet& b, bool needs_both);
    void trim();

    std::vector<State> states_;
};

}  // namespace cria::grammar
