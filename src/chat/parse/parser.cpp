// The machine: one step function per state. A step looks at pending_, takes what it is sure about, and says
// whether it got anywhere; text that may still become a mark stays.
#include "chat/parse/parser.h"

#include <algorithm>

namespace cria::chat {
namespace {

using Kind = OutputEvent::Kind;

constexpr std::string_view kStart = "<|start|>";
constexpr std::string_view kChannel = "<|channel|>";
constexpr std::string_view kMessage = "<|message|>";
// What ends a message with a header.
const std::vector<std::string_view> kMessageEnds = {"<|end|>", "<|return|>", "<|call|>", "<|eom|>",
                                                    "<|eot|>", kStart,       kChannel};
// A longer header is none: names are short.
constexpr size_t kMaxHeader = 4096;
// So many closing marks inside a parameter's value are looked at; then the call is taken for text.
constexpr size_t kMaxClosesInside = 1000;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_one_of(const std::vector<std::string_view>& marks, std::string_view mark) {
    return std::find(marks.begin(), marks.end(), mark) != marks.end();
}

// Marks that users do not write by chance may end a thought; others may be what the model thinks about.
bool is_special(std::string_view mark) {
    return mark.starts_with("<|") || mark.starts_with("<｜") || mark.starts_with("[TOOL") ||
           mark.starts_with("]<]");
}

}  // namespace

OutputParser::OutputParser(const OutputFormat& format, OutputOptions options)
    : format_(format), has_tools_(options.has_tools), types_(options.tools) {
    message_.role = "assistant";
    const CallFormat& calls = format_.calls;
    const auto add = [](std::vector<std::string_view>& marks, std::string_view mark) {
        if (!mark.empty() && !is_one_of(marks, mark)) marks.push_back(mark);
    };
    if (!options.keep_reasoning) {
        for (const Tags& tags : format_.reasoning) {
            add(text_marks_, tags.open);
            add(text_marks_, tags.close);
            add(thought_marks_, tags.close);
        }
    }
    if (has_tools_ && calls.shape != CallShape::none) {
        for (const std::string_view mark : {calls.section_open, calls.section_close, calls.open}) {
            add(text_marks_, mark);
            if (is_special(mark)) add(thought_marks_, mark);
        }
        may_be_bare_ = calls.is_bare;
    }
    for (const std::string_view mark : format_.ignored) add(text_marks_, mark);
    has_channels_ = calls.shape == CallShape::channels || is_one_of(format_.ignored, "<|eom|>");
    if (has_channels_) {
        add(text_marks_, kStart);
        add(text_marks_, kChannel);
    }
    begin_inside(without_blank(options.prompt));
}

void OutputParser::begin_inside(std::string_view prompt) {
    for (const Tags& tags : format_.reasoning) {
        if (thought_marks_.empty() || !prompt.ends_with(tags.open)) continue;
        state_ = State::reasoning;
        after_mark_ = true;
    }
    if (has_channels_ && prompt.ends_with("<|start|>assistant")) state_ = State::channel_header;
    const CallFormat& calls = format_.calls;
    if (calls.shape == CallShape::header && !calls.content_name.empty() && prompt.ends_with(calls.open)) {
        state_ = State::header;
    }
}

void OutputParser::feed(std::string_view piece, EventSink sink) {
    pending_ += piece;
    run(false, sink);
}

void OutputParser::finish(EventSink sink) { run(true, sink); }

void OutputParser::run(bool is_final, EventSink sink) {
    while (step(is_final, sink)) {
    }
}

bool OutputParser::step(bool is_final, EventSink sink) {
    switch (state_) {
        case State::content:
            return step_text(is_final, sink);
        case State::reasoning:
            return step_reasoning(is_final, sink);
        case State::json:
            return step_json(is_final, sink);
        case State::header:
            return step_header(is_final, sink);
        case State::arguments:
            return step_arguments(is_final, sink);
        case State::after_arguments:
            return step_after_arguments(is_final);
        case State::body:
            return step_body(is_final, sink);
        case State::channel_header:
            return step_channel_header(is_final, sink);
        case State::channel_body:
            return step_channel_body(is_final, sink);
    }
    return false;
}

OutputParser::Found OutputParser::find_mark(const std::vector<std::string_view>& marks, bool is_final) const {
    const std::string_view text = pending_;
    for (size_t at = 0; at < text.size(); ++at) {
        std::string_view best;
        bool may_follow = false;
        for (const std::string_view mark : marks) {
            if (mark[0] != text[at]) continue;
            const std::string_view here = text.substr(at, mark.size());
            if (here == mark && mark.size() > best.size()) best = mark;
            may_follow |= !is_final && here.size() < mark.size() && mark.starts_with(here);
        }
        if (may_follow) return {at, {}};
        if (!best.empty()) return {at, best};
    }
    return {text.size(), {}};
}

bool OutputParser::may_become(std::string_view mark) const {
    return pending_.size() < mark.size() && mark.starts_with(pending_);
}

// True when there is something left to look at.
bool OutputParser::skip_blank_after_mark() {
    if (after_mark_) {
        size_t n = 0;
        while (n < pending_.size() && is_blank(pending_[n])) ++n;
        if (!raw_.empty()) raw_.append(pending_, 0, n);
        consume(n);
        if (pending_.empty()) return false;
        after_mark_ = false;
    }
    return !pending_.empty();
}

bool OutputParser::enter_bare_json() {
    size_t n = 0;
    while (n < pending_.size() && is_blank(pending_[n])) ++n;
    if (n == pending_.size()) return false;
    may_be_bare_ = false;
    if (pending_[n] != '{') return false;
    raw_ = held_space_ + pending_.substr(0, n);
    held_space_.clear();
    consume(n);
    state_ = State::json;
    is_bare_ = true;
    return true;
}

bool OutputParser::step_text(bool is_final, EventSink sink) {
    if (may_be_bare_ && enter_bare_json()) return true;
    if (skip_blank_after_mark()) {
        const Found found = find_mark(text_marks_, is_final);
        write(Kind::content, std::string_view(pending_).substr(0, found.at), sink);
        consume(found.at);
        if (!found.mark.empty()) {
            consume(found.mark.size());
            enter_mark(found.mark, sink);
            return true;
        }
    }
    if (is_final && !(raw_ + held_space_).empty()) {
        emit_text(Kind::content, std::exchange(held_space_, {}), sink);
    }
    return false;
}

bool OutputParser::step_reasoning(bool is_final, EventSink sink) {
    if (skip_blank_after_mark()) {
        const Found found = find_mark(thought_marks_, is_final);
        write(Kind::reasoning, std::string_view(pending_).substr(0, found.at), sink);
        consume(found.at);
        if (!found.mark.empty()) {
            consume(found.mark.size());
            held_space_.clear();
            state_ = State::content;
            after_mark_ = true;
            wrote_anything_ = true;
            const bool is_close = std::any_of(format_.reasoning.begin(), format_.reasoning.end(),
                                              [&](const Tags& tags) { return tags.close == found.mark; });
            if (!is_close) enter_mark(found.mark, sink);
            return true;
        }
    }
    if (is_final) emit_text(Kind::reasoning, std::exchange(held_space_, {}), sink);
    return false;
}

// A mark in ordinary text, already consumed.
void OutputParser::enter_mark(std::string_view mark, EventSink sink) {
    const CallFormat& calls = format_.calls;
    after_mark_ = true;
    if (has_channels_ && (mark == kStart || mark == kChannel)) {
        raw_ += std::exchange(held_space_, {}) + std::string(mark);
        state_ = State::channel_header;
        return;
    }
    for (const Tags& tags : format_.reasoning) {
        if (mark != tags.open || thought_marks_.empty()) continue;
        held_space_.clear();
        state_ = State::reasoning;
        return;
    }
    if (has_tools_ && mark == calls.open) return enter_call(mark);
    if (has_tools_ && mark == calls.section_open) {
        raw_ += std::exchange(held_space_, {}) + std::string(mark);
        in_section_ = true;
        return;
    }
    const bool ends_section = has_tools_ && mark == calls.section_close && in_section_;
    const bool says_nothing = raw_.empty() && (is_one_of(format_.ignored, mark) || ends_section);
    in_section_ = in_section_ && !ends_section;
    if (says_nothing) {
        held_space_.clear();
        return;
    }
    // A thought that the prompt opened without saying so is closed at once; any other lone mark is text.
    if (!wrote_anything_ && raw_.empty() && is_one_of(thought_marks_, mark)) return;
    after_mark_ = false;
    write(Kind::content, mark, sink);
}

void OutputParser::enter_call(std::string_view mark) {
    raw_ += std::exchange(held_space_, {}) + std::string(mark);
    members_.reset();
    in_list_ = is_bare_ = false;
    search_from_ = n_closes_inside_ = 0;
    switch (format_.calls.shape) {
        case CallShape::json:
            state_ = State::json;
            break;
        case CallShape::header:
            state_ = State::header;
            break;
        default:
            state_ = State::body;
    }
}

// What looked like a call is text: the marks are given out, the rest is looked at again.
bool OutputParser::give_up_call(EventSink sink) {
    members_.reset();
    state_ = State::content;
    after_mark_ = false;
    write(Kind::content, std::exchange(raw_, {}), sink);
    return true;
}

void OutputParser::leave_call() {
    state_ = State::content;
    after_mark_ = true;
    raw_.clear();
}

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
std::optional<ToolCall> call_of_object(std::string_view object, const CallFormat& format,
                                       bool needs_arguments) {
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
        if (member.key != "function" || !value.starts_with('{')) continue;
        if (auto inner = call_of_object(value, {}, needs_arguments)) {
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
    for (const JsonMembers::Member& member : members_->members()) {
        const auto value = [&] {
            return std::string_view(pending_).substr(member.begin, *member.end - member.begin);
        };
        if (is_name_key(member.key) && member.end) call.name = text_of_json(value());
        if (is_id_key(member.key) && member.end) call.id = text_of_json(value());
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
    constexpr std::string_view kMarks[] = {kStart, kChannel, "<|constrain|>"};
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
    const bool opens = found.mark == kStart || found.mark == kChannel;
    if (opens) enter_mark(found.mark, sink);
    return !found.mark.empty();
}

// Text of which the white space at the end may belong to a mark.
void OutputParser::write(Kind kind, std::string_view text, EventSink sink) {
    size_t end = text.size();
    while (end > 0 && is_blank(text[end - 1])) --end;
    if (end > 0) emit_text(kind, std::exchange(held_space_, {}) + std::string(text.substr(0, end)), sink);
    held_space_ += text.substr(end);
}

void OutputParser::emit_text(Kind kind, std::string_view text, EventSink sink) {
    std::string whole = kind == Kind::content ? std::exchange(raw_, {}) : std::string();
    whole += text;
    if (whole.empty()) return;
    wrote_anything_ = true;
    (kind == Kind::content ? message_.content : message_.reasoning_content) += whole;
    sink({.kind = kind, .text = std::move(whole)});
}

void OutputParser::begin_call(const ToolCall& call, EventSink sink) {
    call_is_open_ = wrote_anything_ = true;
    held_space_.clear();
    message_.tool_calls.push_back({call.id, call.name, {}});
    sink({.kind = Kind::call_begin,
          .index = message_.tool_calls.size() - 1,
          .name = call.name,
          .id = call.id});
}

void OutputParser::emit_arguments(std::string_view text, EventSink sink) {
    if (text.empty()) return;
    message_.tool_calls.back().arguments += text;
    sink({.kind = Kind::call_arguments, .index = message_.tool_calls.size() - 1, .text = std::string(text)});
}

// `late_id` is an id that came after the arguments.
void OutputParser::end_call(std::string_view late_id, EventSink sink) {
    call_is_open_ = false;
    ToolCall& call = message_.tool_calls.back();
    if (call.id.empty()) call.id = late_id;
    sink({.kind = Kind::call_end, .index = message_.tool_calls.size() - 1, .id = call.id});
}

void OutputParser::whole_call(const ToolCall& call, EventSink sink) {
    raw_.clear();
    begin_call(call, sink);
    emit_arguments(call.arguments, sink);
    end_call({}, sink);
}

Message parse_output(const OutputFormat& format, const OutputOptions& options, std::string_view text) {
    OutputParser parser(format, options);
    const auto ignore = [](const OutputEvent&) {};
    parser.feed(text, ignore);
    parser.finish(ignore);
    return parser.message();
}

}  // namespace cria::chat
