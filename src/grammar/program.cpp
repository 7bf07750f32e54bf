// From expressions to automata: nodes and edges rule by rule, then the checks (undefined rules, left
// recursion, dead ends).
#include "grammar/program.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"
#include "grammar/byte_paths.h"

namespace cria::grammar {
namespace {

// A repetition of something larger than this, more than twice, becomes a rule of its own that is called, so
// that nested counts add up instead of multiplying.
constexpr uint64_t kMaxInlineRepeatSize = 24;

std::string describe(const Grammar::Rule& rule) {
    if (rule.place.line == 0) return fmt::format("\"{}\"", rule.name);
    return fmt::format("\"{}\" (line {}, column {})", rule.name, rule.place.line, rule.place.column);
}

}  // namespace

// Lives only during Program::compile.
class ProgramBuilder final : public ByteEdgeSink {
  public:
    ProgramBuilder(const Grammar& grammar, CompileOptions options) : grammar_(grammar), options_(options) {}

    std::shared_ptr<const Program> build() {
        check_defined();
        for (const Grammar::Rule& rule : grammar_.rules()) declare_rule(*rule.body);
        // Hoisted repetitions append rules while the list is walked.
        for (RuleId rule = 0; rule < bodies_.size(); ++rule)
            build_expr(bodies_[rule], starts_[rule], ends_[rule]);
        if (options_.prune_dead_ends) prune();
        mark_ends();
        order_rules();
        finish_tables();
        return program_;
    }

    uint32_t new_node() override {
        if (n_nodes_ >= Program::kMaxNodes) {
            fail(ErrorCode::unsupported,
                 "the grammar needs more than {} automaton nodes; make repetition counts smaller",
                 Program::kMaxNodes);
        }
        return n_nodes_++;
    }
    void add_bytes(uint32_t from, uint8_t first, uint8_t last, uint32_t to) override {
        count_edge();
        bytes_.push_back({from, {first, last, to}});
    }

  private:
    template <typename Edge>
    struct From {
        NodeId from;
        Edge edge;
    };

    void count_edge() {
        if (++n_edges_ > Program::kMaxEdges) {
            fail(ErrorCode::unsupported,
                 "the grammar needs more than {} automaton edges; make repetition counts smaller",
                 Program::kMaxEdges);
        }
    }
    void add_empty(NodeId from, NodeId to) {
        if (from == to) return;
        count_edge();
        empty_.push_back({from, to});
    }
    void add_call(NodeId from, RuleId rule, NodeId to) {
        count_edge();
        calls_.push_back({from, {rule, to}});
    }

    void check_defined() const {
        if (grammar_.rules().empty()) fail(ErrorCode::invalid_argument, "the grammar has no rules");
        for (const Grammar::Rule& rule : grammar_.rules()) {
            if (!rule.body)
                fail(ErrorCode::invalid_argument, "grammar rule {} is used but not defined", describe(rule));
        }
    }

    RuleId declare_rule(ExprId body) {
        bodies_.push_back(body);
        starts_.push_back(new_node());
        ends_.push_back(new_node());
        return static_cast<RuleId>(bodies_.size() - 1);
    }

    void build_expr(ExprId id, NodeId from, NodeId to);
    void build_repeat(const Grammar::Expr& repeat, NodeId from, NodeId to);
    void build_strings(const Grammar::Expr& expr, NodeId from, NodeId to);

    std::vector<bool> reaching_end(bool over_text) const;
    void prune();
    void mark_ends();
    std::vector<std::vector<RuleId>> find_first_calls() const;
    void order_rules();
    void report_left_recursion(const std::vector<std::vector<RuleId>>& begins_with, RuleId rule) const;
    void finish_tables();
    void finish_byte_classes();
    std::string rule_name(RuleId rule) const {
        return rule < grammar_.rules().size() ? describe(grammar_.rules()[rule])
                                              : std::string("a repeated group");
    }

    const Grammar& grammar_;
    CompileOptions options_;
    std::shared_ptr<Program> program_ = std::make_shared<Program>();
    uint32_t n_nodes_ = 0;
    size_t n_edges_ = 0;
    std::vector<ExprId> bodies_;
    std::vector<NodeId> starts_;
    std::vector<NodeId> ends_;
    std::vector<From<NodeId>> empty_;
    std::vector<From<ByteEdge>> bytes_;
    std::vector<From<CallEdge>> calls_;
    std::vector<From<TokenEdge>> tokens_;
    std::map<ExprId, RuleId> hoisted_;  // repeated expressions that became rules
};

void ProgramBuilder::build_expr(ExprId id, NodeId from, NodeId to) {
    const Grammar::Expr& expr = grammar_.expr(id);
    switch (expr.kind) {
        case ExprKind::literal: {
            NodeId at = from;
            for (const char c : grammar_.text(expr)) {
                const NodeId next = new_node();
                add_bytes(at, static_cast<uint8_t>(c), static_cast<uint8_t>(c), next);
                at = next;
            }
            return add_empty(at, to);
        }
        case ExprKind::characters:
            return add_utf8_paths(*this, grammar_.set(expr), from, to);
        case ExprKind::sequence: {
            NodeId at = from;
            for (const ExprId part : expr.children) {
                const NodeId next = new_node();
                build_expr(part, at, next);
                at = next;
            }
            return add_empty(at, to);
        }
        case ExprKind::choice:
            for (const ExprId alternative : expr.children) build_expr(alternative, from, to);
            return;
        case ExprKind::repeat:
            return build_repeat(expr, from, to);
        case ExprKind::rule:
            return add_call(from, expr.target, to);
        case ExprKind::token:
            count_edge();
            tokens_.push_back({from, {expr.target, expr.negated, to}});
            return;
        case ExprKind::strings:
            return build_strings(expr, from, to);
    }
}

void ProgramBuilder::build_repeat(const Grammar::Expr& repeat, NodeId from, NodeId to) {
    const ExprId what = repeat.children.front();
    const bool is_unlimited = repeat.max == Grammar::kUnlimited;
    const uint64_t n_copies = is_unlimited ? uint64_t{repeat.min} + 1 : repeat.max;
    std::optional<RuleId> called;
    if (n_copies > 2 && grammar_.expr(what).size > kMaxInlineRepeatSize) {
        const auto known = hoisted_.find(what);
        called = known != hoisted_.end() ? known->second : declare_rule(what);
        hoisted_.try_emplace(what, *called);
    }
    const auto copy = [&](NodeId start, NodeId end) {
        called ? add_call(start, *called, end) : build_expr(what, start, end);
    };
    NodeId at = from;
    for (uint32_t i = 0; i < repeat.min; ++i) {
        const NodeId next = new_node();
        copy(at, next);
        at = next;
    }
    if (is_unlimited) {
        const NodeId loop = new_node();
        add_empty(at, loop);
        copy(loop, loop);
        return add_empty(loop, to);
    }
    for (uint32_t i = repeat.min; i < repeat.max; ++i) {
        add_empty(at, to);
        const NodeId next = new_node();
        copy(at, next);
        at = next;
    }
    add_empty(at, to);
}

void ProgramBuilder::build_strings(const Grammar::Expr& expr, NodeId from, NodeId to) {
    const std::vector<StringSet::State>& states = grammar_.string_set(expr).states();
    std::vector<NodeId> nodes;
    for (size_t s = 0; s < states.size(); ++s) nodes.push_back(new_node());
    const bool is_json = expr.encoding == StringEncoding::json;
    is_json ? add_bytes(from, '"', '"', nodes[0]) : add_empty(from, nodes[0]);
    for (size_t s = 0; s < states.size(); ++s) {
        if (states[s].accepts) is_json ? add_bytes(nodes[s], '"', '"', to) : add_empty(nodes[s], to);
        std::vector<std::pair<uint32_t, std::vector<CodePointRange>>> by_target;
        for (const StringSet::Edge& edge : states[s].edges) {
            auto known = std::find_if(by_target.begin(), by_target.end(),
                                      [&](const auto& entry) { return entry.first == edge.target; });
            if (known == by_target.end()) known = by_target.insert(known, {edge.target, {}});
            known->second.push_back(edge.range);
        }
        for (auto& [target, ranges] : by_target) {
            const CodePointSet set(std::move(ranges));
            is_json ? add_json_character_paths(*this, set, nodes[s], nodes[target])
                    : add_utf8_paths(*this, set, nodes[s], nodes[target]);
        }
    }
}

// The nodes from which their rule's end can be reached: over any edge, or (over_text false) without matching
// any text. A call counts when the called rule's start is itself such a node. Linear in the edges.
std::vector<bool> ProgramBuilder::reaching_end(bool over_text) const {
    std::vector<std::vector<NodeId>> sources(n_nodes_);
    for (const auto& [from, to] : empty_) sources[to].push_back(from);
    if (over_text) {
        for (const auto& [from, edge] : bytes_) sources[edge.to].push_back(from);
        for (const auto& [from, edge] : tokens_) sources[edge.to].push_back(from);
    }
    // A call waits at two nodes, the called rule's start and its own target, and is looked at whenever one of
    // them is reached.
    std::vector<std::vector<uint32_t>> calls_at(n_nodes_);
    for (uint32_t i = 0; i < calls_.size(); ++i) {
        calls_at[calls_[i].edge.to].push_back(i);
        calls_at[starts_[calls_[i].edge.rule]].push_back(i);
    }
    std::vector<bool> reached(n_nodes_, false);
    std::vector<NodeId> queue;
    const auto mark = [&](NodeId node) {
        if (!reached[node]) queue.push_back(node);
        reached[node] = true;
    };
    for (const NodeId end : ends_) mark(end);
    while (!queue.empty()) {
        const NodeId node = queue.back();
        queue.pop_back();
        for (const NodeId source : sources[node]) mark(source);
        for (const uint32_t i : calls_at[node]) {
            if (reached[calls_[i].edge.to] && reached[starts_[calls_[i].edge.rule]]) mark(calls_[i].from);
        }
    }
    return reached;
}

void ProgramBuilder::prune() {
    const std::vector<bool> useful = reaching_end(true);
    std::erase_if(empty_, [&](const auto& e) { return !useful[e.edge]; });
    std::erase_if(bytes_, [&](const auto& e) { return !useful[e.edge.to]; });
    std::erase_if(tokens_, [&](const auto& e) { return !useful[e.edge.to]; });
    std::erase_if(calls_, [&](const auto& e) { return !useful[e.edge.to] || !useful[starts_[e.edge.rule]]; });
    if (!useful[starts_[grammar_.root()]])
        fail(ErrorCode::invalid_argument, "the constraint matches no text at all");
}

// End nodes have no edges of their own; whoever has one empty edge to such a node, and nothing else, is as
// good as the end.
void ProgramBuilder::mark_ends() {
    program_->is_end_.assign(n_nodes_, false);
    for (const NodeId end : ends_) program_->is_end_[end] = true;
    std::vector<uint32_t> n_out(n_nodes_, 0);
    for (const auto& e : empty_) ++n_out[e.from];
    for (const auto& e : bytes_) n_out[e.from] += 2;
    for (const auto& e : calls_) n_out[e.from] += 2;
    for (const auto& e : tokens_) n_out[e.from] += 2;
    std::vector<std::vector<NodeId>> sources(n_nodes_);
    for (const auto& e : empty_) sources[e.edge].push_back(e.from);
    std::vector<bool>& only = program_->is_only_end_;
    only = program_->is_end_;
    for (std::vector<NodeId> queue = ends_; !queue.empty();) {
        const NodeId node = queue.back();
        queue.pop_back();
        for (const NodeId source : sources[node]) {
            if (n_out[source] != 1 || only[source]) continue;
            only[source] = true;
            queue.push_back(source);
        }
    }
}

// For every rule, those that it may begin with: the calls that its start reaches without matching text.
std::vector<std::vector<RuleId>> ProgramBuilder::find_first_calls() const {
    std::vector<std::vector<NodeId>> empty_of(n_nodes_);
    std::vector<std::vector<CallEdge>> calls_of(n_nodes_);
    for (const auto& e : empty_) empty_of[e.from].push_back(e.edge);
    for (const auto& e : calls_) calls_of[e.from].push_back(e.edge);
    std::vector<std::vector<RuleId>> begins_with(bodies_.size());
    std::vector<bool> seen(n_nodes_, false);  // the nodes of two rules are disjoint
    for (RuleId rule = 0; rule < bodies_.size(); ++rule) {
        std::vector<NodeId> queue = {starts_[rule]};
        const auto visit = [&](NodeId node) {
            if (!seen[node]) queue.push_back(node);
            seen[node] = true;
        };
        while (!queue.empty()) {
            const NodeId node = queue.back();
            queue.pop_back();
            for (const NodeId next : empty_of[node]) visit(next);
            for (const CallEdge& call : calls_of[node]) {
                begins_with[rule].push_back(call.rule);
                if (program_->nullable_[call.rule]) visit(call.to);
            }
        }
    }
    return begins_with;
}

// A topological order of "may begin with"; who is left over is left-recursive.
void ProgramBuilder::order_rules() {
    const size_t n_rules = bodies_.size();
    const std::vector<bool> is_empty = reaching_end(false);
    for (const NodeId start : starts_) program_->nullable_.push_back(is_empty[start]);
    std::vector<std::vector<RuleId>> begins_with = find_first_calls();
    std::vector<uint32_t> n_users(n_rules, 0);
    for (auto& called : begins_with) {
        std::sort(called.begin(), called.end());
        called.erase(std::unique(called.begin(), called.end()), called.end());
        for (const RuleId rule : called) ++n_users[rule];
    }
    std::vector<RuleId>& order = program_->by_rank_;
    for (RuleId rule = 0; rule < n_rules; ++rule) {
        if (n_users[rule] == 0) order.push_back(rule);
    }
    for (size_t i = 0; i < order.size(); ++i) {
        for (const RuleId rule : begins_with[order[i]]) {
            if (--n_users[rule] == 0) order.push_back(rule);
        }
    }
    program_->ranks_.assign(n_rules, UINT32_MAX);
    for (uint32_t i = 0; i < order.size(); ++i) program_->ranks_[order[i]] = i;
    for (RuleId rule = 0; rule < n_rules; ++rule) {
        if (program_->ranks_[rule] == UINT32_MAX) report_left_recursion(begins_with, rule);
    }
}

// Every rule without rank is begun with by another such rule, so walking backwards from any of them ends on a
// cycle.
void ProgramBuilder::report_left_recursion(const std::vector<std::vector<RuleId>>& begins_with,
                                           RuleId rule) const {
    std::vector<RuleId> caller(bodies_.size(), rule);
    for (RuleId from = 0; from < begins_with.size(); ++from) {
        if (program_->ranks_[from] != UINT32_MAX) continue;
        for (const RuleId to : begins_with[from]) caller[to] = from;
    }
    for (size_t i = 0; i < bodies_.size(); ++i) rule = caller[rule];
    std::vector<RuleId> cycle = {rule};
    for (RuleId at = caller[rule]; at != rule; at = caller[at]) cycle.push_back(at);
    std::reverse(cycle.begin() + 1, cycle.end());
    std::string path;
    for (size_t i = 0; i < std::min<size_t>(cycle.size(), 5); ++i) path += rule_name(cycle[i]) + " -> ";
    if (cycle.size() > 5) path += "... -> ";
    fail(ErrorCode::invalid_argument,
         "the grammar is left-recursive: {}{}; let every alternative begin with a character before it comes "
         "back to the rule, or use a repetition",
         path, rule_name(rule));
}

void ProgramBuilder::finish_tables() {
    const auto fill = [&](auto& from_edges, auto& table) {
        table.begin.assign(n_nodes_ + 1, 0);
        for (const auto& e : from_edges) ++table.begin[e.from + 1];
        for (uint32_t node = 0; node < n_nodes_; ++node) table.begin[node + 1] += table.begin[node];
        std::stable_sort(from_edges.begin(), from_edges.end(),
                         [](const auto& a, const auto& b) { return a.from < b.from; });
        table.edges.reserve(from_edges.size());
        for (const auto& e : from_edges) table.edges.push_back(e.edge);
    };
    fill(empty_, program_->empty_);
    fill(bytes_, program_->bytes_);
    fill(calls_, program_->calls_);
    fill(tokens_, program_->tokens_);
    program_->starts_ = starts_;
    program_->root_ = grammar_.root();
    finish_byte_classes();
}

void ProgramBuilder::finish_byte_classes() {
    bool starts_class[257] = {true};
    for (const ByteEdge& edge : program_->bytes_.edges) {
        starts_class[edge.first] = true;
        starts_class[edge.last + 1] = true;
    }
    for (uint32_t byte = 0; byte < 256; ++byte) {
        if (starts_class[byte]) program_->class_bytes_.push_back(static_cast<uint8_t>(byte));
        program_->byte_classes_[byte] = static_cast<uint8_t>(program_->class_bytes_.size() - 1);
    }
}

std::shared_ptr<const Program> Program::compile(const Grammar& grammar, CompileOptions options) {
    return ProgramBuilder(grammar, options).build();
}

}  // namespace cria::grammar
