// Calls: one step function per shape, and messages with headers. See parser.cpp for the text around them.
#include <algorithm>

#include "chat/parse/parser.h"

namespace cria::chat {
namespace {

using Kind = OutputEvent::Kind;

constexpr std::string_view kMessage = "<|message|>";
// What ends a message with a header.
const std::vector<std::string_view> kMessageEnds = {"<|end|>", "<|return|>", "<|call|>",  "<|eom|>",
                                                    "<|eot|>", kStartMark,   kChannelMark};
// A longer header is none: names are short.
constexpr size_t kMaxHeader = 4096;
// So many closing marks inside a parameter's value are looked at; then the call is taken for text.
constexpr size_t kMaxClosesInside = 100;
// An object with more members before its name is no call.
constexpr size_t kMaxMembers = 32;

}  // namespace

bool OutputParser::step_json(bool is_final, EventSink sink) {
    if (members_) return json_object(is_final, sink);
    after_mark_ = true;
    if (!skip_blank_after_mark()) {
        if (is_final && !raw_.empty()) return give_up_call(sink);
        return false;
    }
    return json_between(is_final, sink);
}

// Before, between and after the objects of a call.
bool OutputParser::json_between(bool is_final, EventSink sink) {
    const std::string_view close = is_bare_ ? std::string_view() : format_.calls.close;
    const char c = pending_[0];
    if (c == '{') {
        members_.emplace(0);
        return true;
    }
    if (c == '[' && !in_list_ && !raw_.empty()) {
        in_list_ = true;
        raw_ += c;
        consume(1);
        return true;
    }
    if ((c == ',' || c == ']') && in_list_ && raw_.empty()) {
        in_list_ = c == ',';
        consume(1);
        return true;
    }
    if (!close.empty() && pending_.starts_with(close) && raw_.empty()) {
        consume(close.size());
        leave_call();
        return true;
    }
    if (!close.empty() && !is_final && may_become(close)) return false;
    if (!raw_.empty()) return give_up_call(sink);
    leave_call();
    after_mark_ = false;
    return true;
}

bool OutputParser::json_object(bool is_final, EventSink sink) {
    const JsonMembers::Status status = members_->advance(pending_);
    const auto& members = members_->members();
    if (is_bare_ && !call_is_open_ && !members.empty()) {
        const std::string& key = members.front().key;
        constexpr std::string_view kKeys[] = {"name", "type", "function", "parameters", "arguments", "id"};
        if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) return give_up_call(sink);
    }
    json_stream(sink);
    if (!call_is_open_ && members.size() > kMaxMembers) return give_up_call(sink);
    if (status == JsonMembers::Status::complete) return json_whole_object(members_->end(), sink);
    if (status == JsonMembers::Status::needs_more && !is_final) return false;
    if (!call_is_open_) return give_up_call(sink);
    // Broken after its arguments: the call stands, what follows is text.
    end_call({}, sink);
    consume(status == JsonMembers::Status::malformed ? members_->end() : pending_.size());
    members_.reset();
    leave_call();
    after_mark_ = false;
    return true;
}

namespace {

bool is_name_key(std::string_view key) { return key == "name" || key == "tool_name"; }
bool is_arguments_key(std::string_view key) {
    return key == "arguments" || key == "parameters" || key == "args";
}
bool is_id_key(std::string_view key) { return key == "id" || key == "tool_call_id" || key == "call_id"; }

std::string text_of_json(std::string_view json) {
    const Json parsed = Json::parse(json, nullptr, false);
    return parsed.is_string()   ? parsed.get<std::string>()
           : parsed.is_number() ? std::string(json)
                                : std::string();
}

// The call that a complete object describes; its arguments as they were written.
// `nested_levels`: so many times it may be wrapped in "function".
std::optional<ToolCall> call_of_object(std::string_view object, const CallFormat& format,
                                       bool needs_arguments, int nested_levels = 1) {
    JsonMembers members(0);
    if (members.advance(object) != JsonMembers::Status::complete) return std::nullopt;
    ToolCall call;
    bool has_arguments = false;
    for (const JsonMembers::Member& member : members.members()) {
        const std::string_view value =
            object.substr(member.begin, member.end.value_or(member.begin) - member.begin);
        if (is_name_key(member.key)) call.name = text_of_json(value);
        if (is_id_key(member.key)) call.id = text_of_json(value);
        if (is_arguments_key(member.key)) {
            has_arguments = true;
            call.arguments = value.starts_with('"') ? text_of_json(value) : std::string(value);
        }
        if (member.key != "function" || !value.starts_with('{') || nested_levels == 0) continue;
        if (auto inner = call_of_object(value, {}, needs_arguments, nested_levels - 1)) {
            inner->id = call.id;
            call = *inner;
            has_arguments = true;
        }
    }
    const auto& first = members.members();
    if (call.name.empty() && format.name_is_key && first.size() == 1) {
        call.name = first[0].key;
        call.arguments =
            object.substr(first[0].begin, first[0].end.value_or(first[0].begin) - first[0].begin);
        has_arguments = true;
    }
    if (call.name.empty() || (needs_arguments && !has_arguments)) return std::nullopt;
    if (call.arguments.empty() || call.arguments == "null") call.arguments = "{}";
    return call;
}

}  // namespace

// Gives out arguments while they arrive, from the point on where the name is known and they have begun.
// Members are taken in their order, so that this does not depend on how much has arrived.
void OutputParser::json_stream(EventSink sink) {
    ToolCall call;
    const JsonMembers::Member* arguments = nullptr;
    const auto& members = members_->members();
    for (size_t i = 0; i < std::min(members.size(), kMaxMembers); ++i) {
        const JsonMembers::Member& member = members[i];
        const auto value = [&] {
            return std::string_view(pending_).substr(member.begin, *member.end - member.begin);
        };
        const bool is_short = member.end && *member.end - member.begin <= kMaxHeader;
        if (is_name_key(member.key) && is_short) call.name = text_of_json(value());
        if (is_id_key(member.key) && is_short) call.id = text_of_json(value());
        if (is_arguments_key(member.key) && member.begin > 0 && !arguments) arguments = &member;
        const bool has_begun =
            arguments && arguments->begin < pending_.size() && pending_[arguments->begin] == '{';
        if (!call.name.empty() && has_begun) break;
    }
    if (call.name.empty() || !arguments || arguments->begin >= pending_.size() ||
        pending_[arguments->begin] != '{') {
        return;
    }
    if (!call_is_open_) {
        raw_.clear();
        n_streamed_ = 0;
        begin_call(call, sink);
    }
    const size_t end = arguments->end.value_or(pending_.size());
    const size_t from = arguments->begin + n_streamed_;
    emit_arguments(std::string_view(pending_).substr(from, end - from), sink);
    n_streamed_ = end - arguments->begin;
}

bool OutputParser::json_whole_object(size_t end, EventSink sink) {
    const std::string_view object = std::string_view(pending_).substr(0, end);
    if (call_is_open_) {
        std::string late_id;
        for (const JsonMembers::Member& member : members_->members()) {
            if (is_id_key(member.key))
                late_id = text_of_json(object.substr(member.begin, *member.end - member.begin));
        }
        end_call(late_id, sink);
    } else {
        const auto call = call_of_object(object, format_.calls, is_bare_);
        if (!call) return give_up_call(sink);
        whole_call(*call, sink);
    }
    consume(end);
    members_.reset();
    return true;
}

bool OutputParser::step_header(bool is_final, EventSink sink) {
    const CallFormat& calls = format_.calls;
    const std::string_view end_mark = calls.header_end.empty() ? "{" : calls.header_end;
    const size_t end = pending_.find(end_mark);
    size_t stop = std::string::npos;
    for (const std::string_view mark : {calls.close, calls.open, calls.section_close}) {
        if (!mark.empty()) stop = std::min(stop, pending_.find(mark));
    }
    if (stop < end) return header_without_arguments(stop, sink);
    if (end == std::string::npos) {
        if (pending_.size() > kMaxHeader || (is_final && !(raw_ + pending_).empty()))
            return give_up_call(sink);
        return false;
    }
    const auto call =
        end > kMaxHeader ? std::nullopt : read_header(calls, std::string_view(pending_).substr(0, end));
    if (!call) return give_up_call(sink);
    raw_.clear();
    consume(calls.header_end.empty() ? end : end + end_mark.size());
    if (!calls.content_name.empty() && (call->name == calls.content_name || !has_tools_)) {
        state_ = State::content;
        after_mark_ = false;
        return true;
    }
    begin_call(*call, sink);
    cursor_ = JsonCursor(0);
    n_streamed_ = 0;
    after_mark_ = true;
    state_ = State::arguments;
    return true;
}

// A call that ends before any arguments: it counts if the mark that announces them was there.
bool OutputParser::header_without_arguments(size_t end, EventSink sink) {
    const std::string_view header = std::string_view(pending_).substr(0, end);
    const auto& separators = format_.calls.separators;
    const bool is_announced = !separators.empty() && header.find(separators.back()) != std::string_view::npos;
    auto call = is_announced ? read_header(format_.calls, header) : std::nullopt;
    if (!call) return give_up_call(sink);
    call->arguments = "{}";
    raw_.clear();
    whole_call(*call, sink);
    consume(end);
    state_ = State::after_arguments;
    return true;
}

bool OutputParser::step_arguments(bool is_final, EventSink sink) {
    const CallFormat& calls = format_.calls;
    if (!skip_blank_after_mark()) {
        if (is_final && call_is_open_) end_call({}, sink);
        return false;
    }
    size_t end = pending_.size();
    bool is_complete = is_final;
    if (pending_[0] == '{') {
        is_complete |= cursor_.advance(pending_);
        if (cursor_.is_complete()) end = cursor_.end();
    } else {  // not JSON (code for an interpreter): up to the next mark
        std::vector<std::string_view> marks = {calls.open};
        if (!calls.close.empty()) marks.push_back(calls.close);
        const Found found = find_mark(marks, is_final);
        end = found.at;
        is_complete |= !found.mark.empty();
    }
    if (end > n_streamed_)
        emit_arguments(std::string_view(pending_).substr(n_streamed_, end - n_streamed_), sink);
    n_streamed_ = std::max(n_streamed_, end);
    if (!is_complete) return false;
    end_call({}, sink);
    consume(end);
    state_ = State::after_arguments;
    return true;
}

bool OutputParser::step_after_arguments(bool is_final) {
    after_mark_ = true;
    raw_.clear();
    if (!skip_blank_after_mark()) return false;
    std::vector<std::string_view> marks = format_.calls.after_arguments;
    if (!format_.calls.close.empty()) marks.push_back(format_.calls.close);
    for (const std::string_view mark : marks) {
        if (pending_.starts_with(mark)) {
            consume(mark.size());
            if (mark == format_.calls.close) leave_call();
            return true;
        }
        if (!is_final && may_become(mark)) return false;
    }
    leave_call();
    return true;
}

bool OutputParser::step_body(bool is_final, EventSink sink) {
    const CallFormat& calls = format_.calls;
    const size_t end = pending_.find(calls.close, search_from_);
    if (end == std::string::npos) {
        search_from_ = pending_.size() - std::min(pending_.size(), calls.close.size() - 1);
        return is_final && !(raw_ + pending_).empty() ? give_up_call(sink) : false;
    }
    const std::string_view body = std::string_view(pending_).substr(0, end);
    std::optional<std::vector<ToolCall>> found;
    if (calls.shape == CallShape::tagged) {
        if (n_closes_inside_ < kMaxClosesInside && is_inside_parameter(calls, body)) {
            ++n_closes_inside_;
            search_from_ = end + 1;
            return true;
        }
        if (const auto call = read_tagged_call(calls, body, types_)) found.emplace({*call});
    } else if (calls.shape == CallShape::python) {
        found = read_python_calls(body);
    } else if (const auto call = read_braces_call(body)) {
        found.emplace({*call});
    }
    if (!found) return give_up_call(sink);
    raw_.clear();
    for (const ToolCall& call : *found) whole_call(call, sink);
    consume(end + calls.close.size());
    leave_call();
    return true;
}

namespace {

// The words of a header: whom it is from and for, the channel, the form of the content. Other text is none.
struct ChannelHeader {
    std::string_view recipient;
    bool is_thought = false;
};
std::optional<ChannelHeader> read_channel_header(std::string_view header) {
    constexpr std::string_view kWords[] = {"assistant", "analysis", "commentary", "final", "json", "code"};
    constexpr std::string_view kMarks[] = {kStartMark, kChannelMark, "<|constrain|>"};
    constexpr std::string_view kFunctions = "functions.";
    ChannelHeader result;
    while (!(header = without_blank(header)).empty()) {
        size_t n_mark = 0;
        for (const std::string_view mark : kMarks) {
            if (header.starts_with(mark)) n_mark = mark.size();
        }
        header.remove_prefix(n_mark);
        if (n_mark > 0) continue;
        std::string_view word = header.substr(0, std::min(header.find_first_of(" \n\t<"), header.size()));
        if (word.empty()) return std::nullopt;
        header.remove_prefix(word.size());
        if (word.starts_with("to=") && result.recipient.empty()) {
            word.remove_prefix(3);
            if (word.starts_with(kFunctions)) word.remove_prefix(kFunctions.size());
            result.recipient = word;
        } else if (std::find(std::begin(kWords), std::end(kWords), word) == std::end(kWords)) {
            return std::nullopt;
        }
        result.is_thought |= word == "analysis" || word == "self";
    }
    return result;
}

}  // namespace

bool OutputParser::step_channel_header(bool is_final, EventSink sink) {
    const size_t end = pending_.find(kMessage);
    if (end == std::string::npos) {
        if (pending_.size() > kMaxHeader || (is_final && !(raw_ + pending_).empty()))
            return give_up_call(sink);
        return false;
    }
    const std::string text = raw_ + pending_.substr(0, end);
    const auto header = end > kMaxHeader ? std::nullopt : read_channel_header(text);
    if (!header) return give_up_call(sink);
    raw_.clear();
    consume(end + kMessage.size());
    after_mark_ = false;
    const bool is_for_user =
        header->recipient.empty() || header->recipient == "user" || header->recipient == "all";
    if (header->is_thought) {
        channel_ = Kind::reasoning;
        state_ = State::channel_body;
    } else if (!is_for_user && has_tools_ && format_.calls.shape == CallShape::channels) {
        channel_ = Kind::call_arguments;
        state_ = State::channel_body;
        begin_call({.id = {}, .name = std::string(header->recipient), .arguments = {}}, sink);
    } else {
        state_ = State::content;
    }
    return true;
}

bool OutputParser::step_channel_body(bool is_final, EventSink sink) {
    const Found found = find_mark(kMessageEnds, is_final);
    const std::string_view text = std::string_view(pending_).substr(0, found.at);
    if (channel_ == Kind::call_arguments) {
        emit_arguments(text, sink);
    } else {
        emit_text(channel_, text, sink);
    }
    consume(found.at);
    if (found.mark.empty() && !is_final) return false;
    if (call_is_open_) end_call({}, sink);
    consume(found.mark.size());
    state_ = State::content;
    after_mark_ = true;
    const bool opens = found.mark == kStartMark || found.mark == kChannelMark;
    if (opens) enter_mark(found.mark, sink);
    return !found.mark.empty();
}

}  // namespace cria::chat
