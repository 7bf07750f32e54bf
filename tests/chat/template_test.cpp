// A model's template from end to end: choice of engine, what is probed, what is adapted, and continuing an
// answer.
#include "chat/template.h"

#include "base/log.h"
#include "chat/goldens.h"

namespace cria::chat {
namespace {

constexpr const char* kChatMl =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

Message user(const std::string& text) {
    return message_from_json({{"role", "user"}, {"content", text}}, "message");
}
Message assistant(const std::string& text) {
    return message_from_json({{"role", "assistant"}, {"content", text}}, "message");
}

std::string golden_template(const std::string& name) {
    return testing::read_text(testing::golden_folder() + "jinja/templates/" + name + ".jinja");
}

TEST(ChatTemplate, RendersJinjaTextWithTheModelsTokens) {
    const ChatTemplate chat("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ extra }}", "<s>",
                            "</s>");
    EXPECT_TRUE(chat.is_jinja());
    EXPECT_EQ(chat.apply({user("hi")}, nullptr, {.variables = {{"extra", "!"}}}), "<s>hi</s>!");
}

TEST(ChatTemplate, TakesANameOfABuiltInFormat) {
    const ChatTemplate chat("vicuna", "", "");
    EXPECT_FALSE(chat.is_jinja());
    EXPECT_EQ(chat.builtin(), "vicuna");
    EXPECT_EQ(chat.apply({user("hi")}, nullptr), "USER: hi\nASSISTANT:");
}

TEST(ChatTemplate, FallsBackToWhatTheTextResemblesAndSaysSo) {
    std::string logged;
    set_log_sink([&](LogLevel, std::string_view line) { logged = line; });
    const ChatTemplate broken("{% if <start_of_turn> %}", "", "");
    EXPECT_EQ(broken.builtin(), "gemma");
    EXPECT_NE(broken.warning().find("using the built-in format gemma"), std::string::npos)
        << broken.warning();
    EXPECT_EQ(logged, broken.warning());
    EXPECT_EQ(ChatTemplate("{{ nonsense", "", "").builtin(), "chatml");
    EXPECT_EQ(ChatTemplate("", "", "").apply({user("x")}, nullptr),
              "<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n");
    set_log_sink({});
}

TEST(ChatTemplate, ContinuesTheLastAnswer) {
    const std::vector<Message> messages = {user("count"), assistant("One, two,")};
    const ChatTemplate chat(kChatMl, "", "");
    EXPECT_EQ(chat.apply(messages, nullptr, {.continue_last = true}),
              "<|im_start|>user\ncount<|im_end|>\n<|im_start|>assistant\nOne, two,");
    EXPECT_EQ(ChatTemplate("llama3", "", "").apply(messages, nullptr, {.continue_last = true}),
              "<|start_header_id|>user<|end_header_id|>\n\ncount<|eot_id|><|start_header_id|>assistant<|end_"
              "header_id|>\n\n"
              "One, two,");
    const ChatTemplate only_users(
        "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}:", "", "");
    EXPECT_EQ(only_users.apply(messages, nullptr, {.continue_last = true}), "count:One, two,");
    EXPECT_THROW(chat.apply({user("x")}, nullptr, {.continue_last = true}), Error);
}

TEST(ChatTemplate, ThinkingIsLeftToTheTemplateUnlessAsked) {
    const ChatTemplate chat("{{ enable_thinking is defined }}{{ enable_thinking }}", "", "");
    EXPECT_EQ(chat.apply({user("x")}, nullptr), "False");
    EXPECT_EQ(chat.apply({user("x")}, nullptr, {.enable_thinking = false}), "TrueFalse");
}

TEST(ChatTemplate, WhatTheTemplateRefusesIsAnErrorWithItsWords) {
    const ChatTemplate chat("{{ raise_exception('no tools') if tools else 'ok' }}", "", "");
    try {
        chat.apply({user("x")}, Json::parse(R"([{"type": "function", "function": {"name": "f"}}])"));
        FAIL() << "formatted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "the chat template refuses these messages (line 1): no tools");
    }
}

TEST(ChatTemplate, ContentAndArgumentsComeInTheFormTheTemplateReads) {
    if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
    const ChatTemplate qwen(golden_template("Qwen-Qwen2.5-7B-Instruct"), "", "");
    EXPECT_TRUE(qwen.capabilities().tools);
    EXPECT_TRUE(qwen.capabilities().tool_calls);
    EXPECT_TRUE(qwen.capabilities().object_arguments);
    EXPECT_FALSE(qwen.capabilities().typed_content);
    EXPECT_TRUE(qwen.capabilities().system_role);
    const auto messages = messages_from_json(Json::parse(R"([
        {"role": "user", "content": [{"type": "text", "text": "Weather "}, {"type": "text", "text": "in Köln?"}]},
        {"role": "assistant", "tool_calls": [{"function": {"name": "w", "arguments": "{\"city\": \"Köln\"}"}}]}])"));
    const std::string prompt = qwen.apply(messages, nullptr);
    EXPECT_NE(prompt.find("<|im_start|>user\nWeather in Köln?<|im_end|>"), std::string::npos) << prompt;
    EXPECT_NE(prompt.find("{\"name\": \"w\", \"arguments\": {\"city\": \"Köln\"}}"), std::string::npos)
        << prompt;

    const ChatTemplate gemma(golden_template("google-gemma-2-2b-it"), "<bos>", "");
    EXPECT_FALSE(gemma.capabilities().system_role);
    EXPECT_FALSE(gemma.capabilities().tools);
    const ChatTemplate deepseek(golden_template("deepseek-ai-DeepSeek-R1-Distill-Llama-8B"), "", "");
    EXPECT_FALSE(deepseek.capabilities().object_arguments) << "it adds the arguments to a text";
    EXPECT_TRUE(deepseek.capabilities().null_with_calls) << "it looks for calls only beside null";
}

// Kimi K2 Thinking changes a list, which Jinja's sandbox refuses; the reference engine renders it.
TEST(ChatTemplate, TemplatesThatChangeListsAreRendered) {
    if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
    const Json conversations = testing::read_json("jinja/conversations.json");
    const ChatTemplate kimi(golden_template("Kimi-K2-Thinking"), "<BOS>", "<EOS>");
    size_t n_checked = 0;
    const Json golden = testing::read_json("jinja/Kimi-K2-Thinking.json");
    for (const Json& one : golden["renders"]) {
        if (one.value("kind", "") != "SecurityError") continue;
        const Json& input = conversations["conversations"][one["conversation"].get<std::string>()];
        EXPECT_EQ(kimi.apply(messages_from_json(input["messages"]), input["tools"],
                             {.add_generation_prompt = one["add_generation_prompt"].get<bool>()}),
                  one["seed"]["out"].get<std::string>())
            << one["conversation"];
        ++n_checked;
    }
    EXPECT_GT(n_checked, 0u);
}

TEST(ChatTemplate, DeepArgumentsStayText) {
    Message call = assistant("");
    call.tool_calls.push_back({"", "f", std::string(200000, '[')});
    call.tool_calls.push_back(
        {"", "g", "{\"a\": " + std::string(200000, '[') + std::string(200000, ']') + "}"});
    const ChatTemplate chat(
        "{% for m in messages %}{% for c in m.tool_calls %}{{ c.function.name }}{{ "
        "c.function.arguments|length }};"
        "{% endfor %}{% endfor %}{{ 'mark_call mark_value' }}",
        "", "");
    EXPECT_EQ(chat.apply({call}, nullptr), "f200000;g400007;mark_call mark_value");
}

TEST(ChatTemplate, ADeveloperIsASystemWhereTheTemplateKnowsNone) {
    const Message developer = message_from_json({{"role", "developer"}, {"content", "be terse"}}, "message");
    EXPECT_EQ(ChatTemplate(kChatMl, "", "").apply({developer}, nullptr, {.add_generation_prompt = false}),
              "<|im_start|>system\nbe terse<|im_end|>\n");
}

TEST(ChatTemplate, ToolCallsAreNotLostInFormatsWithoutThem) {
    const auto messages = messages_from_json(
        Json::parse(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}])"));
    const std::string prompt = ChatTemplate("chatml", "", "").apply(messages, nullptr);
    EXPECT_NE(prompt.find("\"name\":\"f\""), std::string::npos) << prompt;
}

}  // namespace
}  // namespace cria::chat
