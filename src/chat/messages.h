// Messages of a conversation, as clients of the OpenAI interface write them: roles, text or content parts,
// reasoning, tool calls and their results. Plain values; nothing here is shared or locked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cria::chat {

// Keeps the order of members, which tool schemas and arguments rely on.
using Json = nlohmann::ordered_json;

// Deeper JSON is refused: copying and writing it takes stack for each level.
inline constexpr int kMaxJsonDepth = 100;
// Raises Error{invalid_argument} naming `where` when `json` is nested deeper.
void check_json_depth(const Json& json, std::string_view where);
// How deep brackets are nested in a JSON text that nobody has read yet.
int json_text_depth(std::string_view text);

struct ToolCall {
    std::string id;    // empty: none given
    std::string name;  // of the function
    // JSON text. What a model wrote may be incomplete or wrong, so it is kept as it came.
    std::string arguments;

    bool operator==(const ToolCall&) const = default;
};

struct ContentPart {
    std::string type;  // "text", "image_url", ...
    std::string text;  // of a part of type "text"
    Json value;        // the whole part, as it came
};

struct Message {
    std::string role;
    std::string content;             // empty when there are parts
    std::vector<ContentPart> parts;  // content given as a list
    std::string reasoning_content;
    std::vector<ToolCall> tool_calls;
    std::string tool_call_id;     // of a tool's result
    std::string name;             // of the tool or the speaker
    Json extra = Json::object();  // all other members, for the template

    // The content as one text: that of the text parts, one after the other.
    std::string text() const;
};

// Reads an array of messages. Raises Error{invalid_argument} naming the member: "messages[2].content must be
// ...".
std::vector<Message> messages_from_json(const Json& messages);
// `where` names the message in errors.
Message message_from_json(const Json& message, std::string_view where);
// The OpenAI form, with arguments as text; members that are empty are left out, except content.
Json to_json(const Message& message);

// Checks an array of tools ({"type": "function", "function": {"name": ...}}) and returns it; bare functions
// are wrapped. Raises Error{invalid_argument} naming the member. null is no tools.
Json tools_from_json(const Json& tools);

}  // namespace cria::chat
