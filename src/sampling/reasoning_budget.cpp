// See reasoning_budget.h.
#include "sampling/reasoning_budget.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "sampling/utf8_tail.h"

namespace cria::sampling {
namespace {

// A character has at most four bytes, so a model that writes whole ones needs no more tokens than that.
constexpr size_t kMaxWaitedTokens = 4;

bool ends_with(const std::vector<Token>& tokens, const std::vector<Token>& ending) {
    return tokens.size() >= ending.size() && std::equal(ending.rbegin(), ending.rend(), tokens.rbegin());
}

// How many tokens of `ending` the model has just written by itself, without having finished it.
size_t n_begun(const std::vector<Token>& tokens, const std::vector<Token>& ending) {
    for (size_t n = std::min(tokens.size(), ending.size() - 1); n > 0; --n)
        if (std::equal(ending.begin(), ending.begin() + static_cast<ptrdiff_t>(n),
                       tokens.end() - static_cast<ptrdiff_t>(n)))
            return n;
    return 0;
}

}  // namespace

ReasoningBudget::ReasoningBudget(ReasoningBudgetOptions options) : options_(std::move(options)) {
    if (options_.start.empty() || options_.end.empty())
        fail(ErrorCode::invalid_argument,
             "a reasoning budget needs the tokens that open and close a reasoning block, got {} and {}; the "
             "chat template names them",
             options_.start.size(), options_.end.size());
    if (options_.n_tokens < -1)
        fail(ErrorCode::invalid_argument,
             "the reasoning budget is {}; give a number of tokens, or -1 for unlimited", options_.n_tokens);
    forced_ = options_.message;
    forced_.insert(forced_.end(), options_.end.begin(), options_.end.end());
}

void ReasoningBudget::apply(CandidateArray& candidates) {
    sanitise(candidates);
    if (state_ != State::forcing) return;
    const Token wanted = forced_[n_forced_];
    const auto items = candidates.span();
    const bool is_there =
        std::any_of(items.begin(), items.end(), [&](const TokenData& item) { return item.id == wanted; });
    if (!is_there) return;
    for (TokenData& item : items)
        item.logit = item.id == wanted ? std::max(item.logit, 0.0f) : -std::numeric_limits<float>::infinity();
    candidates.sorted = false;
}

void ReasoningBudget::accept(Token token) {
    follow_text(token);
    switch (state_) {
        case State::idle:
        case State::done:
            if (ends_with(recent_, options_.start)) open();
            return;
        case State::counting:
            if (ends_with(recent_, options_.end)) {
                state_ = State::done;
            } else if (options_.n_tokens >= 0 && --n_left_ <= 0) {
                use_up();
            }
            return;
        case State::waiting:
            ++n_waited_;
            if (ends_with(recent_, options_.end)) {
                state_ = State::done;
            } else {
                use_up();
            }
            return;
        case State::forcing:
            if (token == forced_[n_forced_]) ++n_forced_;
            if (n_forced_ == forced_.size()) state_ = State::done;
            return;
    }
}

void ReasoningBudget::reset() {
    state_ = State::idle;
    tail_.clear();
    recent_.clear();
}

std::string ReasoningBudget::describe() const {
    if (options_.n_tokens < 0) return "reasoning budget unlimited";
    return fmt::format("reasoning budget {}", options_.n_tokens);
}

void ReasoningBudget::open() {
    state_ = State::counting;
    recent_.clear();
    n_left_ = options_.n_tokens;
    n_waited_ = 0;
    if (n_left_ == 0) use_up();
}

void ReasoningBudget::use_up() {
    const bool is_inside_character = incomplete_utf8_bytes(tail_) > 0 && n_waited_ < kMaxWaitedTokens;
    state_ = is_inside_character ? State::waiting : State::forcing;
    n_forced_ = options_.message.empty() ? n_begun(recent_, options_.end) : 0;
}

void ReasoningBudget::follow_text(Token token) {
    const size_t n_kept = std::max(options_.start.size(), options_.end.size());
    recent_.push_back(token);
    if (recent_.size() > n_kept) recent_.erase(recent_.begin());
    if (!options_.piece) return;
    tail_ += options_.piece(token);
    if (tail_.size() > 8) tail_.erase(0, tail_.size() - 8);
}

}  // namespace cria::sampling
