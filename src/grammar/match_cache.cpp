// Closure: what is open after a step. First returns (phase one), then calls in order of rank (phase two), so
// that a rule's frame is complete before the rule is entered. This works because left recursion was refused:
// calls at one place have an order.
#include "grammar/match_cache.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace cria::grammar {
namespace {

constexpr NodeId kNoNode = UINT32_MAX;
constexpr size_t kLeastSeenSlots = 64;

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

}  // namespace

MatchCache::MatchCache(std::shared_ptr<const Program> program, size_t full_size)
    : program_(std::move(program)),
      full_size_(full_size),
      n_classes_(program_->n_byte_classes()),
      pending_(program_->n_rules()) {
    std::vector<Item> none;
    intern_frame(none);
    intern_state(none, false);
    // The root is entered like any rule, from a caller that does not exist.
    open({program_->start(program_->root()), kRootFrame});
    start_ = close();
}

// Remembers the item; queues it when it is new.
void MatchCache::open(Item item) {
    if (2 * (n_seen_ + 1) > seen_slots_.size()) grow_seen();
    Item& slot = seen_slot(item);
    if (slot.node != kNoNode) return;
    slot = item;
    ++n_seen_;
    count_open(1);
    queue_.push_back(item);
}

// Where the item is, or where it belongs.
MatchCache::Item& MatchCache::seen_slot(Item item) {
    const size_t mask = seen_slots_.size() - 1;
    size_t slot = mix(item.node, item.frame) & mask;
    while (seen_slots_[slot].node != kNoNode && seen_slots_[slot] != item) slot = (slot + 1) & mask;
    return seen_slots_[slot];
}

void MatchCache::grow_seen() {
    const std::vector<Item> old = std::move(seen_slots_);
    seen_slots_.assign(std::max(kLeastSeenSlots, old.size() * 2), {kNoNode, 0});
    for (const Item& known : old) {
        if (known.node != kNoNode) seen_slot(known) = known;
    }
}

void MatchCache::count_open(size_t n_more) {
    n_open_ += n_more;
    if (n_open_ <= kMaxOpen) return;
    reset_work();
    fail(ErrorCode::no_space,
         "more than {} alternatives of the grammar are open at one place; make its rules less ambiguous",
         kMaxOpen);
}

void MatchCache::reset_work() {
    for (const uint32_t rank : pending_ranks_) pending_[rank].clear();
    pending_ranks_.clear();
    queue_.clear();
    kept_.clear();
    may_end_ = false;
    n_open_ = 0;
    if (seen_slots_.size() > std::max(kLeastSeenSlots, 16 * n_seen_)) seen_slots_.resize(kLeastSeenSlots);
    std::fill(seen_slots_.begin(), seen_slots_.end(), Item{kNoNode, 0});
    n_seen_ = 0;
}

// A call that returns to the mere end of the calling rule returns to that rule's callers instead: recursion
// at the end of a rule then needs no stack, and lists written as recursion stay as cheap as repetitions.
void MatchCache::add_call(const CallEdge& call, FrameId frame) {
    const uint32_t rank = program_->rank(call.rule);
    std::vector<Item>& callers = pending_[rank];
    if (callers.empty()) {
        pending_ranks_.push_back(rank);
        std::push_heap(pending_ranks_.begin(), pending_ranks_.end(), std::greater<>());
    }
    if (frame != kRootFrame && program_->is_only_end(call.to)) {
        const auto outer = callers_of(frame);
        callers.insert(callers.end(), outer.begin(), outer.end());
        count_open(outer.size());
    } else {
        callers.push_back({call.to, frame});
        count_open(1);
    }
    if (program_->nullable(call.rule)) open({call.to, frame});
}

// Follows everything in the queue without matching text. In phase two an end means that the entered rule may
// be empty, which its caller has already stepped over.
void MatchCache::explore(bool ends_return) {
    while (!queue_.empty()) {
        const Item item = queue_.back();
        queue_.pop_back();
        if (!program_->byte_edges(item.node).empty() || !program_->token_edges(item.node).empty())
            kept_.push_back(item);
        for (const NodeId to : program_->empty_edges(item.node)) open({to, item.frame});
        for (const CallEdge& call : program_->call_edges(item.node)) add_call(call, item.frame);
        if (!program_->is_end(item.node) || !ends_return) continue;
        if (item.frame == kRootFrame) may_end_ = true;
        for (const Item& caller : callers_of(item.frame)) open(caller);
    }
}

// The state of everything reachable from the opened items.
StateId MatchCache::close() {
    explore(true);
    while (!pending_ranks_.empty()) {
        std::pop_heap(pending_ranks_.begin(), pending_ranks_.end(), std::greater<>());
        const uint32_t rank = pending_ranks_.back();
        pending_ranks_.pop_back();
        const FrameId frame = intern_frame(pending_[rank]);
        pending_[rank].clear();
        open({program_->start(program_->rule_at_rank(rank)), frame});
        explore(false);
    }
    const StateId state = intern_state(kept_, may_end_);
    reset_work();
    return state;
}

FrameId MatchCache::intern_frame(std::vector<Item>& callers) {
    std::sort(callers.begin(), callers.end());
    callers.erase(std::unique(callers.begin(), callers.end()), callers.end());
    uint64_t hash = callers.size();
    for (const Item& caller : callers) hash = mix(mix(hash, caller.node), caller.frame);
    const auto [first, last] = frame_ids_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (std::ranges::equal(callers_of(known->second), callers)) return known->second;
    }
    const auto id = static_cast<FrameId>(frames_.size());
    frames_.push_back({static_cast<uint32_t>(callers_.size()), static_cast<uint32_t>(callers.size())});
    callers_.insert(callers_.end(), callers.begin(), callers.end());
    frame_ids_.emplace(hash, id);
    return id;
}

StateId MatchCache::intern_state(std::vector<Item>& items, bool may_end) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    uint64_t hash = items.size() * 2 + may_end;
    for (const Item& item : items) hash = mix(mix(hash, item.node), item.frame);
    const auto [first, last] = state_ids_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
        if (may_end == states_[known->second].may_end && std::ranges::equal(items_of(known->second), items))
            return known->second;
    }
    const auto id = static_cast<StateId>(states_.size());
    const bool has_tokens = program_->has_token_edges() && std::ranges::any_of(items, [&](const Item& item) {
                                return !program_->token_edges(item.node).empty();
                            });
    states_.push_back(
        {{static_cast<uint32_t>(items_.size()), static_cast<uint32_t>(items.size())}, may_end, has_tokens});
    items_.insert(items_.end(), items.begin(), items.end());
    steps_.resize(steps_.size() + n_classes_, kUnknown);
    state_ids_.emplace(hash, id);
    return id;
}

StateId MatchCache::compute_step(StateId state, uint8_t byte) {
    for (const Item& item : items_of(state)) {
        for (const ByteEdge& edge : program_->byte_edges(item.node)) {
            if (edge.first <= byte && byte <= edge.last) open({edge.to, item.frame});
        }
    }
    const StateId next = queue_.empty() ? kDead : close();
    steps_[size_t{state} * n_classes_ + program_->byte_class(byte)] = next;
    return next;
}

StateId MatchCache::step_token(StateId state, uint32_t id) {
    for (const Item& item : items_of(state)) {
        for (const TokenEdge& edge : program_->token_edges(item.node)) {
            if ((edge.id == id) != edge.negated) open({edge.to, item.frame});
        }
    }
    return queue_.empty() ? kDead : close();
}

StateId MatchCache::unite(StateId a, StateId b) {
    if (a == b || b == kDead) return a;
    if (a == kDead) return b;
    std::vector<Item> items(items_of(a).begin(), items_of(a).end());
    items.insert(items.end(), items_of(b).begin(), items_of(b).end());
    return intern_state(items, may_end(a) || may_end(b));
}

StateId MatchCache::import_state(const MatchCache& other, StateId state) {
    // Callers are always older than the frame they are in, so ascending order meets them first.
    std::vector<bool> needed(other.frames_.size(), false);
    for (const Item& item : other.items_of(state)) needed[item.frame] = true;
    for (size_t frame = other.frames_.size(); frame-- > 0;) {
        if (!needed[frame]) continue;
        for (const Item& caller : other.callers_of(static_cast<FrameId>(frame))) needed[caller.frame] = true;
    }
    std::vector<FrameId> here(other.frames_.size(), kRootFrame);
    for (size_t frame = 1; frame < other.frames_.size(); ++frame) {
        if (!needed[frame]) continue;
        std::vector<Item> callers;
        for (const Item& caller : other.callers_of(static_cast<FrameId>(frame)))
            callers.push_back({caller.node, here[caller.frame]});
        here[frame] = intern_frame(callers);
    }
    std::vector<Item> items;
    for (const Item& item : other.items_of(state)) items.push_back({item.node, here[item.frame]});
    const StateId imported = intern_state(items, other.may_end(state));
    // A place that fills a cache by itself would be moved for ever.
    full_size_ = std::max(full_size_, 2 * size());
    return imported;
}

}  // namespace cria::grammar
