// Reads what a model writes: thoughts, ordinary text, tool calls. Text may come in pieces cut anywhere, and
// the events, put together, are the same as for the whole. Nothing a model writes is an error: what looks
// like a call but is none stays text. Only marks, and white space beside marks, are taken away. One parser
// reads one answer; it is not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "chat/messages.h"
#include "chat/parse/call_body.h"
#include "chat/parse/format.h"
#include "chat/parse/json_cursor.h"

namespace cria::chat {

struct OutputEvent {
    enum class Kind {
        content,         // text
        reasoning,       // text
        call_begin,      // name and id of call `index`; the id is empty if the model gives none
        call_arguments,  // text: the next piece of that call's JSON arguments
        call_end,
    };
    Kind kind;
    size_t index = 0;
    std::string text{};
    std::string name{}, id{};

    bool operator==(const OutputEvent&) const = default;
};
using EventSink = FunctionRef<void(const OutputEvent&)>;

struct OutputOptions {
    bool has_tools = false;       // without tools, calls are text
    bool keep_reasoning = false;  // thoughts and their marks stay in the content
    Json tools = nullptr;         // their schemas tell texts from numbers in shapes that do not
    // The end of the prompt: if it opens a thought or a message, the answer begins inside it.
    std::string prompt{};
};

// The marks of messages with a header.
inline constexpr std::string_view kStartMark = "<|start|>";
inline constexpr std::string_view kChannelMark = "<|channel|>";

class OutputParser {
  public:
    // `format` must outlive the parser.
    OutputParser(const OutputFormat& format, OutputOptions options);

    void feed(std::string_view piece, EventSink sink);
    // The answer is over: what was held back is given out. Feed nothing afterwards.
    void finish(EventSink sink);

    // All that was given out so far, as the assistant's message.
    const Message& message() const { return message_; }

  private:
    enum class State {
        content,
        reasoning,
        json,
        header,
        arguments,
        after_arguments,
        body,
        channel_header,
        channel_body
    };
    struct Found {
        size_t at;                // of the mark, or of what may become one; else the end
        std::string_view mark{};  // empty: none is complete yet
    };

    void run(bool is_final, EventSink sink);
    bool step(bool is_final, EventSink sink);
    bool step_text(bool is_final, EventSink sink);
    bool step_reasoning(bool is_final, EventSink sink);
    bool step_json(bool is_final, EventSink sink);
    bool step_header(bool is_final, EventSink sink);
    bool step_arguments(bool is_final, EventSink sink);
    bool step_after_arguments(bool is_final);
    bool step_body(bool is_final, EventSink sink);
    bool step_channel_header(bool is_final, EventSink sink);
    bool step_channel_body(bool is_final, EventSink sink);

    void begin_inside(std::string_view prompt);
    void enter_mark(std::string_view mark, EventSink sink);
    void enter_call(std::string_view mark);
    bool enter_bare_json();
    bool json_between(bool is_final, EventSink sink);
    bool json_object(bool is_final, EventSink sink);
    void json_stream(EventSink sink);
    bool json_whole_object(size_t end, EventSink sink);
    bool header_without_arguments(size_t end, EventSink sink);
    bool give_up_call(EventSink sink);
    void leave_call();

    void write(OutputEvent::Kind kind, std::string_view text, EventSink sink);
    void emit_text(OutputEvent::Kind kind, std::string_view text, EventSink sink);
    void begin_call(const ToolCall& call, EventSink sink);
    void emit_arguments(std::string_view text, EventSink sink);
    void end_call(std::string_view late_id, EventSink sink);
    void whole_call(const ToolCall& call, EventSink sink);

    Found find_mark(const std::vector<std::string_view>& marks, bool is_final) const;
    bool may_become(std::string_view mark) const;  // pending_ is a beginning of it
    bool skip_blank_after_mark();
    void consume(size_t n_bytes) { pending_.erase(0, n_bytes); }

    const OutputFormat& format_;
    const bool has_tools_;
    const ParameterTypes types_;
    std::vector<std::string_view> text_marks_, thought_marks_;
    State state_ = State::content;
    std::string pending_;      // not yet decided
    std::string held_space_;   // white space that belongs to a mark if one follows
    std::string raw_;          // marks and text of a call that is not certain yet
    bool after_mark_ = false;  // white space here belongs to the mark before
    bool has_channels_ = false;
    bool in_section_ = false;
    bool call_is_open_ = false;
    bool wrote_anything_ = false;
    bool may_be_bare_ = false;  // the answer may still turn out to be a bare object
    // json
    bool in_list_ = false, is_bare_ = false;
    std::optional<JsonMembers> members_;
    size_t n_streamed_ = 0;  // of the arguments, from their begin
    // arguments and bodies
    JsonCursor cursor_;
    size_t search_from_ = 0;
    size_t n_closes_inside_ = 0;
    OutputEvent::Kind channel_ = OutputEvent::Kind::content;
    Message message_;
};

// The whole answer at once.
Message parse_output(const OutputFormat& format, const OutputOptions& options, std::string_view text);

}  // namespace cria::chat
