// See stop_sequences.h.
#include "sampling/stop_sequences.h"

#include <algorithm>
#include <utility>

#include "sampling/utf8_tail.h"

namespace cria::sampling {

StopSequences::StopSequences(std::span<const std::string> stops, bool whole_characters)
    : matcher_(std::make_shared<const TextMatcher>(stops)), whole_characters_(whole_characters) {}

std::string StopSequences::feed(std::string_view piece) {
    if (is_stopped()) return {};
    for (size_t i = 0; i < piece.size(); ++i) {
        state_ = matcher_->step(state_, piece[i]);
        const int32_t match = matcher_->match(state_);
        if (match < 0) continue;
        held_.append(piece.substr(0, i + 1));
        held_.resize(held_.size() - matcher_->pattern(match).size());
        stopped_by_ = match;
        return std::exchange(held_, {});
    }
    held_.append(piece);
    size_t n_waiting = matcher_->depth(state_);
    if (whole_characters_) {
        // What is shown must end with a whole character, wherever the possible stop string begins.
        const auto shown = std::string_view(held_).substr(0, held_.size() - n_waiting);
        n_waiting += incomplete_utf8_bytes(shown);
    }
    std::string shown = held_.substr(0, held_.size() - n_waiting);
    held_.erase(0, shown.size());
    return shown;
}

std::string StopSequences::finish() { return std::exchange(held_, {}); }

void StopSequences::reset() {
    state_ = TextMatcher::kStart;
    held_.clear();
    stopped_by_.reset();
}

}  // namespace cria::sampling
