// The nearest of many fixed points under weights that change with every question: a tree of boxes, searched
// exactly. Private to src/quant.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace cria::quant {

template <int kDims>
class NearestPoint {
  public:
    using Point = std::array<float, kDims>;

    // Points are known by their place in the list, below 65536. At least one.
    explicit NearestPoint(const std::vector<Point>& points) {
        std::vector<uint32_t> order(points.size());
        std::iota(order.begin(), order.end(), 0);
        build(points, order);
    }

    // The point that minimises sum of w[j] * (target[j] - point[j])^2; of equals the first in the tree's own
    // fixed order.
    // With a caution above 1 boxes are skipped unless they could be better by that factor: much faster,
    // seldom much worse.
    uint16_t find(const Point& target, const float* w, float caution) const {
        Search search{.target = target, .w = w, .caution = caution};
        visit(0, search);
        return search.best_id;
    }

  private:
    static constexpr size_t kLeaf = 16;

    // Inner nodes have the children `left` (the next node) and `right`; leaves have right == 0 and a leaf
    // number.
    struct Node {
        Point low, high;
        uint32_t right = 0, leaf = 0;
    };
    // Coordinates one after the other, so that all points of a leaf are compared at once. Unused places
    // repeat a point.
    struct Leaf {
        float at[kDims][kLeaf];
        uint16_t id[kLeaf];
    };
    struct Search {
        Point target;
        const float* w;
        float caution = 1;
        float best = std::numeric_limits<float>::max();
        uint16_t best_id = 0;
    };

    void build(const std::vector<Point>& points, std::span<uint32_t> ids) {
        Node node;
        node.low = node.high = points[ids[0]];
        for (uint32_t id : ids) {
            for (size_t j = 0; j < kDims; ++j) {
                node.low[j] = std::min(node.low[j], points[id][j]);
                node.high[j] = std::max(node.high[j], points[id][j]);
            }
        }
        const size_t at = nodes_.size();
        nodes_.push_back(node);
        if (ids.size() <= kLeaf) {
            add_leaf(points, ids, nodes_[at]);
            return;
        }
        size_t widest = 0;
        for (size_t j = 1; j < kDims; ++j) {
            if (node.high[j] - node.low[j] > node.high[widest] - node.low[widest]) widest = j;
        }
        const size_t half = ids.size() / 2;
        std::ranges::nth_element(ids, ids.begin() + static_cast<std::ptrdiff_t>(half), {},
                                 [&](uint32_t id) { return std::pair(points[id][widest], id); });
        build(points, ids.first(half));
        nodes_[at].right = static_cast<uint32_t>(nodes_.size());
        build(points, ids.subspan(half));
    }

    void add_leaf(const std::vector<Point>& points, std::span<const uint32_t> ids, Node& node) {
        Leaf leaf;
        for (size_t i = 0; i < kLeaf; ++i) {
            const uint32_t id = ids[std::min(i, ids.size() - 1)];
            leaf.id[i] = static_cast<uint16_t>(id);
            for (size_t j = 0; j < kDims; ++j) leaf.at[j][i] = points[id][j];
        }
        node.leaf = static_cast<uint32_t>(leaves_.size());
        leaves_.push_back(leaf);
    }

    // The least error any point in the node's box can have.
    static float bound(const Node& node, const Search& search) {
        float sum = 0;
        for (size_t j = 0; j < kDims; ++j) {
            const float outside =
                std::max({node.low[j] - search.target[j], search.target[j] - node.high[j], 0.0f});
            sum += search.w[j] * outside * outside;
        }
        return sum;
    }

    void visit(uint32_t at, Search& search) const {
        const Node& node = nodes_[at];
        if (node.right == 0) {
            compare(leaves_[node.leaf], search);
            return;
        }
        uint32_t first = at + 1, second = node.right;
        float first_bound = bound(nodes_[first], search), second_bound = bound(nodes_[second], search);
        if (second_bound < first_bound) {
            std::swap(first, second);
            std::swap(first_bound, second_bound);
        }
        if (first_bound * search.caution < search.best) visit(first, search);
        if (second_bound * search.caution < search.best) visit(second, search);
    }

    static void compare(const Leaf& leaf, Search& search) {
        float errors[kLeaf] = {};
        for (size_t j = 0; j < kDims; ++j) {
            for (size_t i = 0; i < kLeaf; ++i) {
                const float difference = search.target[j] - leaf.at[j][i];
                errors[i] += search.w[j] * difference * difference;
            }
        }
        for (size_t i = 0; i < kLeaf; ++i) {
            if (errors[i] < search.best) search.best = errors[i], search.best_id = leaf.id[i];
        }
    }

    std::vector<Node> nodes_;
    std::vector<Leaf> leaves_;
};

}  // namespace cria::quant
