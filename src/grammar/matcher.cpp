// Stepping through the cache, and leaving it for a fresh one when it has grown too large.
#include "grammar/matcher.h"

#include <algorithm>

namespace cria::grammar {
namespace {

StateId walk(MatchCache& cache, StateId state, std::string_view bytes) {
    for (const char byte : bytes) {
        state = cache.step(state, static_cast<uint8_t>(byte));
        if (state == MatchCache::kDead) break;
    }
    return state;
}

StateId walk_token(MatchCache& cache, StateId state, uint32_t id, std::string_view bytes) {
    const StateId by_text = bytes.empty() ? MatchCache::kDead : walk(cache, state, bytes);
    return cache.has_tokens(state) ? cache.unite(by_text, cache.step_token(state, id)) : by_text;
}

}  // namespace

Matcher::Matcher(std::shared_ptr<const Program> program, size_t cache_size)
    : cache_(std::make_shared<MatchCache>(std::move(program), cache_size)), state_(cache_->start()) {}

bool Matcher::accept(std::string_view bytes) {
    // Long texts go in portions, so that the cache can be renewed in between.
    constexpr size_t kPortion = 4096;
    Matcher next = *this;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(kPortion, bytes.size()))) {
        next.renew_cache();
        const std::scoped_lock lock(next.cache_->mutex);
        next.state_ = walk(*next.cache_, next.state_, bytes.substr(0, kPortion));
        if (next.state_ == MatchCache::kDead) return false;
    }
    *this = std::move(next);
    return true;
}

bool Matcher::accept_token(uint32_t id, std::string_view bytes) {
    renew_cache();
    const std::scoped_lock lock(cache_->mutex);
    const StateId next = walk_token(*cache_, state_, id, bytes);
    if (next == MatchCache::kDead) return false;
    state_ = next;
    return true;
}

size_t Matcher::accepted_length(std::string_view bytes) const {
    const std::scoped_lock lock(cache_->mutex);
    StateId state = state_;
    for (size_t i = 0; i < bytes.size(); ++i) {
        state = cache_->step(state, static_cast<uint8_t>(bytes[i]));
        if (state == MatchCache::kDead) return i;
    }
    return bytes.size();
}

bool Matcher::allows_token(uint32_t id, std::string_view bytes) const {
    const std::scoped_lock lock(cache_->mutex);
    return walk_token(*cache_, state_, id, bytes) != MatchCache::kDead;
}

bool Matcher::may_end() const {
    const std::scoped_lock lock(cache_->mutex);
    return cache_->may_end(state_);
}

// Other copies keep the old cache for as long as they need it.
void Matcher::renew_cache() {
    std::shared_ptr<MatchCache> fresh;
    {
        const std::scoped_lock lock(cache_->mutex);
        if (!cache_->is_full()) return;
        fresh = std::make_shared<MatchCache>(cache_->shared_program(), cache_->full_size());
        state_ = fresh->import_state(*cache_, state_);
    }
    cache_ = std::move(fresh);
}

}  // namespace cria::grammar
