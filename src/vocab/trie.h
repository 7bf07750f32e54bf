// A set of byte strings with a number each, for finding all members that a text begins with. Immutable once
// built.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace cria {

class Trie {
  public:
    using Entry = std::pair<std::string_view, int32_t>;

    Trie() = default;
    // Empty strings are left out; of equal strings the first counts. Values are >= 0.
    explicit Trie(std::vector<Entry> entries);

    bool empty() const { return nodes_.size() < 2; }
    bool has_first_byte(char byte) const { return root_children_[static_cast<unsigned char>(byte)] != 0; }

    // Calls visit(n_bytes, value) for the members that `text` begins with, the shortest first.
    template <typename Visit>
    void for_each_prefix(std::string_view text, Visit visit) const {
        if (text.empty() || empty()) return;
        uint32_t node = root_children_[static_cast<unsigned char>(text[0])];
        for (size_t n = 1; node != 0; ++n) {
            if (nodes_[node].value >= 0) visit(n, nodes_[node].value);
            if (n == text.size()) return;
            node = child(node, text[n]);
        }
    }

    struct Match {
        size_t n_bytes = 0;  // 0: none
        int32_t value = -1;
    };
    // The longest member of at most `limit` bytes that `text` begins with.
    Match longest_prefix(std::string_view text, size_t limit = SIZE_MAX) const {
        Match longest;
        for_each_prefix(text.substr(0, limit), [&](size_t n_bytes, int32_t value) {
            longest = {n_bytes, value};
        });
        return longest;
    }

  private:
    struct Node {
        uint32_t first_child = 0;  // children lie together, sorted by label
        uint32_t n_children = 0;
        int32_t value = -1;
    };

    // 0, the root, stands for none.
    uint32_t child(uint32_t node, char label) const {
        const Node& parent = nodes_[node];
        const char* first = labels_.data() + parent.first_child;
        const void* found = std::memchr(first, static_cast<unsigned char>(label), parent.n_children);
        return found == nullptr
                   ? 0
                   : parent.first_child + static_cast<uint32_t>(static_cast<const char*>(found) - first);
    }

    std::vector<Node> nodes_;
    std::vector<char> labels_;  // by node: the byte that leads to it
    std::array<uint32_t, 256> root_children_{};
};

}  // namespace cria
