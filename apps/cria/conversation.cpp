// The model's chat template, applied.
#include "conversation.h"

#include "base/error.h"
#include "chat/jinja/template.h"
#include "chat/jinja/value.h"

namespace cria::app {
namespace {

namespace jinja = chat::jinja;

std::string token_text(const Vocab& vocab, int32_t id) {
    return vocab.contains(id) ? std::string(vocab.text(id)) : std::string();
}

}  // namespace

struct Conversation::Template {
    jinja::Template compiled;
};

Conversation::Conversation(const Model& model, const std::string& template_text) : model_(model) {
    const auto own = model.chat_template();
    if (template_text.empty() && !own) {
        fail(ErrorCode::unsupported,
             "the model has no chat template; use --raw to continue text, or --chat-template");
    }
    template_ = std::make_unique<Template>(
        Template{jinja::Template::compile(template_text.empty() ? *own : template_text)});
}

Conversation::~Conversation() = default;

std::vector<int32_t> Conversation::prompt() const {
    const Vocab& vocab = model_.vocab();
    std::vector<jinja::Value> messages;
    for (const ChatMessage& message : messages_) {
        jinja::Dict entry;
        entry.set("role", message.role);
        entry.set("content", message.content);
        messages.push_back(entry);
    }
    jinja::Dict variables;
    variables.set("messages", jinja::Value::list(std::move(messages)));
    variables.set("add_generation_prompt", true);
    const std::string bos = token_text(vocab, vocab.bos());
    variables.set("bos_token", bos);
    variables.set("eos_token", token_text(vocab, vocab.eos()));
    const std::string text = template_->compiled.render(variables);
    // A template that writes the begin-of-text token itself must not get a second one.
    const bool has_bos = !bos.empty() && text.compare(0, bos.size(), bos) == 0;
    return vocab.tokenize(text, {.add_special = !has_bos, .parse_special = true});
}

}  // namespace cria::app
