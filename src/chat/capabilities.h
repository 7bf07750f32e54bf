// What a chat template does with its input, found out by formatting small conversations.
#pragma once

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "chat/messages.h"

namespace cria::chat {

struct Capabilities {
    bool system_role = true;        // writes system messages
    bool string_content = true;     // writes content that is one text
    bool typed_content = false;     // writes content that is a list of parts
    bool tools = false;             // lists tools
    bool tool_calls = false;        // writes an assistant's tool calls
    bool null_with_calls = false;   // ... only if the message's content is null
    bool object_arguments = false;  // wants arguments as an object, not as JSON text
    bool reasoning = false;         // looks at reasoning_content
    bool enable_thinking = false;   // looks at enable_thinking
};

// Formats messages with tools; empty where the template refuses.
using WritePrompt = FunctionRef<std::string(const Json& messages, const Json& tools)>;

// `source` is the template's text.
Capabilities probe_capabilities(std::string_view source, WritePrompt write);

}  // namespace cria::chat
