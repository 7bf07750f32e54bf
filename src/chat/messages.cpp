// JSON to messages and back, with errors that name the member at fault.
#include "chat/messages.h"

#include <algorithm>

#include "base/error.h"

namespace cria::chat {
namespace {

[[noreturn]] void fail_member(std::string_view where, std::string_view wanted, const Json& found) {
    fail(ErrorCode::invalid_argument, "{} must be {}, not {}", where, wanted, found.type_name());
}

void check_depth(const Json& json, std::string_view where, int levels_left) {
    if (!json.is_structured()) return;
    if (levels_left == 0) {
        fail(ErrorCode::invalid_argument, "{} is nested more than {} deep", where, kMaxJsonDepth);
    }
    for (const Json& child : json) check_depth(child, where, levels_left - 1);
}

// A text member; empty when it is missing or null.
std::string optional_text(const Json& object, const char* key, std::string_view where) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return {};
    if (!found->is_string()) fail_member(fmt::format("{}.{}", where, key), "a string", *found);
    return found->get<std::string>();
}

ToolCall read_tool_call(const Json& call, const std::string& where) {
    if (!call.is_object()) fail_member(where, "an object", call);
    ToolCall result{.id = optional_text(call, "id", where), .name = {}, .arguments = {}};
    // Some clients leave out the "function" level.
    const bool is_nested = call.contains("function");
    const Json& function = is_nested ? call["function"] : call;
    const std::string inner = is_nested ? where + ".function" : where;
    if (!function.is_object()) fail_member(inner, "an object", function);
    result.name = optional_text(function, "name", inner);
    if (result.name.empty())
        fail(ErrorCode::invalid_argument, "{}.name is missing; it names the function called", inner);
    const auto arguments = function.find("arguments");
    if (arguments == function.end() || arguments->is_null()) {
        result.arguments = "{}";
    } else if (arguments->is_string()) {
        result.arguments = arguments->get<std::string>();
    } else if (arguments->is_object()) {
        result.arguments = arguments->dump(-1, ' ', false, Json::error_handler_t::replace);
    } else {
        fail_member(inner + ".arguments", "an object, or a string with JSON", *arguments);
    }
    return result;
}

ContentPart read_part(const Json& part, const std::string& where) {
    if (part.is_string()) {
        const auto text = part.get<std::string>();
        return {"text", text, Json{{"type", "text"}, {"text", text}}};
    }
    if (!part.is_object()) fail_member(where, "an object with a type, or a string", part);
    ContentPart result{optional_text(part, "type", where), {}, part};
    if (result.type.empty())
        fail(ErrorCode::invalid_argument, "{}.type is missing; for text it is \"text\"", where);
    if (result.type == "text") {
        if (!part.contains("text")) fail(ErrorCode::invalid_argument, "{}.text is missing", where);
        result.text = optional_text(part, "text", where);
    }
    return result;
}

void read_content(const Json& content, const std::string& where, Message& message) {
    if (content.is_null()) return;
    if (content.is_string()) {
        message.content = content.get<std::string>();
        return;
    }
    if (!content.is_array()) fail_member(where, "a string or an array of parts", content);
    for (size_t i = 0; i < content.size(); ++i) {
        message.parts.push_back(read_part(content[i], fmt::format("{}[{}]", where, i)));
    }
}

}  // namespace

void check_json_depth(const Json& json, std::string_view where) { check_depth(json, where, kMaxJsonDepth); }

int json_text_depth(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return deepest;
}

std::string Message::text() const {
    std::string all = content;
    for (const ContentPart& part : parts) all += part.text;
    return all;
}

Message message_from_json(const Json& json, std::string_view where) {
    if (!json.is_object()) fail_member(where, "an object", json);
    check_json_depth(json, where);
    Message message;
    message.role = optional_text(json, "role", where);
    if (message.role.empty()) {
        fail(ErrorCode::invalid_argument, "{}.role is missing; it is system, user, assistant or tool", where);
    }
    message.reasoning_content = optional_text(json, "reasoning_content", where);
    message.tool_call_id = optional_text(json, "tool_call_id", where);
    message.name = optional_text(json, "name", where);
    for (const auto& [key, value] : json.items()) {
        const std::string place = fmt::format("{}.{}", where, key);
        if (key == "content") {
            read_content(value, place, message);
        } else if (key == "tool_calls") {
            if (value.is_null()) continue;
            if (!value.is_array()) fail_member(place, "an array", value);
            for (size_t i = 0; i < value.size(); ++i) {
                message.tool_calls.push_back(read_tool_call(value[i], fmt::format("{}[{}]", place, i)));
            }
        } else if (key != "role" && key != "reasoning_content" && key != "tool_call_id" && key != "name") {
            message.extra[key] = value;
        }
    }
    if (message.role == "assistant" || json.contains("content")) return message;
    fail(ErrorCode::invalid_argument, "{}.content is missing; only an assistant's message may have none",
         where);
}

std::vector<Message> messages_from_json(const Json& messages) {
    if (!messages.is_array()) fail_member("messages", "an array", messages);
    std::vector<Message> result;
    result.reserve(messages.size());
    for (size_t i = 0; i < messages.size(); ++i) {
        result.push_back(message_from_json(messages[i], fmt::format("messages[{}]", i)));
    }
    return result;
}

Json to_json(const Message& message) {
    Json json = {{"role", message.role}};
    if (message.parts.empty()) {
        json["content"] = message.content;
    } else {
        json["content"] = Json::array();
        for (const ContentPart& part : message.parts) json["content"].push_back(part.value);
    }
    if (!message.reasoning_content.empty()) json["reasoning_content"] = message.reasoning_content;
    for (const ToolCall& call : message.tool_calls) {
        Json one = Json::object();
        if (!call.id.empty()) one["id"] = call.id;
        one["type"] = "function";
        one["function"] = {{"name", call.name}, {"arguments", call.arguments}};
        json["tool_calls"].push_back(std::move(one));
    }
    if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
    if (!message.name.empty()) json["name"] = message.name;
    json.update(message.extra);
    return json;
}

Json tools_from_json(const Json& tools) {
    Json result = Json::array();
    if (tools.is_null()) return result;
    if (!tools.is_array()) fail_member("tools", "an array", tools);
    for (size_t i = 0; i < tools.size(); ++i) {
        const std::string where = fmt::format("tools[{}]", i);
        check_json_depth(tools[i], where);
        if (!tools[i].is_object()) fail_member(where, "an object", tools[i]);
        const bool is_wrapped = tools[i].contains("function");
        const Json& function = is_wrapped ? tools[i]["function"] : tools[i];
        const std::string inner = is_wrapped ? where + ".function" : where;
        if (!function.is_object()) fail_member(inner, "an object", function);
        if (optional_text(function, "name", inner).empty()) {
            fail(ErrorCode::invalid_argument, "{}.name is missing", inner);
        }
        const auto parameters = function.find("parameters");
        if (parameters != function.end() && !parameters->is_null() && !parameters->is_object()) {
            fail_member(inner + ".parameters", "an object (a JSON schema)", *parameters);
        }
        result.push_back(is_wrapped ? tools[i] : Json{{"type", "function"}, {"function", function}});
    }
    return result;
}

}  // namespace cria::chat
