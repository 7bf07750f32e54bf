// How a model family writes its thoughts and tool calls: the marks around them and the shape between. A
// family is one row in formats.cpp; the parser (parser.h) knows only what is said here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace cria::chat {

enum class CallShape {
    none,
    json,      // objects with a name and arguments, alone, in a row or in a list: {"name": "f", "arguments":
               // {...}}
    header,    // a name, marks, then the arguments as JSON: [TOOL_CALLS]f[ARGS]{...}
    tagged,    // a name, then each argument between tags: <function=f><parameter=x>1</parameter></function>
    python,    // [f(x=1, y='a')]
    braces,    // call:f{x:1,y:<|"|>a<|"|>}
    channels,  // messages with a header that names the recipient: to=functions.f<|message|>{...}<|call|>
};

// Where a header holds the name and the id. Its fields stand between separators.
enum class HeaderFields {
    name_first,  // name, then perhaps an id
    name_last,   // the tool's kind or server, then the name
    id_then_name,
    numbered_id,  // functions.NAME:N, which is also the id
};

struct CallFormat {
    CallShape shape = CallShape::none;
    std::string_view section_open{}, section_close{};  // around all calls, where a family has that
    std::string_view open{}, close{};                  // around one call (json: around its objects)
    // header
    HeaderFields fields = HeaderFields::name_first;
    std::vector<std::string_view> separators{};
    std::string_view
        kind{};  // name_last: the word before the name; empty: any server's name, which is not kept
    std::string_view header_end{};                    // empty: the header ends at the first {
    std::string_view content_name{};                  // a "call" of this name is ordinary content
    std::vector<std::string_view> after_arguments{};  // what may stand between the arguments and `close`
    // tagged: open NAME name_end (param_open KEY key_end ... value_open VALUE param_close)* close
    std::string_view name_end{};  // empty: the name ends where a parameter or the close begins
    std::string_view param_open{}, key_end{}, value_open{};
    std::string_view param_close{};  // may hold {key}
    // json
    bool is_bare = false;      // the whole answer may be the object, without marks
    bool name_is_key = false;  // {"f": {...}}: the only key is the name
};

struct Tags {
    std::string_view open, close;
};

struct OutputFormat {
    std::string_view name;
    std::vector<Tags> reasoning;
    CallFormat calls;
    // Marks that stand around ordinary text and say nothing.
    std::vector<std::string_view> ignored{};
};

// The format that a chat template's text belongs to; "plain" (text only, <think> tags aside) when nothing
// fits.
const OutputFormat& detect_output_format(std::string_view template_text);
// By name; null when there is none.
const OutputFormat* find_output_format(std::string_view name);
std::span<const OutputFormat> output_formats();

}  // namespace cria::chat
