// The built-in chat formats.
#include "chat/builtin.h"

#include <algorithm>

#include "capi/handles.h"

using namespace cria::capi;
namespace chat = cria::chat;

int32_t llama_chat_apply_template(const char* tmpl, const llama_chat_message* messages, size_t n_msg,
                                  bool add_ass, char* buf, int32_t length) {
    return guard<int32_t>("llama_chat_apply_template", -1, [&]() -> int32_t {
        const chat::BuiltinFormat* format = chat::find_builtin(&required(tmpl, "tmpl"));
        if (format == nullptr)
            cria::fail(cria::ErrorCode::unsupported, "the template belongs to none of the built-in formats");
        if (n_msg > 0) required(messages, "chat");
        std::vector<chat::BuiltinMessage> list;
        for (size_t i = 0; i < n_msg; ++i) {
            list.push_back({.role = &required(messages[i].role, "a role"),
                            .content = &required(messages[i].content, "a content")});
        }
        const std::string text = chat::apply_builtin(*format, list, add_ass);
        // A text that just fits has no zero at its end: the caller knows its length.
        const size_t n_copied = std::min(text.size(), static_cast<size_t>(std::max(0, length)));
        if (buf != nullptr) {
            std::copy_n(text.data(), n_copied, buf);
            if (n_copied < static_cast<size_t>(std::max(0, length))) buf[n_copied] = '\0';
        }
        return put_text(text, nullptr, 0);
    });
}

int32_t llama_chat_builtin_templates(const char** output, size_t len) {
    return guard<int32_t>("llama_chat_builtin_templates", -1, [&] {
        const auto names = chat::builtin_names();
        if (len > 0) required(output, "output");
        for (size_t i = 0; i < std::min(len, names.size()); ++i)
            output[i] = names[i].data();  // literals, which end in a zero
        return static_cast<int32_t>(names.size());
    });
}
