// The chat template of a model: from messages and tools to the prompt text. Jinja text is compiled and probed
// once; formatting is thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/builtin.h"
#include "chat/capabilities.h"
#include "chat/jinja/template.h"
#include "chat/messages.h"

namespace cria::chat {

struct PromptOptions {
    bool add_generation_prompt = true;  // end where the assistant's answer begins
    bool continue_last = false;         // the last message is the assistant's: end where it can be continued
    std::optional<bool> enable_thinking;  // unset: the template's own choice
    Json variables = Json::object();      // more variables for the template (chat_template_kwargs)
    std::optional<int64_t> now;           // seconds since 1970; unset: the clock
};

class ChatTemplate {
  public:
    // `text`: a built-in name, or Jinja text as in tokenizer.chat_template; empty is ChatML. `bos` and `eos`
    // are the texts of the model's tokens. Never fails: a text that does not compile is formatted by the
    // built-in format it resembles, else as ChatML, and `warning` says so.
    ChatTemplate(std::string text, std::string bos, std::string eos);

    // The prompt. It begins with `bos` if the template writes it: the tokenizer should then add none.
    // Raises Error: what the template refuses (jinja::TemplateError, with line and reason), or
    // invalid_argument.
    std::string apply(const std::vector<Message>& messages, const Json& tools,
                      const PromptOptions& options = {}) const;

    const std::string& source() const { return text_; }
    bool is_jinja() const { return jinja_.has_value(); }
    // The format in use when it is not Jinja; empty for a nameless one.
    std::string_view builtin() const { return builtin_ ? builtin_name(*builtin_) : std::string_view(); }
    const Capabilities& capabilities() const { return capabilities_; }
    const std::string& warning() const { return warning_; }

  private:
    std::string render(const Json& variables, const PromptOptions& options) const;
    std::string format_all(const std::vector<Message>& messages, const Json& tools,
                           const PromptOptions& options) const;
    std::string continue_last(const std::vector<Message>& messages, const Json& tools,
                              const PromptOptions& options) const;

    std::string text_, bos_, eos_;
    std::optional<jinja::Template> jinja_;
    const BuiltinFormat* builtin_ = nullptr;
    Capabilities capabilities_;
    std::string warning_;
};

}  // namespace cria::chat
