// Finds any of several strings in a text that arrives byte by byte (Aho and Corasick 1975): one step per
// byte, whatever the number of strings. Immutable after construction, so one matcher may serve many streams
// and threads; each stream keeps its State.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cria::sampling {

class TextMatcher {
  public:
    static constexpr size_t kMaxTotalBytes = 1 << 20;

    using State = int32_t;  // where a stream stands; 0 at its start
    static constexpr State kStart = 0;

    // Throws Error{invalid_argument} for an empty string among them, or more than kMaxTotalBytes together.
    explicit TextMatcher(std::span<const std::string> patterns);

    State step(State state, char byte) const;
    // How many of the latest bytes may be the beginning of a pattern.
    size_t depth(State state) const { return nodes_[static_cast<size_t>(state)].depth; }
    // The pattern that ends here, the longest when there are several; -1: none.
    int32_t match(State state) const { return nodes_[static_cast<size_t>(state)].match; }
    const std::string& pattern(int32_t index) const { return patterns_[static_cast<size_t>(index)]; }
    size_t size() const { return patterns_.size(); }

  private:
    struct Node {
        uint32_t depth = 0;
        State fallback = 0;  // the longest proper ending of this node's text that begins a pattern
        int32_t match = -1;
    };
    State child(State node, uint8_t byte) const;
    void add(int32_t index, const std::string& pattern);
    void link_fallbacks();

    std::vector<std::string> patterns_;
    std::vector<Node> nodes_{1};
    std::unordered_map<uint64_t, State> children_;  // by node * 256 + byte
};

}  // namespace cria::sampling
