// Product construction, complement and trimming of automata over code points.
#include "grammar/string_set.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace cria::grammar {
namespace {

constexpr uint32_t kDead = UINT32_MAX;

void check_size(size_t n_states) {
    if (n_states > StringSet::kMaxStates) {
        fail(ErrorCode::unsupported,
             "a pattern needs more than {} states; make repetition counts or lengths smaller",
             StringSet::kMaxStates);
    }
}

// Appends an edge, merging it with the previous one when both lead to the same place.
void append_edge(std::vector<StringSet::Edge>& edges, CodePointRange range, uint32_t target) {
    if (!edges.empty() && edges.back().target == target && edges.back().range.last + 1 == range.first) {
        edges.back().range.last = range.last;
    } else {
        edges.push_back({range, target});
    }
}

uint32_t target_of(const StringSet::State& state, uint32_t code_point) {
    for (const StringSet::Edge& edge : state.edges) {
        if (edge.range.first <= code_point && code_point <= edge.range.last) return edge.target;
    }
    return kDead;
}

// The points at which the edges of either state change, within CodePointSet::all().
std::vector<CodePointRange> common_ranges(const std::vector<StringSet::Edge>& a,
                                          const std::vector<StringSet::Edge>& b) {
    std::vector<uint32_t> starts = {0, 0xE000};
    std::vector<uint32_t> ends = {0xD7FF, kMaxCodePoint};
    for (const auto* edges : {&a, &b}) {
        for (const StringSet::Edge& edge : *edges) {
            starts.push_back(edge.range.first);
            if (edge.range.first > 0) ends.push_back(edge.range.first - 1);
            ends.push_back(edge.range.last);
            starts.push_back(edge.range.last + 1);
        }
    }
    for (auto* points : {&starts, &ends}) {
        std::sort(points->begin(), points->end());
        points->erase(std::unique(points->begin(), points->end()), points->end());
    }
    std::vector<CodePointRange> ranges;
    for (uint32_t start : starts) {
        const auto end = std::lower_bound(ends.begin(), ends.end(), start);
        if (end != ends.end() && CodePointSet::all().contains(start)) ranges.push_back({start, *end});
    }
    return ranges;
}

}  // namespace

StringSet::StringSet(std::vector<State> states) : states_(std::move(states)) {
    if (states_.empty()) states_.resize(1);
    check_size(states_.size());
    trim();
}

StringSet StringSet::everything() { return with_length(0, std::nullopt); }

StringSet StringSet::of(const std::vector<std::string>& members) {
    std::vector<std::map<uint32_t, uint32_t>> trie(1);
    std::vector<bool> accepts(1, false);
    for (const std::string& member : members) {
        uint32_t at = 0;
        for (size_t i = 0; i < member.size();) {
            const DecodedCodePoint next = decode_utf8(member, i);
            i += next.n_bytes;
            const auto [edge, is_new] =
                trie[at].try_emplace(next.code_point, static_cast<uint32_t>(trie.size()));
            at = edge->second;
            if (!is_new) continue;
            trie.emplace_back();
            accepts.push_back(false);
            check_size(trie.size());
        }
        accepts[at] = true;
    }
    std::vector<State> states(trie.size());
    for (size_t s = 0; s < trie.size(); ++s) {
        states[s].accepts = accepts[s];
        for (const auto& [code_point, target] : trie[s])
            states[s].edges.push_back({{code_point, code_point}, target});
    }
    return StringSet(std::move(states));
}

StringSet StringSet::with_length(uint64_t min, std::optional<uint64_t> max) {
    if (max && *max < min) return StringSet();
    const uint64_t last = max ? *max : min;
    check_size(last >= kMaxStates ? kMaxStates + 1 : last + 1);
    std::vector<State> states(last + 1);
    for (uint32_t s = 0; s <= last; ++s) {
        states[s].accepts = s >= min;
        if (s == last && max) break;
        for (const CodePointRange& range : CodePointSet::all().ranges())
            states[s].edges.push_back({range, s == last ? s : s + 1});
    }
    return StringSet(std::move(states));
}

StringSet StringSet::product(const StringSet& a, const StringSet& b, bool needs_both) {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> ids = {{{0, 0}, 0}};
    std::vector<std::pair<uint32_t, uint32_t>> pairs = {{0, 0}};
    std::vector<State> states;
    static const State kNothing;
    for (size_t i = 0; i < pairs.size(); ++i) {
        const auto [left, right] = pairs[i];
        const State& from_a = left == kDead ? kNothing : a.states_[left];
        const State& from_b = right == kDead ? kNothing : b.states_[right];
        State state;
        state.accepts = needs_both ? from_a.accepts && from_b.accepts : from_a.accepts || from_b.accepts;
        for (const CodePointRange& range : common_ranges(from_a.edges, from_b.edges)) {
            const std::pair next = {target_of(from_a, range.first), target_of(from_b, range.first)};
            const bool is_dead = needs_both ? next.first == kDead || next.second == kDead
                                            : next.first == kDead && next.second == kDead;
            if (is_dead) continue;
            const auto [known, is_new] = ids.try_emplace(next, static_cast<uint32_t>(pairs.size()));
            if (is_new) pairs.push_back(next);
            append_edge(state.edges, range, known->second);
        }
        states.push_back(std::move(state));
        check_size(pairs.size());
    }
    return StringSet(std::move(states));
}

StringSet StringSet::intersected(const StringSet& other) const { return product(*this, other, true); }

StringSet StringSet::united(const StringSet& other) const { return product(*this, other, false); }

StringSet StringSet::complement() const {
    std::vector<State> states = states_;
    const auto sink = static_cast<uint32_t>(states.size());
    states.emplace_back();
    for (State& state : states) {
        state.accepts = !state.accepts;
        std::vector<Edge> edges;
        for (const CodePointRange& range : common_ranges(state.edges, {})) {
            const uint32_t target = target_of(state, range.first);
            append_edge(edges, range, target == kDead ? sink : target);
        }
        state.edges = std::move(edges);
    }
    return StringSet(std::move(states));
}

bool StringSet::contains(std::string_view text) const {
    uint32_t at = 0;
    for (size_t i = 0; i < text.size();) {
        const DecodedCodePoint next = decode_utf8(text, i);
        i += next.n_bytes;
        at = target_of(states_[at], next.code_point);
        if (at == kDead) return false;
    }
    return states_[at].accepts;
}

bool StringSet::empty() const { return !states_[0].accepts && states_[0].edges.empty(); }

bool StringSet::is_everything() const { return complement().empty(); }

// Keeps the states that lie between the start and an accepting state, then numbers them in order of
// discovery.
void StringSet::trim() {
    std::vector<std::vector<uint32_t>> sources(states_.size());
    std::vector<uint32_t> queue;
    std::vector<bool> useful(states_.size(), false);
    for (uint32_t s = 0; s < states_.size(); ++s) {
        for (const Edge& edge : states_[s].edges) sources[edge.target].push_back(s);
        if (states_[s].accepts) {
            useful[s] = true;
            queue.push_back(s);
        }
    }
    while (!queue.empty()) {
        const uint32_t s = queue.back();
        queue.pop_back();
        for (uint32_t source : sources[s]) {
            if (useful[source]) continue;
            useful[source] = true;
            queue.push_back(source);
        }
    }
    std::vector<uint32_t> new_id(states_.size(), kDead);
    std::vector<uint32_t> order = {0};
    new_id[0] = 0;
    std::vector<State> kept;
    for (size_t i = 0; i < order.size(); ++i) {
        State state{states_[order[i]].accepts, {}};
        for (const Edge& edge : states_[order[i]].edges) {
            if (!useful[edge.target]) continue;
            if (new_id[edge.target] == kDead) {
                new_id[edge.target] = static_cast<uint32_t>(order.size());
                order.push_back(edge.target);
            }
            append_edge(state.edges, edge.range, new_id[edge.target]);
        }
        kept.push_back(std::move(state));
    }
    states_ = std::move(kept);
}

}  // namespace cria::grammar
