// The output parser: thoughts, calls in each shape, what is malformed, and pieces against the whole.
#include "chat/parse/parser.h"

#include <gtest/gtest.h>

#include <random>

namespace cria::chat {
namespace {

using Kind = OutputEvent::Kind;

const OutputFormat& format(std::string_view name) {
    const OutputFormat* found = find_output_format(name);
    EXPECT_NE(found, nullptr) << name;
    return found ? *found : output_formats().front();
}

Message parse(std::string_view name, std::string_view text, const std::string& prompt = "") {
    return parse_output(format(name), {.has_tools = true, .prompt = prompt}, text);
}

// One line an event; neighbours of one kind are one event.
std::vector<std::string> merged_events(const OutputFormat& format, const OutputOptions& options,
                                       const std::vector<std::string_view>& pieces) {
    std::vector<OutputEvent> events;
    const auto collect = [&](const OutputEvent& event) {
        const bool is_text = event.kind != Kind::call_begin && event.kind != Kind::call_end;
        if (is_text && !events.empty() && events.back().kind == event.kind &&
            events.back().index == event.index) {
            events.back().text += event.text;
        } else {
            events.push_back(event);
        }
    };
    OutputParser parser(format, options);
    for (const std::string_view piece : pieces) parser.feed(piece, collect);
    parser.finish(collect);
    std::vector<std::string> lines;
    for (const OutputEvent& event : events) {
        constexpr const char* kKinds[] = {"content ", "reasoning ", "begin ", "arguments ", "end "};
        lines.push_back(kKinds[static_cast<int>(event.kind)] + std::to_string(event.index) + " " +
                        event.name + "|" + event.id + "|" + event.text);
    }
    return lines;
}

std::vector<std::string_view> cut(std::string_view text, size_t n) {
    std::vector<std::string_view> pieces;
    for (size_t at = 0; at < text.size(); at += n) pieces.push_back(text.substr(at, n));
    return pieces;
}

TEST(OutputParser, PlainTextComesOutAsItIs) {
    for (const std::string_view text :
         {"", " ", "Hello", "  two\n\n", "<think", "a < b <t", "[TOOL", "{\"name\": 1}", "\n{"}) {
        for (const OutputFormat& one : output_formats()) {
            EXPECT_EQ(parse_output(one, {.has_tools = true}, text).content, text) << one.name;
        }
    }
}

TEST(OutputParser, ThoughtsAreTakenOutWithTheirSpace) {
    const Message message = parse("hermes", "<think>\nhm, <tool_call> or not\n</think>\n\nYes.\n");
    EXPECT_EQ(message.reasoning_content, "hm, <tool_call> or not");
    EXPECT_EQ(message.content, "Yes.\n");
    EXPECT_EQ(parse("hermes", "open thought").content, "open thought");
    EXPECT_EQ(parse("hermes", "still thinking", "<think>\n").reasoning_content, "still thinking");
    EXPECT_EQ(parse("hermes", "done\n</think>\n\nText", "...<think>\n").reasoning_content, "done");
    EXPECT_EQ(parse("deepseek", "</think>Text").content, "Text");
    EXPECT_EQ(parse("hermes", "a</think>b").content, "a</think>b");
}

TEST(OutputParser, ThoughtsStayWhereThatIsAsked) {
    const OutputOptions options{.has_tools = true, .keep_reasoning = true, .prompt = "<think>"};
    EXPECT_EQ(parse_output(format("hermes"), options, "x</think>\n\ny").content, "x</think>\n\ny");
}

TEST(OutputParser, CallsAreTextWithoutTools) {
    const std::string text = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";
    const Message message = parse_output(format("hermes"), {}, text);
    EXPECT_EQ(message.content, text);
    EXPECT_TRUE(message.tool_calls.empty());
}

struct Case {
    const char* format;
    const char* text;
    std::vector<ToolCall> calls;
    const char* content;
};
const Case kCases[] = {
    {"hermes",
     "Let me.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": \"}{\\\"\"}}\n</tool_call>\n",
     {{"", "f", "{\"x\": \"}{\\\"\"}"}},
     "Let me."},
    {"hermes",
     "<tool_call>{\"arguments\": {\"x\": 1}, \"name\": "
     "\"f\"}</tool_call><tool_call>{\"name\":\"g\"}</tool_call>z",
     {{"", "f", "{\"x\": 1}"}, {"", "g", "{}"}},
     "z"},
    {"hermes",
     "<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"x\\\": 1}\"}</tool_call>",
     {{"", "f", "{\"x\": 1}"}},
     ""},
    {"hermes",
     "<tool_call>{\"function\": {\"name\": \"f\", \"arguments\": {}}}</tool_call>",
     {{"", "f", "{}"}},
     ""},
    {"hermes", "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": [1, 2", {{"", "f", "{\"x\": [1, 2"}}, ""},
    {"mistral",
     "Hi[TOOL_CALLS]f[ARGS]{\"a\": 1}[TOOL_CALLS]g[CALL_ID]abc[ARGS]{}",
     {{"", "f", "{\"a\": 1}"}, {"abc", "g", "{}"}},
     "Hi"},
    {"mistral-json",
     "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}, \"id\": \"x\"}, {\"name\": \"g\", \"arguments\": "
     "{}}]",
     {{"x", "f", "{}"}, {"", "g", "{}"}},
     ""},
    {"kimi-k2",
     "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":1}<|"
     "tool_call_end|>"
     "<|tool_call_begin|>functions.g:1<|tool_call_argument_begin|><|tool_call_end|><|tool_calls_section_end|"
     ">",
     {{"functions.f:0", "f", "{\"a\":1}"}, {"functions.g:1", "g", "{}"}},
     ""},
    {"deepseek",
     "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\": "
     "1}\n```<｜tool▁call▁end｜>\n"
     "<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
     {{"", "f", "{\"a\": 1}"}, {"", "g", "{}"}},
     ""},
    {"function-tags",
     "<tool_call>\n<function=f>\n<parameter=code>\nif a < b:\n    </function> "
     "x\n</parameter>\n<parameter=n>\n3\n</parameter>\n"
     "</function>\n</tool_call>",
     {{"", "f", "{\"code\": \"if a < b:\\n    </function> x\", \"n\": 3}"}},
     ""},
    {"glm",
     "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x y</arg_value>\n</tool_call>tail",
     {{"", "f", "{\"a\": \"x y\"}"}},
     "tail"},
    {"lfm2",
     "<|tool_call_start|>[f(a='x\\'y', b=[1, True, None], c={'k': 1.5}), g()]<|tool_call_end|>",
     {{"", "f", "{\"a\": \"x'y\", \"b\": [1, true, null], \"c\": {\"k\": 1.5}}"}, {"", "g", "{}"}},
     ""},
    {"gemma4",
     "<|tool_call>call:f{a:<|\"|>x{,}<|\"|>,n:2,o:{k:[true]}}<tool_call|>",
     {{"", "f", "{\"a\": \"x{,}\", \"n\": 2, \"o\": {\"k\": [true]}}"}},
     ""},
    {"llama3", " {\"name\": \"f\", \"parameters\": {\"x\": 1}}", {{"", "f", "{\"x\": 1}"}}, ""},
    {"llama3", "<|python_tag|>{\"name\": \"f\", \"parameters\": {}}", {{"", "f", "{}"}}, ""},
    {"llama3", "{\"name\": \"Bob\", \"age\": 3}", {}, "{\"name\": \"Bob\", \"age\": 3}"},
    {"llama3", "{\"answer\": 3}", {}, "{\"answer\": 3}"},
    {"functionary-v3.1",
     "ok <function=f>{\"a\": 1}</function><function=g>{}</function>",
     {{"", "f", "{\"a\": 1}"}, {"", "g", "{}"}},
     "ok"},
    {"functionary-v3.2",
     ">>>all\nHello.>>>f\n{\"a\": 1}>>>python\nprint(1)",
     {{"", "f", "{\"a\": 1}"}, {"", "python", "print(1)"}},
     "Hello."},
    {"apertus",
     "<|tools_prefix|>[{\"f\": {\"a\": 1}}, {\"g\": {}}]<|tools_suffix|>",
     {{"", "f", "{\"a\": 1}"}, {"", "g", "{}"}},
     ""},
    {"gpt-oss",
     "<|channel|>analysis<|message|>think<|end|><|start|>assistant<|channel|>commentary to=functions.f "
     "<|constrain|>json<|message|>{\"a\": "
     "1}<|call|><|start|>assistant<|channel|>final<|message|>Done<|return|>",
     {{"", "f", "{\"a\": 1}"}},
     "Done"},
    {"mirothinker",
     "<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>f</tool_name>\n<arguments>\n{\"a\": "
     "1}\n</arguments>\n"
     "</use_mcp_tool>",
     {{"", "f", "{\"a\": 1}"}},
     ""},
    // Not calls: nothing is lost.
    {"hermes",
     "<tool_call>{\"function\": {\"function\": {\"name\": \"f\"}}}</tool_call>",
     {},
     "<tool_call>{\"function\": {\"function\": {\"name\": \"f\"}}}</tool_call>"},
    {"hermes", "x <tool_call> y </tool_call> z", {}, "x <tool_call> y </tool_call> z"},
    {"hermes", "<tool_call>\n{\"nam\": 1}\n</tool_call>", {}, "<tool_call>\n{\"nam\": 1}\n</tool_call>"},
    {"hermes", "<tool_call>{\"name\": \"f\", oops", {}, "<tool_call>{\"name\": \"f\", oops"},
    {"hermes", "<tool_call>[1, 2]</tool_call>", {}, "<tool_call>[1, 2]</tool_call>"},
    {"hermes", "a\n<tool_call>", {}, "a\n<tool_call>"},
    {"kimi-k2", "<|tool_calls_section_begin|> so ", {}, "<|tool_calls_section_begin|> so "},
    {"kimi-k2",
     "<|tool_calls_section_begin|><|tool_calls_section_end|>x",
     {},
     "<|tool_calls_section_begin|><|tool_calls_section_end|>x"},
    {"kimi-k2", "<|tool_call_begin|>what is this", {}, "<|tool_call_begin|>what is this"},
    {"function-tags", "<function=f><parameter=a>open", {}, "<function=f><parameter=a>open"},
    {"lfm2", "<|tool_call_start|>[f(a=]<|tool_call_end|>", {}, "<|tool_call_start|>[f(a=]<|tool_call_end|>"},
    {"gemma4", "<|tool_call>call:f{a<tool_call|>", {}, "<|tool_call>call:f{a<tool_call|>"},
    {"gpt-oss", "<|channel|>final", {}, "<|channel|>final"},
};

TEST(OutputParser, ReadsEveryShapeAndKeepsWhatIsNone) {
    for (const Case& one : kCases) {
        const Message message = parse(one.format, one.text);
        EXPECT_EQ(message.tool_calls, one.calls)
            << one.text << "\n"
            << (message.tool_calls.empty() ? "no calls"
                                           : message.tool_calls[0].name + message.tool_calls[0].arguments);
        EXPECT_EQ(message.content, one.content) << one.text;
    }
}

TEST(OutputParser, ArgumentsAndTextStreamAsTheyArrive) {
    OutputParser parser(format("hermes"), {.has_tools = true});
    std::vector<OutputEvent> events;
    const auto collect = [&](const OutputEvent& event) { events.push_back(event); };
    parser.feed("Hi", collect);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].text, "Hi");
    parser.feed("<tool_call>{\"name\": \"f\", \"arguments\": {\"text\": \"begin", collect);
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].name, "f");
    EXPECT_EQ(events[2].text, "{\"text\": \"begin");
}

TEST(OutputParser, SchemasTellTextsFromNumbers) {
    const Json tools =
        Json::parse(R"([{"type": "function", "function": {"name": "f", "parameters": {"properties": {
        "zip": {"type": "string"}, "n": {"type": "integer"}, "on": {"type": "boolean"}}}}}])");
    const std::string text =
        "<function=f><parameter=zip>01234</parameter><parameter=n>5</parameter><parameter=on>True</"
        "parameter></function>";
    const Message message = parse_output(format("function-tags"), {.has_tools = true, .tools = tools}, text);
    ASSERT_EQ(message.tool_calls.size(), 1u);
    EXPECT_EQ(message.tool_calls[0].arguments, "{\"zip\": \"01234\", \"n\": 5, \"on\": true}");
}

TEST(OutputParser, PiecesGiveTheSameEventsAsTheWhole) {
    for (const Case& one : kCases) {
        const OutputOptions options{.has_tools = true};
        const auto whole = merged_events(format(one.format), options, {one.text});
        for (const size_t n : {1, 2, 3, 7}) {
            EXPECT_EQ(merged_events(format(one.format), options, cut(one.text, n)), whole)
                << one.text << " in " << n;
        }
    }
}

// Random answers made of the format's own marks, JSON and words: pieces give what the whole gives, and no
// word is lost.
TEST(OutputParser, RandomAnswersLoseNoWordAndDoNotDependOnPieces) {
    std::mt19937 random(7);
    for (const OutputFormat& one : output_formats()) {
        std::vector<std::string> parts = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          "\n",
                                          " ",
                                          "\"",
                                          "{\"name\": \"f\", \"arguments\": {\"x\": 1}}",
                                          "f",
                                          "all\n",
                                          "<",
                                          "functions.f:0",
                                          "{\"a\": \"b\"}",
                                          "assistant",
                                          "to=functions.f",
                                          "<|message|>",
                                          "<|start|>",
                                          "<|channel|>",
                                          "analysis",
                                          "call:f{}",
                                          "[f(x=1)]",
                                          "```",
                                          "\">"};
        const CallFormat& calls = one.calls;
        for (const std::string_view mark :
             {calls.section_open, calls.section_close, calls.open, calls.close, calls.name_end,
              calls.param_open, calls.key_end, calls.value_open, calls.param_close}) {
            if (!mark.empty()) parts.emplace_back(mark);
        }
        for (const Tags& tags : one.reasoning)
            parts.insert(parts.end(), {std::string(tags.open), std::string(tags.close)});
        for (const std::string_view mark : one.ignored) parts.emplace_back(mark);
        for (const std::string_view mark : calls.separators) parts.emplace_back(mark);
        for (int round = 0; round < 150; ++round) {
            std::string text;
            std::vector<std::string> words;
            for (int i = 0; i < 14; ++i) {
                text += parts[random() % parts.size()];
                if (random() % 3) continue;
                words.push_back("w" + std::to_string(random() % 100000) + "w");
                text += words.back();
            }
            const OutputOptions options{
                .has_tools = true,
                .prompt = round % 2 ? "" : std::string(one.reasoning.empty() ? "" : one.reasoning[0].open)};
            const auto whole = merged_events(one, options, {text});
            EXPECT_EQ(merged_events(one, options, cut(text, 1)), whole) << one.name << "\n" << text;
            EXPECT_EQ(merged_events(one, options, cut(text, 1 + random() % 9)), whole) << one.name << "\n"
                                                                                       << text;
            std::string out;
            for (const std::string& line : whole) out += line + "\n";
            if (one.name == "mirothinker") continue;  // the name of a call's server is not kept
            for (const std::string& word : words) {
                EXPECT_NE(out.find(word), std::string::npos) << one.name << " lost " << word << " of\n"
                                                             << text;
            }
        }
    }
}

TEST(OutputParser, LongAnswersTakeLinearTime) {
    const std::string many(1 << 20, '<');
    const std::string blanks(1 << 20, ' ');
    const std::string deep(1 << 20, '[');
    for (const std::string& text : {many, blanks, "<tool_call>" + blanks,
                                    "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": " + deep}) {
        const auto whole = merged_events(format("hermes"), {.has_tools = true}, {text});
        EXPECT_EQ(merged_events(format("hermes"), {.has_tools = true}, cut(text, 64)), whole);
    }
    const std::string tags = "<function=f><parameter=a>" + std::string(1 << 18, 'x');
    EXPECT_EQ(parse("function-tags", tags).content, tags);
}

TEST(OutputFormats, NamesDifferAndTextsAreRecognised) {
    std::vector<std::string_view> names;
    for (const OutputFormat& one : output_formats()) names.push_back(one.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
    EXPECT_EQ(detect_output_format("nothing known").name, "plain");
    EXPECT_EQ(detect_output_format("<tool_call> \n<function=x>").name, "function-tags");
}

}  // namespace
}  // namespace cria::chat
