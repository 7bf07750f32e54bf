// Brackets, quotes and delimiters.
#include "chat/parse/json_cursor.h"

namespace cria::chat {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_delimiter(char c) { return is_blank(c) || c == ',' || c == ']' || c == '}' || c == ':' || c == '<'; }

}  // namespace

bool JsonCursor::advance(std::string_view text) {
    for (; !is_complete_ && at_ < text.size(); ++at_) {
        const char c = text[at_];
        if (in_string_) {
            if (is_escaped_) {
                is_escaped_ = false;
            } else if (c == '\\') {
                is_escaped_ = true;
            } else if (c == '"') {
                in_string_ = false;
                is_complete_ = depth_ == 0;
            }
            continue;
        }
        if (in_word_) {
            if (!is_delimiter(c)) continue;
            is_complete_ = true;
            break;  // the delimiter is not part of the word
        }
        if (c == '"') {
            in_string_ = has_begun_ = true;
        } else if (c == '{' || c == '[') {
            ++depth_;
            has_begun_ = true;
        } else if ((c == '}' || c == ']') && depth_ > 0) {
            is_complete_ = --depth_ == 0;
        } else if (!has_begun_ && !is_blank(c)) {
            in_word_ = has_begun_ = true;
            --at_;  // looked at again as a word
        }
    }
    return is_complete_;
}

JsonMembers::Status JsonMembers::advance(std::string_view text) {
    while (true) {
        if (expect_ != Expect::value) {
            while (at_ < text.size() && is_blank(text[at_])) ++at_;
        }
        if (at_ >= text.size()) return Status::needs_more;
        const char c = text[at_];
        switch (expect_) {
            case Expect::open:
                if (c != '{') return Status::malformed;
                ++at_;
                expect_ = Expect::key_or_close;
                break;
            case Expect::key_or_close:
            case Expect::key: {
                if (c == '}' && expect_ == Expect::key_or_close) {
                    ++at_;
                    return Status::complete;
                }
                if (c != '"') return Status::malformed;
                cursor_ = JsonCursor(at_);
                expect_ = Expect::key_end;
                break;
            }
            case Expect::key_end:
                if (!cursor_.advance(text)) return Status::needs_more;
                members_.push_back(
                    {std::string(text.substr(at_ + 1, cursor_.end() - at_ - 2)), 0, std::nullopt});
                at_ = cursor_.end();
                expect_ = Expect::colon;
                break;
            case Expect::colon:
                if (c != ':') return Status::malformed;
                ++at_;
                expect_ = Expect::value_start;
                break;
            case Expect::value_start:
                members_.back().begin = at_;
                cursor_ = JsonCursor(at_);
                expect_ = Expect::value;
                break;
            case Expect::value:
                if (!cursor_.advance(text)) return Status::needs_more;
                at_ = cursor_.end();
                members_.back().end = at_;
                expect_ = Expect::comma_or_close;
                break;
            case Expect::comma_or_close:
                if (c != ',' && c != '}') return Status::malformed;
                ++at_;
                if (c == '}') return Status::complete;
                expect_ = Expect::key;
                break;
        }
    }
}

}  // namespace cria::chat
