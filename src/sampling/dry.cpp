// See dry.h.
#include "sampling/dry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "sampling/by_token.h"

namespace cria::sampling {
namespace {

// z[i]: how many elements from i on equal the beginning of the text (Gusfield 1997, the Z algorithm). z[0] is
// the length.
std::vector<int32_t> common_beginnings(std::span<const Token> text) {
    const size_t n = text.size();
    std::vector<int32_t> z(n, 0);
    if (n > 0) z[0] = static_cast<int32_t>(n);
    size_t left = 0, right = 0;  // the stretch [left, right) equals the beginning and reaches furthest
    for (size_t i = 1; i < n; ++i) {
        size_t length = i < right ? std::min(right - i, static_cast<size_t>(z[i - left])) : 0;
        while (i + length < n && text[length] == text[i + length]) ++length;
        z[i] = static_cast<int32_t>(length);
        if (i + length > right) {
            left = i;
            right = i + length;
        }
    }
    return z;
}

void add_breakers_of_piece(DryBreakers& breakers, Token token, std::string_view piece, std::string_view text,
                           const BreakerVocabulary& vocabulary) {
    if (piece.find(text) != std::string_view::npos) return breakers.add(token, {});
    const size_t longest = std::min(piece.size(), text.size() - 1);
    for (size_t n = 1; n <= longest; ++n) {
        if (piece.substr(piece.size() - n) != text.substr(0, n)) continue;
        breakers.add(token, vocabulary.tokenize(text.substr(n)));
    }
}

}  // namespace

void DryBreakers::add(Token head, std::vector<Token> tail) {
    tail.resize(std::min(tail.size(), kMaxTailTokens));
    const auto [begin, end] = tails_.equal_range(head);
    const bool is_known = std::any_of(begin, end, [&](const auto& entry) { return entry.second == tail; });
    if (!is_known) tails_.emplace(head, std::move(tail));
}

bool DryBreakers::is_breaker_alone(Token token) const {
    const auto [begin, end] = tails_.equal_range(token);
    return std::any_of(begin, end, [](const auto& entry) { return entry.second.empty(); });
}

size_t DryBreakers::n_since_last(std::span<const Token> history) const {
    for (size_t head = history.size(); head-- > 0;) {
        const auto after = history.subspan(head + 1);
        const auto [begin, end] = tails_.equal_range(history[head]);
        int64_t longest = -1;
        for (auto entry = begin; entry != end; ++entry) {
            const auto& tail = entry->second;
            if (tail.size() <= after.size() && std::equal(tail.begin(), tail.end(), after.begin()))
                longest = std::max(longest, static_cast<int64_t>(tail.size()));
        }
        if (longest >= 0) return after.size() - static_cast<size_t>(longest);
    }
    return history.size();
}

DryBreakers make_dry_breakers(std::span<const std::string> texts, const BreakerVocabulary& vocabulary) {
    DryBreakers breakers;
    for (Token token = 0; token < vocabulary.n_tokens; ++token) {
        const std::string piece = vocabulary.piece(token);
        for (const std::string_view text : texts)
            if (!text.empty())
                add_breakers_of_piece(breakers, token, piece, text.substr(0, DryBreakers::kMaxTextBytes),
                                      vocabulary);
    }
    return breakers;
}

DrySampler::DrySampler(const DryOptions& options, int32_t context_size,
                       std::shared_ptr<const DryBreakers> breakers)
    : options_(options), breakers_(std::move(breakers)) {
    if (!std::isfinite(options.multiplier) || !std::isfinite(options.base))
        fail(ErrorCode::invalid_argument,
             "dry_multiplier is {} and dry_base is {}; both must be finite (usual: 0.8 and 1.75)",
             options.multiplier, options.base);
    if (options.last_n < -1 || context_size < 0)
        fail(ErrorCode::invalid_argument,
             "dry_penalty_last_n is {} (context size {}); give 0 (off), -1 (context size) or a number of "
             "tokens",
             options.last_n, context_size);
    options_.allowed_length = std::max(options.allowed_length, 0);
    const bool is_off = options.multiplier == 0.0f || options.base < 1.0f;
    if (!is_off) window_ = static_cast<size_t>(options.last_n < 0 ? context_size : options.last_n);
}

void DrySampler::accept(Token token) {
    if (!is_active()) return;
    if (history_.size() >= 2 * window_)
        history_.erase(history_.begin(), history_.end() - static_cast<ptrdiff_t>(window_));
    history_.push_back(token);
}

std::unordered_map<Token, int32_t> DrySampler::repetitions() const {
    std::unordered_map<Token, int32_t> result;
    const size_t n = std::min(window_, history_.size());
    if (n <= static_cast<size_t>(options_.allowed_length)) return result;
    const auto recent = std::span(history_).last(n);
    const size_t limit = breakers_ == nullptr ? n : breakers_->n_since_last(recent);
    if (limit < static_cast<size_t>(options_.allowed_length)) return result;

    // Read backwards, the latest text is the beginning: places where the beginning occurs again are
    // repetitions, and the token that came after one stands just before it.
    const std::vector<Token> backwards(recent.rbegin(), recent.rend());
    const auto lengths = common_beginnings(backwards);
    for (size_t i = 1; i < n; ++i) {
        const int32_t length = std::min(lengths[i], static_cast<int32_t>(limit));
        if (length < options_.allowed_length) continue;
        int32_t& longest = result[backwards[i - 1]];
        longest = std::max(longest, length);
    }
    if (breakers_ != nullptr)
        std::erase_if(result, [&](const auto& entry) { return breakers_->is_breaker_alone(entry.first); });
    return result;
}

void DrySampler::apply(CandidateArray& candidates) const {
    sanitise(candidates);
    if (!is_active()) return;
    const auto lengths = repetitions();
    if (lengths.empty()) return;
    const float log_largest = std::log(std::numeric_limits<float>::max());
    const float max_exponent =
        options_.base > 1.000001f ? std::floor(log_largest / std::log(options_.base)) : log_largest;
    for_each_named(candidates, lengths, [&](TokenData& item, int32_t length) {
        const float exponent = std::min(static_cast<float>(length - options_.allowed_length), max_exponent);
        item.logit -= options_.multiplier * std::pow(options_.base, exponent);
    });
    candidates.sorted = false;
    sanitise(candidates);  // a negative multiplier may have overflowed
}

}  // namespace cria::sampling
