// Building a Trie; see trie.h.
#include "vocab/trie.h"

#include <algorithm>

namespace cria {

Trie::Trie(std::vector<Entry> entries) {
    std::erase_if(entries, [](const Entry& entry) { return entry.first.empty(); });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.first < b.first; });
    // Nodes are made level by level, so that the children of a node get neighbouring numbers. A span holds
    // the entries that pass through its node.
    struct Span {
        size_t begin, end;
    };
    std::vector<Span> spans{{0, entries.size()}};
    nodes_.emplace_back();
    labels_.push_back('\0');
    size_t level_end = 1;
    for (size_t node = 0, depth = 0; node < nodes_.size(); ++node) {
        if (node == level_end) {
            ++depth;
            level_end = nodes_.size();
        }
        size_t at = spans[node].begin;
        const size_t end = spans[node].end;
        for (; at < end && entries[at].first.size() == depth; ++at) {
            if (nodes_[node].value < 0) nodes_[node].value = entries[at].second;
        }
        nodes_[node].first_child = static_cast<uint32_t>(nodes_.size());
        while (at < end) {
            const char label = entries[at].first[depth];
            const size_t begin = at;
            while (at < end && entries[at].first[depth] == label) ++at;
            if (depth == 0)
                root_children_[static_cast<unsigned char>(label)] = static_cast<uint32_t>(nodes_.size());
            spans.push_back({begin, at});
            nodes_.emplace_back();
            labels_.push_back(label);
        }
        nodes_[node].n_children = static_cast<uint32_t>(nodes_.size()) - nodes_[node].first_child;
    }
}

}  // namespace cria
