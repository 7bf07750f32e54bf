// The chat formats that have a name, without any template language: what llama_chat_apply_template of the
// llama.cpp family does. A format is a row of a table (builtin.cpp); a model's Jinja text is recognised by
// what it contains, not run. Where the family's versions differ, the one that follows the model's own
// template is right
// (../shared/conformance/text/chat/builtin.json, "right").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cria::chat {

struct BuiltinFormat;

struct BuiltinMessage {
    std::string_view role;
    std::string_view content;
};

// The 42 names, sorted, as llama_chat_builtin_templates lists them.
std::span<const std::string_view> builtin_names();

// The format of that exact name, or else the one that a template's text belongs to; null when there is none.
// The result lives as long as the program.
const BuiltinFormat* find_builtin(std::string_view name_or_text);

// The name of a format; empty for one that only a text can mean.
std::string_view builtin_name(const BuiltinFormat& format);

// The prompt. With `add_generation_prompt`, it ends where the assistant's answer begins. Never fails: roles
// that a format does not know are written as it writes unknown roles, or left out.
std::string apply_builtin(const BuiltinFormat& format, std::span<const BuiltinMessage> messages,
                          bool add_generation_prompt);

}  // namespace cria::chat
