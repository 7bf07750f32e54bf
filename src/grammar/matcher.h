// Matches text against a program piece by piece. The unit is the byte, so a code point may be split between
// pieces anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "grammar/match_cache.h"
#include "grammar/program.h"

namespace cria::grammar {

// A place in a text that matched so far. Copies are cheap (a pointer and two numbers), independent of each
// other, and share a cache behind a lock: any number of threads may each use their own copy. One object is
// for one thread at a time. Time per byte does not depend on the text before it for grammars of bounded
// ambiguity; see MatchCache::kMaxOpen for the others.
class Matcher {
  public:
    // `cache_size`: how many numbers (4 to 8 bytes each) the shared cache may hold before copies that go on
    // move to a fresh one.
    explicit Matcher(std::shared_ptr<const Program> program, size_t cache_size = MatchCache::kFullSize);

    // Advances over all of `bytes` and returns true, or stays where it was and returns false when the grammar
    // refuses one of them. Throws Error{no_space} when the grammar is too ambiguous to go on; the matcher
    // then stays where it was.
    bool accept(std::string_view bytes);
    // The same for a token: its text or a token terminal of the grammar may match, and what either allows
    // goes on. Tokens without text match terminals only.
    bool accept_token(uint32_t id, std::string_view bytes);
    // How many bytes of `bytes` would be accepted from here.
    size_t accepted_length(std::string_view bytes) const;
    // Whether accept() or accept_token() would return true.
    bool allows(std::string_view bytes) const { return accepted_length(bytes) == bytes.size(); }
    bool allows_token(uint32_t id, std::string_view bytes) const;
    // Whether the text so far is complete.
    bool may_end() const;

    // For token_mask.cpp.
    const std::shared_ptr<MatchCache>& cache() const { return cache_; }
    StateId state() const { return state_; }

  private:
    void renew_cache();

    std::shared_ptr<MatchCache> cache_;
    StateId state_;
};

}  // namespace cria::grammar
