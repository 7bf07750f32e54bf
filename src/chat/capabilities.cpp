// Small conversations with marks in them: what comes out shows what the template reads.
#include "chat/capabilities.h"

namespace cria::chat {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

Json mark_tool() {
    const Json properties = {{"mark_key", {{"type", "string"}}}};
    const Json parameters = {{"type", "object"}, {"properties", properties}};
    const Json function = {{"name", "mark_tool"}, {"description", "mark"}, {"parameters", parameters}};
    return {{"type", "function"}, {"function", function}};
}

Json mark_user(const Json& content) { return {{"role", "user"}, {"content", content}}; }

// A question, a call with these arguments, and its result.
Json mark_call(const Json& arguments, const Json& content) {
    const Json function = {{"name", "mark_call"}, {"arguments", arguments}};
    const Json call = {{"id", "call00001"}, {"type", "function"}, {"function", function}};
    const Json answer = {{"role", "assistant"}, {"content", content}, {"tool_calls", Json::array({call})}};
    const Json result = {
        {"role", "tool"}, {"name", "mark_call"}, {"tool_call_id", "call00001"}, {"content", "ok"}};
    return Json::array({mark_user("mark-user"), answer, result});
}

void probe_calls(WritePrompt write, Capabilities& can) {
    const Json tools = Json::array({mark_tool()});
    const Json arguments = {{"mark_key", "mark_value"}};
    const std::string text = R"({"mark_key": "mark_value"})";
    const auto has_call = [&](const Json& content) {
        return contains(write(mark_call(arguments, content), tools), "mark_call") ||
               contains(write(mark_call(text, content), tools), "mark_call");
    };
    const bool with_text_content = has_call("");
    can.null_with_calls = !with_text_content && has_call(nullptr);
    can.tool_calls = with_text_content || can.null_with_calls;
    const Json content = can.null_with_calls ? Json(nullptr) : Json("");
    const std::string from_object = write(mark_call(arguments, content), tools);
    const std::string from_text = write(mark_call(text, content), tools);
    // Printed as Python prints a dictionary, or as JSON inside JSON: not what the model was trained on.
    const bool object_fits = contains(from_object, "mark_value") && !contains(from_object, "'mark_key'");
    const bool text_fits = contains(from_text, "mark_value") && !contains(from_text, "\\\"mark_key");
    can.object_arguments = object_fits || !text_fits;
}

}  // namespace

Capabilities probe_capabilities(std::string_view source, WritePrompt write) {
    Capabilities can;
    can.string_content = contains(write(Json::array({mark_user("mark-user")}), nullptr), "mark-user");
    const Json part = {{"type", "text"}, {"text", "mark-user"}};
    const std::string from_parts = write(Json::array({mark_user(Json::array({part}))}), nullptr);
    // A template that does not know parts may print the list.
    can.typed_content = contains(from_parts, "mark-user") && !contains(from_parts, "'mark-user'") &&
                        !contains(from_parts, "\"mark-user\"");
    const Json system = {{"role", "system"}, {"content", "mark-system"}};
    can.system_role = contains(write(Json::array({system, mark_user("mark-user")}), nullptr), "mark-system");
    can.tools =
        contains(write(Json::array({mark_user("mark-user")}), Json::array({mark_tool()})), "mark_tool");
    probe_calls(write, can);
    can.reasoning = contains(source, "reasoning_content");
    can.enable_thinking = contains(source, "enable_thinking");
    return can;
}

}  // namespace cria::chat
