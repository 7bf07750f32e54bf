// Reading messages: what is accepted, and errors that name the member at fault.
#include "chat/messages.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace cria::chat {
namespace {

std::string error_of(const std::string& json) {
    try {
        messages_from_json(Json::parse(json));
        return "read";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
}

TEST(Messages, ReadsTextPartsToolCallsAndResults) {
    const auto messages = messages_from_json(Json::parse(R"([
        {"role": "user", "content": [{"type": "text", "text": "a"}, "b", {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "reasoning_content": "hm", "thinking": "t", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}},
            {"name": "g", "arguments": {"y": [1, 2]}}]},
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": "ok"}])"));
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[0].text(), "ab");
    EXPECT_EQ(messages[0].parts[2].value["image_url"]["url"], "x");
    EXPECT_EQ(messages[1].reasoning_content, "hm");
    EXPECT_EQ(messages[1].extra["thinking"], "t");
    EXPECT_EQ(messages[1].tool_calls[0], (ToolCall{"1", "f", "{\"x\": 1}"}));
    EXPECT_EQ(messages[1].tool_calls[1], (ToolCall{"", "g", "{\"y\":[1,2]}"}));
    EXPECT_EQ(messages[2].tool_call_id, "1");
}

TEST(Messages, WritingAndReadingAgainChangesNothing) {
    const Json json = Json::parse(R"([{"role": "assistant", "content": "c", "reasoning_content": "r",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}], "custom": 1}])");
    const Message message = messages_from_json(json)[0];
    EXPECT_EQ(to_json(message), json[0]);
}

TEST(Messages, ErrorsNameTheMember) {
    EXPECT_EQ(error_of("{}"), "messages must be an array, not object");
    EXPECT_EQ(error_of("[1]"), "messages[0] must be an object, not number");
    EXPECT_EQ(error_of("[{}]"), "messages[0].role is missing; it is system, user, assistant or tool");
    EXPECT_EQ(error_of(R"([{"role": 1}])"), "messages[0].role must be a string, not number");
    EXPECT_EQ(error_of(R"([{"role": "user"}])"),
              "messages[0].content is missing; only an assistant's message may have none");
    EXPECT_EQ(error_of(R"([{"role": "user", "content": 1}])"),
              "messages[0].content must be a string or an array of parts, not number");
    EXPECT_EQ(error_of(R"([{"role": "user", "content": [{"type": "text"}]}])"),
              "messages[0].content[0].text is missing");
    EXPECT_EQ(error_of(R"([{"role": "assistant", "tool_calls": {}}])"),
              "messages[0].tool_calls must be an array, not object");
    EXPECT_EQ(error_of(R"([{"role": "assistant", "tool_calls": [{"function": {}}]}])"),
              "messages[0].tool_calls[0].function.name is missing; it names the function called");
    EXPECT_EQ(
        error_of(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": 1}}]}])"),
        "messages[0].tool_calls[0].function.arguments must be an object, or a string with JSON, not number");
}

TEST(Messages, DeepJsonIsRefusedBeforeItTakesStack) {
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    const std::string message = R"([{"role": "user", "content": "x", "custom": )" + deep + "}]";
    EXPECT_EQ(error_of(message), "messages[0] is nested more than 100 deep");
    EXPECT_THROW(tools_from_json(Json::parse(R"([{"name": "f", "custom": )" + deep + "}]")), Error);
    EXPECT_EQ(json_text_depth(R"({"a": "[[[\"[", "b": [[1]]})"), 3);
}

TEST(Messages, ToolsAreCheckedAndWrapped) {
    EXPECT_TRUE(tools_from_json(nullptr).empty());
    EXPECT_EQ(tools_from_json(Json::parse(R"([{"name": "f"}])")),
              Json::parse(R"([{"type": "function", "function": {"name": "f"}}])"));
    EXPECT_THROW(tools_from_json(Json::parse(R"([{"function": {}}])")), Error);
    EXPECT_THROW(tools_from_json(Json::parse(R"([{"name": "f", "parameters": 1}])")), Error);
}

}  // namespace
}  // namespace cria::chat
