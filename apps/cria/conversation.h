// From messages to the prompt of a model: its own chat template.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace cria::app {

struct ChatMessage {
    std::string role;  // system, user, assistant
    std::string content;
};

// Throws Error{unsupported} when the model has no chat template and none is given.
class Conversation {
  public:
    // template_text: empty for the model's own.
    Conversation(const Model& model, const std::string& template_text);
    ~Conversation();

    void add(std::string role, std::string content) {
        messages_.push_back({std::move(role), std::move(content)});
    }
    // The whole conversation up to where the assistant answers, as tokens.
    std::vector<int32_t> prompt() const;

    static bool is_available(const Model& model) { return model.chat_template().has_value(); }

  private:
    struct Template;
    const Model& model_;
    std::unique_ptr<Template> template_;
    std::vector<ChatMessage> messages_;
};

}  // namespace cria::app
