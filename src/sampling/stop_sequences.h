// Stop strings in a stream of text: what may be shown now, what must wait because it may become a stop
// string, and whether one came. The one place where streamed text is held back.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sampling/text_matcher.h"

namespace cria::sampling {

// The stop string that is complete first ends the text; when several are complete at the same byte, the
// longest. So the result does not depend on how the text is cut into pieces: what feed() and finish() return
// always adds up to the text before the stop string, or to all of it. Copyable; the strings are shared. Not
// thread-safe.
class StopSequences {
  public:
    // Throws what TextMatcher throws. No strings: nothing stops. With whole_characters, incomplete UTF-8 at
    // the end waits too.
    explicit StopSequences(std::span<const std::string> stops, bool whole_characters = true);

    // Takes the next piece of text and returns what may be shown. After a stop: nothing. Linear in the piece.
    std::string feed(std::string_view piece);
    // The text is over: returns what was held back (nothing after a stop).
    std::string finish();

    bool is_stopped() const { return stopped_by_.has_value(); }
    // The stop string that came; empty when none did.
    std::string matched() const { return stopped_by_ ? matcher_->pattern(*stopped_by_) : std::string(); }
    size_t n_held_bytes() const { return held_.size(); }
    void reset();

  private:
    std::shared_ptr<const TextMatcher> matcher_;
    bool whole_characters_;
    TextMatcher::State state_ = TextMatcher::kStart;
    std::string held_;
    std::optional<int32_t> stopped_by_;
};

}  // namespace cria::sampling
