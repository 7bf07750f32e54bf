// See text_matcher.h.
#include "sampling/text_matcher.h"

#include "base/error.h"

namespace cria::sampling {
namespace {

constexpr TextMatcher::State kNone = -1;

uint64_t edge(TextMatcher::State node, uint8_t byte) { return static_cast<uint64_t>(node) << 8 | byte; }

}  // namespace

TextMatcher::TextMatcher(std::span<const std::string> patterns)
    : patterns_(patterns.begin(), patterns.end()) {
    size_t total = 0;
    for (const std::string& pattern : patterns_) {
        if (pattern.empty())
            fail(ErrorCode::invalid_argument,
                 "an empty stop or ban string would match everywhere; leave it out");
        total += pattern.size();
        if (total > kMaxTotalBytes)
            fail(ErrorCode::invalid_argument,
                 "stop or ban strings have more than {} bytes together; use fewer or shorter ones",
                 kMaxTotalBytes);
    }
    for (size_t i = 0; i < patterns_.size(); ++i) add(static_cast<int32_t>(i), patterns_[i]);
    link_fallbacks();
}

TextMatcher::State TextMatcher::child(State node, uint8_t byte) const {
    const auto found = children_.find(edge(node, byte));
    return found == children_.end() ? kNone : found->second;
}

void TextMatcher::add(int32_t index, const std::string& pattern) {
    State node = kStart;
    for (const char c : pattern) {
        const auto byte = static_cast<uint8_t>(c);
        State next = child(node, byte);
        if (next == kNone) {
            next = static_cast<State>(nodes_.size());
            nodes_.push_back({.depth = nodes_[static_cast<size_t>(node)].depth + 1});
            children_.emplace(edge(node, byte), next);
        }
        node = next;
    }
    int32_t& match = nodes_[static_cast<size_t>(node)].match;
    if (match < 0) match = index;
}

// Nodes by rising depth: a node's fallback is shallower, so it is complete when it is needed.
void TextMatcher::link_fallbacks() {
    struct Edge {
        State parent;
        uint8_t byte;
        State node;
    };
    std::vector<std::vector<Edge>> by_depth;
    for (const auto& [key, node] : children_) {
        const size_t depth = nodes_[static_cast<size_t>(node)].depth;
        if (by_depth.size() < depth) by_depth.resize(depth);
        by_depth[depth - 1].push_back({static_cast<State>(key >> 8), static_cast<uint8_t>(key), node});
    }
    for (const auto& level : by_depth)
        for (const Edge& e : level) {
            Node& node = nodes_[static_cast<size_t>(e.node)];
            if (e.parent != kStart)
                node.fallback =
                    step(nodes_[static_cast<size_t>(e.parent)].fallback, static_cast<char>(e.byte));
            // A node's own pattern is longer than any that ends in its fallback.
            if (node.match < 0) node.match = nodes_[static_cast<size_t>(node.fallback)].match;
        }
}

TextMatcher::State TextMatcher::step(State state, char c) const {
    const auto byte = static_cast<uint8_t>(c);
    while (true) {
        const State next = child(state, byte);
        if (next != kNone) return next;
        if (state == kStart) return kStart;
        state = nodes_[static_cast<size_t>(state)].fallback;
    }
}

}  // namespace cria::sampling
