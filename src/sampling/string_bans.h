// Banned strings with rewind: tokens are held back as long as they may be the beginning of a banned string;
// when one is complete, the tokens from its start on are taken back and the first of them is made unlikely at
// that place. Behaviour: shared/spec/interop.md 6.20. Text is compared without regard to ASCII case.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sampling/penalties.h"
#include "sampling/text_matcher.h"

namespace cria::sampling {

struct BanOptions {
    std::vector<std::string> strings;
    float bias = -999.0f;  // for tokens banned at a place
    int32_t n_biased = 1;  // how many tokens of the match are banned at its place; -1 all, 0 none
    int32_t max_rewinds =
        -1;  // in a row, before the text is let through; 0 unlimited, -1: 20 and twice the number of strings

    // Further patterns, such as those of add_regex_bans(): the first match in the text of the held tokens, as
    // {start, length} in bytes; empty matches do not count. The last n_search_tokens tokens are then always
    // held.
    std::function<std::optional<std::pair<size_t, size_t>>(std::string_view)> search;
    size_t n_search_tokens = 0;
    size_t n_search_patterns = 0;
};

// Adds regular expressions (grammar/regex.h), which are looked for in the last n_tokens tokens; 0: as many as
// the longest has characters, and one. With ignore_case ASCII letters match in either case, in the pattern
// those that are not part of an escape. Replaces `search`. Throws what Regex::compile throws, and
// Error{invalid_argument} for a pattern that matches the empty text.
void add_regex_bans(BanOptions& options, std::span<const std::string> patterns, bool ignore_case,
                    size_t n_tokens = 0);

// What to do after a token.
struct BanStep {
    size_t n_released = 0;  // so many of the oldest held tokens are final and may be shown
    size_t n_rewound = 0;   // so many of the newest (the one just fed included) were wrong: remove them from
                            // context and chain
};

// For each token: sample with biases(), feed() it, do what the step says. A token is released once no banned
// string can begin in it, whatever held tokens after it may be taken back; texts in which almost everything
// begins a banned string are held for long. With unlimited rewinds a text may take very long where nearly all
// continuations are banned. Not thread-safe.
class StringBans {
  public:
    // Throws Error{invalid_argument} for empty strings, a bias that is NaN, n_biased or max_rewinds below -1,
    // and for n_biased 0 together with unlimited rewinds, which may never end.
    explicit StringBans(BanOptions options);

    BanStep feed(Token token, std::string_view piece);
    // Generation is over: all held tokens become final; returns how many.
    size_t finish();
    // Biases for the next token: those of tokens that led to a banned string at this place.
    std::vector<TokenBias> biases() const;
    size_t n_held() const { return held_.size(); }

  private:
    struct Held {
        Token token;
        std::string piece;          // as written
        TextMatcher::State before;  // of the matcher
    };
    struct Match {
        size_t n_bytes_from_end;  // where it starts, from the end of the held text
    };

    std::optional<Match> find_match(std::string_view piece);
    BanStep rewind(const Match& match);
    BanStep let_through();
    size_t n_releasable() const;
    void release(size_t n);
    bool is_exhausted() const;

    BanOptions options_;
    TextMatcher matcher_;
    TextMatcher::State state_ = TextMatcher::kStart;
    std::deque<Held> held_;
    uint64_t n_final_ = 0;  // tokens released so far: position of held_.front()
    std::map<uint64_t, std::vector<Token>> banned_at_;
    int64_t n_rewinds_ = 0;  // in a row
};

}  // namespace cria::sampling
