// See string_bans.h.
#include "sampling/string_bans.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace cria::sampling {
namespace {

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_ascii(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = lower_ascii(c);
    return result;
}

std::vector<std::string> lowered(const std::vector<std::string>& strings) {
    std::vector<std::string> result;
    for (const std::string& text : strings) result.push_back(lower_ascii(text));
    return result;
}

}  // namespace

StringBans::StringBans(BanOptions options)
    : options_(std::move(options)), matcher_(lowered(options_.strings)) {
    if (std::isnan(options_.bias) || options_.n_biased < -1 || options_.max_rewinds < -1)
        fail(ErrorCode::invalid_argument,
             "banned strings: bias {}, banned tokens per match {}, rewinds {}; the bias must be a number, "
             "the others at least -1",
             options_.bias, options_.n_biased, options_.max_rewinds);
    if (options_.n_biased == 0 && options_.max_rewinds == 0)
        fail(ErrorCode::invalid_argument,
             "banned strings: without banned tokens (0) and with unlimited rewinds (0) generation may never "
             "end; change one");
}

BanStep StringBans::feed(Token token, std::string_view piece) {
    held_.push_back({token, std::string(piece), state_});
    const auto match = find_match(held_.back().piece);
    if (match) return is_exhausted() ? let_through() : rewind(*match);
    const size_t n = n_releasable();
    release(n);
    return {.n_released = n};
}

// The first match to be complete in the text that ends with this piece.
std::optional<StringBans::Match> StringBans::find_match(std::string_view piece) {
    for (size_t i = 0; i < piece.size(); ++i) {
        state_ = matcher_.step(state_, lower_ascii(piece[i]));
        const int32_t pattern = matcher_.match(state_);
        if (pattern >= 0) return Match{matcher_.pattern(pattern).size() + (piece.size() - i - 1)};
    }
    if (!options_.search) return std::nullopt;
    std::string text;
    for (const Held& held : held_) text += held.piece;
    const auto found = options_.search(text);
    if (!found || found->second == 0 || found->first >= text.size()) return std::nullopt;
    return Match{text.size() - found->first};
}

BanStep StringBans::rewind(const Match& match) {
    size_t n_rewound = 0;
    for (size_t n_bytes = 0; n_bytes < match.n_bytes_from_end && n_rewound < held_.size();)
        n_bytes += held_[held_.size() - ++n_rewound].piece.size();
    const size_t first = held_.size() - n_rewound;
    const uint64_t place = n_final_ + first;
    const size_t n_banned =
        options_.n_biased < 0 ? n_rewound : std::min(n_rewound, static_cast<size_t>(options_.n_biased));
    auto& banned = banned_at_[place];
    for (size_t i = 0; i < n_banned; ++i) banned.push_back(held_[first + i].token);
    banned_at_.erase(banned_at_.upper_bound(place),
                     banned_at_.end());  // the text before those places is another now
    state_ = held_[first].before;
    held_.resize(first);
    ++n_rewinds_;
    return {.n_rewound = n_rewound};
}

bool StringBans::is_exhausted() const {
    if (options_.max_rewinds == 0) return false;
    if (options_.max_rewinds > 0) return n_rewinds_ >= options_.max_rewinds;
    return n_rewinds_ >= 20 &&
           n_rewinds_ > 2 * static_cast<int64_t>(matcher_.size() + options_.n_search_patterns);
}

BanStep StringBans::let_through() {
    const size_t n = held_.size();
    release(n);
    state_ = TextMatcher::kStart;
    return {.n_released = n};
}

// A token is kept while its text may belong to a match, now or after any of the tokens kept behind it has
// been taken back.
size_t StringBans::n_releasable() const {
    ptrdiff_t end = 0;  // of the token looked at, in bytes of the held text
    for (const Held& held : held_) end += static_cast<ptrdiff_t>(held.piece.size());
    ptrdiff_t needed_from = end - static_cast<ptrdiff_t>(matcher_.depth(state_));
    size_t first = held_.size();
    for (size_t i = held_.size(); i-- > 0;) {
        const ptrdiff_t begin = end - static_cast<ptrdiff_t>(held_[i].piece.size());
        if (end > needed_from) {
            first = i;
            needed_from =
                std::min(needed_from, begin - static_cast<ptrdiff_t>(matcher_.depth(held_[i].before)));
        }
        end = begin;
    }
    const size_t n_kept = held_.size() - first;
    return held_.size() -
           (options_.search ? std::min(held_.size(), std::max(n_kept, options_.n_search_tokens)) : n_kept);
}

void StringBans::release(size_t n) {
    if (n == 0) return;
    held_.erase(held_.begin(), held_.begin() + static_cast<ptrdiff_t>(n));
    n_final_ += n;
    banned_at_.erase(banned_at_.begin(), banned_at_.lower_bound(n_final_));
    n_rewinds_ = 0;
}

size_t StringBans::finish() {
    const size_t n = held_.size();
    release(n);
    return n;
}

std::vector<TokenBias> StringBans::biases() const {
    std::vector<TokenBias> result;
    const auto found = banned_at_.find(n_final_ + held_.size());
    if (found == banned_at_.end()) return result;
    std::vector<Token> tokens = found->second;
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    for (const Token token : tokens) result.push_back({token, options_.bias});
    return result;
}

}  // namespace cria::sampling
