// The machine: one step function per state. A step looks at pending_, takes what it is sure about, and says
// whether it got anywhere; text that may still become a mark stays.
#include "chat/parse/parser.h"

#include <algorithm>

namespace cria::chat {
namespace {

using Kind = OutputEvent::Kind;

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
        add(text_marks_, kStartMark);
        add(text_marks_, kChannelMark);
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
    // Small steps, because taking text from the front of pending_ moves the rest.
    constexpr size_t kStep = 4096;
    for (size_t at = 0; at < piece.size(); at += kStep) {
        pending_ += piece.substr(at, kStep);
        run(false, sink);
    }
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
    if (has_channels_ && (mark == kStartMark || mark == kChannelMark)) {
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
