// The states that matching a program has met so far, each interned once, and the steps between them: an
// automaton that grows as it is used. Internal to the room; Matcher is its public face.
//
// A state is a set of items (node, frame). A frame says where a call of a rule came from: the set of (node to
// go on at, frame of the caller). All calls of one rule at one place in the text share one frame (a
// graph-structured stack), so ambiguity costs at most the square of the text instead of an exponent, and
// equal contexts are equal numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "grammar/program.h"

namespace cria::grammar {

using StateId = uint32_t;
using FrameId = uint32_t;
class TokenTrie;
struct TokenMask;

// Not thread-safe by itself: whoever uses it holds `mutex`.
class MatchCache {
  public:
    static constexpr StateId kDead = 0;  // nothing can follow; no text leads here but refused text
    static constexpr FrameId kRootFrame = 0;
    // Items and callers that one state may hold open. Ordinary grammars stay below 100; reaching this means
    // that the grammar is ambiguous in a way that grows with the text.
    static constexpr size_t kMaxOpen = 50000;
    // Numbers kept before the owner should start afresh with import_state(): about 128 MB.
    static constexpr size_t kFullSize = size_t{1} << 24;

    explicit MatchCache(std::shared_ptr<const Program> program, size_t full_size = kFullSize);

    const Program& program() const { return *program_; }
    const std::shared_ptr<const Program>& shared_program() const { return program_; }
    StateId start() const { return start_; }
    bool may_end(StateId state) const { return states_[state].may_end; }
    bool has_tokens(StateId state) const { return states_[state].has_tokens; }
    bool is_full() const { return size() > full_size_; }
    size_t full_size() const { return full_size_; }

    // kDead when the byte is refused. Throws Error{no_space} when more than kMaxOpen alternatives would be
    // open.
    StateId step(StateId state, uint8_t byte) {
        const size_t at = size_t{state} * n_classes_ + program_->byte_class(byte);
        return steps_[at] != kUnknown ? steps_[at] : compute_step(state, byte);
    }
    // The state after a token that is matched by token terminals only; kDead when there is none.
    StateId step_token(StateId state, uint32_t id);
    // Calls visit(edge) for the token terminals open in `state`.
    template <typename Visit>
    void for_each_token_edge(StateId state, Visit visit) const {
        for (const Item& item : items_of(state)) {
            for (const TokenEdge& edge : program_->token_edges(item.node)) visit(edge);
        }
    }
    // Everything that either state allows.
    StateId unite(StateId a, StateId b);
    // The same state of another cache of the same program, as a state of this one.
    StateId import_state(const MatchCache& other, StateId state);

    std::mutex mutex;
    // Masks by state for one vocabulary (token_mask.cpp fills this).
    std::unordered_map<StateId, std::shared_ptr<const TokenMask>> masks;
    std::shared_ptr<const TokenTrie> masks_of;

  private:
    static constexpr StateId kUnknown = UINT32_MAX;

    struct Item {
        NodeId node;
        FrameId frame;
        bool operator==(const Item&) const = default;
        auto operator<=>(const Item&) const = default;
    };
    struct Slice {
        uint32_t begin;
        uint32_t count;
    };
    struct State {
        Slice items;
        bool may_end;
        bool has_tokens;
    };

    std::span<const Item> items_of(StateId state) const {
        return {items_.data() + states_[state].items.begin, states_[state].items.count};
    }
    std::span<const Item> callers_of(FrameId frame) const {
        return {callers_.data() + frames_[frame].begin, frames_[frame].count};
    }
    StateId compute_step(StateId state, uint8_t byte);
    StateId close();
    void explore(bool ends_return);
    void open(Item item);
    Item& seen_slot(Item item);
    void grow_seen();
    void count_open(size_t n_more);
    void reset_work();
    void add_call(const CallEdge& call, FrameId frame);
    FrameId intern_frame(std::vector<Item>& callers);
    StateId intern_state(std::vector<Item>& items, bool may_end);

    size_t size() const { return items_.size() + callers_.size() + steps_.size(); }

    std::shared_ptr<const Program> program_;
    size_t full_size_;
    uint32_t n_classes_;
    StateId start_ = kDead;
    std::vector<Item> items_;    // of all states
    std::vector<Item> callers_;  // of all frames
    std::vector<State> states_;
    std::vector<Slice> frames_;
    std::vector<StateId> steps_;  // [state][byte class]
    std::unordered_multimap<uint64_t, StateId> state_ids_;
    std::unordered_multimap<uint64_t, FrameId> frame_ids_;

    // Working memory of close(): kept to avoid allocation.
    std::vector<Item> queue_;
    std::vector<Item> kept_;
    std::vector<Item> seen_slots_;  // open addressing, power of two; node kNoNode is empty
    size_t n_seen_ = 0;
    bool may_end_ = false;
    std::vector<std::vector<Item>> pending_;  // callers by rank of the called rule
    std::vector<uint32_t> pending_ranks_;     // heap, least first
    size_t n_open_ = 0;
};

}  // namespace cria::grammar
