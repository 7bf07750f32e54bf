// A compiled grammar: one automaton over bytes and tokens per rule, with calls between rules. Immutable,
// shared by all matchers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "grammar/grammar.h"

namespace cria::grammar {

using NodeId = uint32_t;

struct ByteEdge {
    uint8_t first;
    uint8_t last;  // inclusive
    NodeId to;
};
struct CallEdge {
    RuleId rule;
    NodeId to;  // where matching goes on when the rule has ended
};
struct TokenEdge {
    uint32_t id;
    bool negated;  // any token but this one
    NodeId to;
};

struct CompileOptions {
    // Removes paths that can never be completed and refuses a grammar of which nothing remains. JSON schemas
    // need it; GBNF does not, because its users may write such rules.
    bool prune_dead_ends = false;
};

// Const and thread-safe after compile().
class Program {
  public:
    // 64 MB of nodes and edges, far above any sensible grammar: a schema with 1000 properties needs about
    // 50,000 nodes.
    static constexpr size_t kMaxNodes = size_t{1} << 20;
    static constexpr size_t kMaxEdges = size_t{1} << 22;

    // Throws Error{invalid_argument} for undefined rules and for left recursion (naming the rules and where
    // they stand), for a root that matches nothing when pruning, and Error{unsupported} above the limits.
    static std::shared_ptr<const Program> compile(const Grammar& grammar, CompileOptions options = {});

    RuleId root() const { return root_; }
    NodeId start(RuleId rule) const { return starts_[rule]; }
    bool nullable(RuleId rule) const { return nullable_[rule]; }
    // Rules sorted so that one which may begin with another comes before it.
    uint32_t rank(RuleId rule) const { return ranks_[rule]; }
    RuleId rule_at_rank(uint32_t rank) const { return by_rank_[rank]; }
    size_t n_rules() const { return starts_.size(); }
    size_t n_nodes() const { return is_end_.size(); }
    // Matching this node completes its rule.
    bool is_end(NodeId node) const { return is_end_[node]; }
    // The node is the end of its rule and nothing else, so a call that returns here is a tail call.
    bool is_only_end(NodeId node) const { return is_only_end_[node]; }
    std::span<const NodeId> empty_edges(NodeId node) const { return empty_.of(node); }
    std::span<const ByteEdge> byte_edges(NodeId node) const { return bytes_.of(node); }
    std::span<const CallEdge> call_edges(NodeId node) const { return calls_.of(node); }
    std::span<const TokenEdge> token_edges(NodeId node) const { return tokens_.of(node); }
    bool has_token_edges() const { return !tokens_.edges.empty(); }

    // Bytes in one class behave alike everywhere in this grammar.
    uint32_t n_byte_classes() const { return static_cast<uint32_t>(class_bytes_.size()); }
    uint32_t byte_class(uint8_t byte) const { return byte_classes_[byte]; }
    uint8_t class_byte(uint32_t byte_class) const { return class_bytes_[byte_class]; }

  private:
    friend class ProgramBuilder;
    template <typename Edge>
    struct Table {
        std::vector<uint32_t> begin;  // per node, and one more
        std::vector<Edge> edges;
        std::span<const Edge> of(NodeId node) const {
            return {edges.data() + begin[node], edges.data() + begin[node + 1]};
        }
    };

    RuleId root_ = 0;
    std::vector<NodeId> starts_;
    std::vector<bool> nullable_;
    std::vector<uint32_t> ranks_;
    std::vector<RuleId> by_rank_;
    std::vector<bool> is_end_;
    std::vector<bool> is_only_end_;
    Table<NodeId> empty_;
    Table<ByteEdge> bytes_;
    Table<CallEdge> calls_;
    Table<TokenEdge> tokens_;
    uint8_t byte_classes_[256] = {};
    std::vector<uint8_t> class_bytes_;
};

}  // namespace cria::grammar
