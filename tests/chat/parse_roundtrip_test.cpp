// What a template writes for an assistant's turn, its parser must read: for every real template that writes
// tool calls, thoughts, text and calls come back. This keeps the table of formats true to the models' own
// templates.
#include <algorithm>
#include <filesystem>

#include "chat/goldens.h"
#include "chat/parse/parser.h"
#include "chat/template.h"

namespace cria::chat {
namespace {

const char* const kTools = R"([{"type": "function", "function": {"name": "get_weather", "description": "d",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"},
    "exact": {"type": "boolean"}, "tags": {"type": "array"}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "now", "description": "n", "parameters": {"type": "object", "properties": {}}}}])";

Message user(const std::string& text) {
    return message_from_json({{"role", "user"}, {"content", text}}, "message");
}

// The turn as the model would write it, and the prompt it would continue.
struct Turn {
    std::string prompt, text;
};

std::optional<std::string> format(const ChatTemplate& chat, const std::vector<Message>& messages, bool add) {
    try {
        return chat.apply(messages, Json::parse(kTools), {.add_generation_prompt = add, .now = 0});
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<Turn> turn_of(const ChatTemplate& chat, const Message& answer,
                            std::string_view reasoning_open) {
    const auto open = format(chat, {user("Question?")}, true);
    const auto closed = format(chat, {user("Question?")}, false);
    const auto whole = format(chat, {user("Question?"), answer}, false);
    if (!open || !closed || !whole) return std::nullopt;
    // Some templates prompt for a thought that the turn does not have: the prompt is what both begin with.
    size_t n_same = open->size();
    if (!whole->starts_with(*open)) {
        const auto differs = std::mismatch(whole->begin(), whole->end(), open->begin(), open->end());
        n_same = static_cast<size_t>(differs.first - whole->begin());
        // Not inside a mark.
        while (n_same > closed->size() &&
               std::string_view(">]\n").find((*whole)[n_same - 1]) == std::string_view::npos)
            --n_same;
    }
    if (n_same < closed->size()) return std::nullopt;
    // A thought without its opening words: the prompt has them.
    const bool is_opened =
        !reasoning_open.empty() && open->find(reasoning_open, closed->size()) != std::string::npos;
    const std::string prompt = is_opened && whole->find(reasoning_open, closed->size()) == std::string::npos
                                   ? *open
                                   : whole->substr(0, n_same);
    std::string text = whole->substr(n_same);
    for (bool is_cut = true; is_cut;) {
        is_cut = false;
        for (const std::string_view end : {"<|im_end|>",
                                           "\n",
                                           "<EOS>",
                                           "<|eot_id|>",
                                           "<|eom_id|>",
                                           "<|end_of_text|>",
                                           "<|END_OF_TURN_TOKEN|>",
                                           "<｜end▁of▁sentence｜>",
                                           "<|eot|>",
                                           "<end_of_sentence>",
                                           "<turn|>",
                                           "[e~[",
                                           "<sep>",
                                           "</assistant>",
                                           "<seed:eos>",
                                           "<｜hy_eos:opensource｜>",
                                           "<|assistant_end|>",
                                           "<|message_sep|>",
                                           "<|user_end|>",
                                           "<｜Assistant｜>",
                                           "<|START_THINKING|><|END_THINKING|>",
                                           "<|CHATBOT_TOKEN|>",
                                           "<|START_OF_TURN_TOKEN|>"}) {
            if (!text.ends_with(end)) continue;
            text.resize(text.size() - end.size());
            is_cut = true;
        }
    }
    return Turn{prompt, text};
}

Message call_message(bool is_parallel, const std::string& thought) {
    Message message;
    message.role = "assistant";
    message.reasoning_content = thought;
    message.tool_calls.push_back(
        {"call00001", "get_weather",
         R"({"city": "Köln \"<b>\" 12", "days": 2, "exact": true, "tags": ["a", 1]})"});
    if (is_parallel) message.tool_calls.push_back({"call00002", "now", "{}"});
    return message;
}

void expect_calls(const Message& parsed, const Message& wanted, const std::string& what) {
    ASSERT_EQ(parsed.tool_calls.size(), wanted.tool_calls.size()) << what << "\ncontent: " << parsed.content;
    for (size_t i = 0; i < wanted.tool_calls.size(); ++i) {
        EXPECT_EQ(parsed.tool_calls[i].name, wanted.tool_calls[i].name) << what;
        EXPECT_EQ(Json::parse(parsed.tool_calls[i].arguments, nullptr, false),
                  Json::parse(wanted.tool_calls[i].arguments))
            << what << "\n"
            << parsed.tool_calls[i].arguments;
    }
    EXPECT_EQ(parsed.content, "") << what;
}

TEST(ParseRoundTrip, EveryTemplatesOwnCallsAndThoughtsAreRead) {
    if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
    size_t n_calls = 0, n_thoughts = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::golden_folder() + "jinja/templates")) {
        const std::string name = entry.path().stem().string();
        const ChatTemplate chat(testing::read_text(entry.path().string()), "<BOS>", "<EOS>");
        if (!chat.capabilities().tool_calls) continue;
        const OutputFormat& output = detect_output_format(chat.source());
        for (const std::string thought : {"", "I need it."}) {
            for (const bool is_parallel : {false, true}) {
                const Message wanted = call_message(is_parallel, thought);
                const bool has_thought = !thought.empty() && !output.reasoning.empty();
                const auto turn =
                    turn_of(chat, wanted, has_thought ? output.reasoning[0].open : std::string_view());
                if (!turn) continue;
                const std::string what =
                    name + " as " + std::string(output.name) + "\nprompt ..." +
                    turn->prompt.substr(turn->prompt.size() - std::min<size_t>(turn->prompt.size(), 60)) +
                    "\ntext " + turn->text;
                const OutputOptions options{
                    .has_tools = true, .tools = Json::parse(kTools), .prompt = turn->prompt};
                const Message parsed = parse_output(output, options, turn->text);
                // Some templates write the first call only.
                if (is_parallel && turn->text.find("now") == std::string::npos) continue;
                expect_calls(parsed, wanted, what);
                if (!thought.empty() && turn->text.find(thought) != std::string::npos) {
                    EXPECT_EQ(parsed.reasoning_content, thought) << what;
                    ++n_thoughts;
                }
                ++n_calls;
            }
        }
    }
    EXPECT_GT(n_calls, 80u);
    EXPECT_GT(n_thoughts, 10u);
}

}  // namespace
}  // namespace cria::chat
