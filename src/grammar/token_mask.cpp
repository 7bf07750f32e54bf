// The walk over the trie, and what terminals and end tokens add to it.
#include "grammar/token_mask.h"

#include <algorithm>
#include <bit>

namespace cria::grammar {
namespace {

void allow(TokenMask& mask, uint32_t id) { mask.words[id / 64] |= uint64_t{1} << (id % 64); }

void add_matching_text(MatchCache& cache, StateId start, const TokenTrie& trie, TokenMask& mask) {
    const std::span<const TokenTrie::Node> nodes = trie.nodes();
    const std::span<const uint32_t> tokens = trie.tokens();
    std::vector<StateId> state_at(trie.max_depth() + 1, MatchCache::kDead);
    state_at[0] = start;
    const size_t n_nodes = nodes.size() - 1;
    for (size_t n = 0; n < n_nodes;) {
        const TokenTrie::Node& node = nodes[n];
        const StateId state = cache.step(state_at[node.depth], node.byte);
        if (state == MatchCache::kDead) {
            n = node.skip;
            continue;
        }
        state_at[node.depth + 1] = state;
        for (uint32_t i = node.first_token; i < nodes[n + 1].first_token; ++i) allow(mask, tokens[i]);
        ++n;
    }
}

void add_matching_terminals(const MatchCache& cache, StateId state, const TokenTrie& trie, TokenMask& mask) {
    cache.for_each_token_edge(state, [&](const TokenEdge& edge) {
        if (!edge.negated) {
            if (edge.id < trie.n_tokens()) allow(mask, edge.id);
            return;
        }
        for (const uint32_t id : trie.whole_tokens()) {
            if (id != edge.id) allow(mask, id);
        }
    });
}

std::shared_ptr<const TokenMask> compute_mask(MatchCache& cache, StateId state, const TokenTrie& trie) {
    auto mask = std::make_shared<TokenMask>();
    mask->words.assign((size_t{trie.n_tokens()} + 63) / 64, 0);
    add_matching_text(cache, state, trie, *mask);
    add_matching_terminals(cache, state, trie, *mask);
    if (cache.may_end(state)) {
        for (const uint32_t id : trie.end_tokens()) allow(*mask, id);
    }
    for (const uint64_t word : mask->words) mask->n_allowed += static_cast<uint32_t>(std::popcount(word));
    return mask;
}

}  // namespace

std::shared_ptr<const TokenMask> token_mask(const Matcher& matcher,
                                            const std::shared_ptr<const TokenTrie>& trie) {
    MatchCache& cache = *matcher.cache();
    const std::scoped_lock lock(cache.mutex);
    if (cache.masks_of != trie || cache.masks.size() >= kMaxMasks) {
        cache.masks.clear();
        cache.masks_of = trie;
    }
    std::shared_ptr<const TokenMask>& mask = cache.masks[matcher.state()];
    if (mask == nullptr) mask = compute_mask(cache, matcher.state(), *trie);
    return mask;
}

bool token_allowed(const Matcher& matcher, const TokenTrie& trie, uint32_t id) {
    if (id >= trie.n_tokens()) return false;
    MatchCache& cache = *matcher.cache();
    const std::scoped_lock lock(cache.mutex);
    const StateId state = matcher.state();
    if (trie.role(id) == TokenRole::end && cache.may_end(state)) return true;
    bool is_terminal = false;
    cache.for_each_token_edge(state, [&](const TokenEdge& edge) {
        const bool is_whole = std::ranges::binary_search(trie.whole_tokens(), id);
        is_terminal |= edge.negated ? edge.id != id && is_whole : edge.id == id;
    });
    if (is_terminal) return true;
    if (!trie.judged_by_text(id)) return false;
    StateId at = state;
    for (const char byte : trie.bytes(id)) {
        at = cache.step(at, static_cast<uint8_t>(byte));
        if (at == MatchCache::kDead) return false;
    }
    return true;
}

}  // namespace cria::grammar
