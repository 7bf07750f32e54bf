// Whole calls in shapes other than JSON, converted to a name and JSON arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/messages.h"
#include "chat/parse/format.h"

namespace cria::chat {

// What the tools' schemas say about a parameter's type; without tools, values are read as JSON where they are
// JSON.
class ParameterTypes {
  public:
    ParameterTypes() = default;
    explicit ParameterTypes(const Json& tools);
    // The value's text as JSON: texts are quoted, numbers, truth values, lists and objects are taken as they
    // are.
    std::string to_json(const std::string& tool, const std::string& parameter, std::string_view value) const;

  private:
    enum class Kind { unknown, text, other };
    Kind kind_of(const std::string& tool, const std::string& parameter) const;
    Json properties_ = Json::object();  // tool -> properties of its parameters
};

// Each takes what stands between the opening and closing mark and gives nothing when it is not a call of that
// shape.
std::optional<ToolCall> read_tagged_call(const CallFormat& format, std::string_view body,
                                         const ParameterTypes& types);
std::optional<std::vector<ToolCall>> read_python_calls(std::string_view body);
std::optional<ToolCall> read_braces_call(std::string_view body);

// True while a parameter of a tagged call is open at the end of `body`: a closing mark there belongs to its
// value.
bool is_inside_parameter(const CallFormat& format, std::string_view body);

// Name and id from the text between a call's opening mark and its arguments.
std::optional<ToolCall> read_header(const CallFormat& format, std::string_view header);

std::string_view without_blank(std::string_view text);
// A text in JSON quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace cria::chat
