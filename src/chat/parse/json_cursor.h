// Finds where JSON ends in text that is still arriving. Both classes are fed the same growing text again and
// again and go on where they stopped; they look at brackets and quotes only, need no stack, and never fail on
// bad JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cria::chat {

// One value: an object, a list, a text, or a word (number, true, null) that ends at a delimiter.
class JsonCursor {
  public:
    explicit JsonCursor(size_t start = 0) : at_(start) {}
    // True when the value is complete; `end()` is then just behind it. `text` begins at the same place each
    // time.
    bool advance(std::string_view text);
    size_t end() const { return at_; }
    bool is_complete() const { return is_complete_; }

  private:
    size_t at_;
    size_t depth_ = 0;
    bool has_begun_ = false, in_string_ = false, is_escaped_ = false, in_word_ = false, is_complete_ = false;
};

// The members of one object, one after the other.
class JsonMembers {
  public:
    explicit JsonMembers(size_t start) : at_(start) {}
    struct Member {
        std::string key;            // without quotes, escapes as they are
        size_t begin = 0;           // of the value
        std::optional<size_t> end;  // nothing while it is still arriving
    };
    enum class Status { needs_more, complete, malformed };
    Status advance(std::string_view text);
    const std::vector<Member>& members() const { return members_; }
    size_t end() const { return at_; }

  private:
    enum class Expect { open, key_or_close, key, key_end, colon, value_start, value, comma_or_close };
    Expect expect_ = Expect::open;
    size_t at_;
    JsonCursor cursor_;
    std::vector<Member> members_;
};

}  // namespace cria::chat
