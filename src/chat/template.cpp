// Choosing between Jinja and a built-in format, finding out what a template can do, and giving it what it
// understands.
#include "chat/template.h"

#include <ctime>

#include "base/error.h"
#include "base/log.h"

namespace cria::chat {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Arguments as the template wants them; text that is no JSON object stays text.
Json arguments_for(const ToolCall& call, const Capabilities& can) {
    if (!can.object_arguments || json_text_depth(call.arguments) > kMaxJsonDepth) return call.arguments;
    Json parsed = Json::parse(call.arguments, nullptr, false);
    return parsed.is_object() ? parsed : Json(call.arguments);
}

// A template that cannot write tool calls gets them as text, so that nothing said is lost.
std::string described_calls(const Message& message) {
    std::string text = message.text();
    for (const ToolCall& call : message.tool_calls) {
        if (!text.empty()) text += '\n';
        text += dump({{"tool_call", {{"name", call.name}, {"arguments", call.arguments}}}});
    }
    return text;
}

Json content_for(const Message& message, const Capabilities& can) {
    if (!message.parts.empty() && can.typed_content) {
        Json parts = Json::array();
        for (const ContentPart& part : message.parts) parts.push_back(part.value);
        return parts;
    }
    if (can.null_with_calls && !message.tool_calls.empty() && message.text().empty()) return nullptr;
    if (!can.string_content && can.typed_content)
        return Json::array({Json{{"type", "text"}, {"text", message.text()}}});
    return message.text();
}

Json message_for(const Message& message, const Capabilities& can, std::string_view source) {
    Json json = message.extra;
    const bool knows_role = message.role != "developer" || contains(source, "developer");
    json["role"] = knows_role ? message.role : "system";
    json["content"] = content_for(message, can);
    if (!message.reasoning_content.empty()) json["reasoning_content"] = message.reasoning_content;
    if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
    if (!message.name.empty()) json["name"] = message.name;
    if (message.tool_calls.empty()) return json;
    if (!can.tool_calls) {
        json["content"] = described_calls(message);
        return json;
    }
    for (const ToolCall& call : message.tool_calls) {
        Json one = Json::object();
        if (!call.id.empty()) one["id"] = call.id;
        one["type"] = "function";
        one["function"] = {{"name", call.name}, {"arguments", arguments_for(call, can)}};
        json["tool_calls"].push_back(std::move(one));
    }
    return json;
}

std::string date_text(const char* format, const std::optional<int64_t>& now) {
    std::time_t time = now ? static_cast<std::time_t>(*now) : std::time(nullptr);
    std::tm parts{};
    if (now ? !gmtime_r(&time, &parts) : !localtime_r(&time, &parts)) return {};
    char buffer[64];
    return {buffer, std::strftime(buffer, sizeof buffer, format, &parts)};
}

}  // namespace

ChatTemplate::ChatTemplate(std::string text, std::string bos, std::string eos)
    : text_(std::move(text)), bos_(std::move(bos)), eos_(std::move(eos)) {
    const BuiltinFormat* by_text = find_builtin(text_);
    if (text_.empty()) {
        warning_ = "the model has no chat template; using chatml";
    } else if (by_text && builtin_name(*by_text) == text_) {
        builtin_ = by_text;
        return;
    } else {
        try {
            jinja_ = jinja::Template::compile(text_);
            capabilities_ =
                probe_capabilities(text_, [&](const Json& messages, const Json& tools) -> std::string {
                    try {
                        return render({{"messages", messages}, {"tools", tools}, {"documents", nullptr}},
                                      {.now = 0});
                    } catch (const Error&) {
                        return {};
                    }
                });
            return;
        } catch (const jinja::TemplateError& error) {
            const std::string_view fallback = by_text ? builtin_name(*by_text) : "chatml";
            warning_ = fmt::format("{}; using the built-in format {} instead", error.what(), fallback);
        }
    }
    builtin_ = by_text ? by_text : find_builtin("chatml");
    log_warning("{}", warning_);
}

std::string ChatTemplate::apply(const std::vector<Message>& messages, const Json& tools,
                                const PromptOptions& options) const {
    check_json_depth(tools, "tools");
    check_json_depth(options.variables, "chat_template_kwargs");
    if (options.continue_last) {
        if (messages.empty() || messages.back().role != "assistant") {
            fail(ErrorCode::invalid_argument,
                 "there is no answer to continue: the last message must be the assistant's");
        }
        return continue_last(messages, tools, options);
    }
    return format_all(messages, tools, options);
}

std::string ChatTemplate::format_all(const std::vector<Message>& messages, const Json& tools,
                                     const PromptOptions& options) const {
    if (!jinja_) {
        std::vector<std::string> texts;
        texts.reserve(messages.size());
        for (const Message& message : messages) texts.push_back(described_calls(message));
        std::vector<BuiltinMessage> turns;
        for (size_t i = 0; i < messages.size(); ++i) turns.push_back({messages[i].role, texts[i]});
        return apply_builtin(*builtin_, turns, options.add_generation_prompt);
    }
    Json variables = {{"messages", Json::array()}, {"tools", nullptr}, {"documents", nullptr}};
    for (const Message& message : messages)
        variables["messages"].push_back(message_for(message, capabilities_, text_));
    if (!tools.empty()) variables["tools"] = tools;
    return render(variables, options);
}

std::string ChatTemplate::render(const Json& input, const PromptOptions& options) const {
    Json variables = input;
    variables["add_generation_prompt"] = options.add_generation_prompt;
    variables["bos_token"] = bos_;
    variables["eos_token"] = eos_;
    variables["date_string"] = date_text("%d %b %Y", options.now);
    variables["datetime"] = date_text("%b %d %Y", options.now);
    if (options.enable_thinking) variables["enable_thinking"] = *options.enable_thinking;
    variables.update(options.variables);
    const jinja::Value values = jinja::Value::from_json(variables);
    return jinja_->render(values.as_dict(), {.now = options.now, .allow_list_changes = true});
}

// The answer so far is replaced by a mark; what the template writes before the mark is the prompt's
// beginning. A template that loses the mark gets the prompt for a new answer, followed by the text.
std::string ChatTemplate::continue_last(const std::vector<Message>& messages, const Json& tools,
                                        const PromptOptions& options) const {
    constexpr std::string_view kMark =
        "\x01"
        "answer\x01";
    const std::string so_far = messages.back().text();
    PromptOptions inner = options;
    inner.continue_last = false;
    inner.add_generation_prompt = false;
    std::vector<Message> marked = messages;
    marked.back().parts.clear();
    marked.back().content = kMark;
    const std::string whole = format_all(marked, tools, inner);
    const size_t at = whole.rfind(kMark);
    if (at != std::string::npos) return whole.substr(0, at) + so_far;
    marked.pop_back();
    inner.add_generation_prompt = true;
    return format_all(marked, tools, inner) + so_far;
}

}  // namespace cria::chat
