// The families, and the rules that recognise them by their chat template. The marks are those that the
// templates write when they show a model its own earlier calls, so that parsing a rendered call gives the
// call back (the tests do that).
#include "chat/parse/format.h"

#include <algorithm>
#include <array>

namespace cria::chat {
namespace {

const std::vector<Tags> kThink = {{"<think>", "</think>"}};

CallFormat json_calls(std::string_view open, std::string_view close) {
    return {.shape = CallShape::json, .open = open, .close = close};
}

// <function=f><parameter=x>value</parameter></function>
CallFormat function_tags(std::string_view section_open, std::string_view section_close) {
    return {.shape = CallShape::tagged,
            .section_open = section_open,
            .section_close = section_close,
            .open = "<function=",
            .close = "</function>",
            .name_end = ">",
            .param_open = "<parameter=",
            .key_end = ">",
            .param_close = "</parameter>"};
}

// <invoke name="f"><parameter name="x">value</parameter></invoke>, each tag with a prefix.
struct InvokeTags {
    std::string_view section_open, section_close, open, close, param_open, param_close;
};
CallFormat invoke_tags(const InvokeTags& tags) {
    return {.shape = CallShape::tagged,
            .section_open = tags.section_open,
            .section_close = tags.section_close,
            .open = tags.open,
            .close = tags.close,
            .name_end = "\">",
            .param_open = tags.param_open,
            .key_end = "\"",
            .value_open = ">",
            .param_close = tags.param_close};
}

// f<arg_key>x</arg_key><arg_value>value</arg_value>
CallFormat key_value_tags(std::string_view open, std::string_view close) {
    return {.shape = CallShape::tagged,
            .open = open,
            .close = close,
            .param_open = "<arg_key>",
            .key_end = "</arg_key>",
            .value_open = "<arg_value>",
            .param_close = "</arg_value>"};
}

void add_tagged_formats(std::vector<OutputFormat>& formats) {
    formats.push_back({"function-tags", kThink, function_tags("<tool_call>", "</tool_call>")});
    formats.push_back({"seed-oss",
                       {{"<seed:think>", "</seed:think>"}},
                       function_tags("<seed:tool_call>", "</seed:tool_call>")});
    formats.push_back({"glm", kThink, key_value_tags("<tool_call>", "</tool_call>")});
    CallFormat hunyuan{.shape = CallShape::tagged,
                       .section_open = "<tool_calls:opensource>",
                       .section_close = "</tool_calls:opensource>",
                       .open = "<tool_call:opensource>",
                       .close = "</tool_call:opensource>",
                       .name_end = "<tool_sep:opensource>",
                       .param_open = "<arg_key:opensource>",
                       .key_end = "</arg_key:opensource>",
                       .value_open = "<arg_value:opensource>",
                       .param_close = "</arg_value:opensource>"};
    formats.push_back({"hunyuan3", {{"<think:opensource>", "</think:opensource>"}}, hunyuan});
    for (const std::string_view word : {"function_calls", "tool_calls"}) {
        const bool is_v32 = word == "function_calls";
        formats.push_back({is_v32 ? "deepseek-v3.2" : "deepseek-v4", kThink,
                           invoke_tags({is_v32 ? "<｜DSML｜function_calls>" : "<｜DSML｜tool_calls>",
                                        is_v32 ? "</｜DSML｜function_calls>" : "</｜DSML｜tool_calls>",
                                        "<｜DSML｜invoke name=\"", "</｜DSML｜invoke>",
                                        "<｜DSML｜parameter name=\"", "</｜DSML｜parameter>"})});
    }
    formats.push_back({"minimax-m2", kThink,
                       invoke_tags({"<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=\"",
                                    "</invoke>", "<parameter name=\"", "</parameter>"})});
    formats.push_back(
        {"minicpm5", kThink,
         invoke_tags({"", "", "<function name=\"", "</function>", "<param name=\"", "</param>"})});
    OutputFormat muse{"muse",
                      {},
                      invoke_tags({"<atem:function_calls>", "</atem:function_calls>", "<atem:invoke name=\"",
                                   "</atem:invoke>", "<atem:parameter name=\"", "</atem:parameter>"}),
                      {"<|eom|>", "<|eot|>"}};
    formats.push_back(muse);
    formats.push_back({"minimax-m3",
                       {{"<mm:think>", "</mm:think>"}},
                       {.shape = CallShape::tagged,
                        .section_open = "]<]minimax[>[<tool_call>",
                        .section_close = "]<]minimax[>[</tool_call>",
                        .open = "]<]minimax[>[<invoke name=\"",
                        .close = "]<]minimax[>[</invoke>",
                        .name_end = "\">",
                        .param_open = "]<]minimax[>[<",
                        .key_end = ">",
                        .param_close = "]<]minimax[>[</{key}>"}});
    formats.push_back({"kimi-k3",
                       {{"<|open|>think<|sep|>", "<|close|>think<|sep|>"}},
                       {.shape = CallShape::tagged,
                        .section_open = "<|open|>tools<|sep|>",
                        .section_close = "<|close|>tools<|sep|>",
                        .open = "<|open|>call tool=\"",
                        .close = "<|close|>call<|sep|>",
                        .name_end = "<|sep|>",
                        .param_open = "<|open|>argument key=\"",
                        .key_end = "\"",
                        .value_open = "<|sep|>",
                        .param_close = "<|close|>argument<|sep|>"},
                       {"<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>",
                        "<|end_of_msg|>"}});
}

void add_header_formats(std::vector<OutputFormat>& formats) {
    formats.push_back({"kimi-k2",
                       kThink,
                       {.shape = CallShape::header,
                        .section_open = "<|tool_calls_section_begin|>",
                        .section_close = "<|tool_calls_section_end|>",
                        .open = "<|tool_call_begin|>",
                        .close = "<|tool_call_end|>",
                        .fields = HeaderFields::numbered_id,
                        .separators = {"<|tool_call_argument_begin|>"}}});
    formats.push_back({"mistral",
                       {{"[THINK]", "[/THINK]"}},
                       {.shape = CallShape::header,
                        .open = "[TOOL_CALLS]",
                        .fields = HeaderFields::name_first,
                        .separators = {"[CALL_ID]", "[ARGS]"}}});
    formats.push_back({"mistral-json", {{"[THINK]", "[/THINK]"}}, json_calls("[TOOL_CALLS]", "")});
    formats.push_back({"deepseek",
                       kThink,
                       {.shape = CallShape::header,
                        .section_open = "<｜tool▁calls▁begin｜>",
                        .section_close = "<｜tool▁calls▁end｜>",
                        .open = "<｜tool▁call▁begin｜>",
                        .close = "<｜tool▁call▁end｜>",
                        .fields = HeaderFields::name_last,
                        .separators = {"<｜tool▁sep｜>", "```json"},
                        .kind = "function",
                        .after_arguments = {"```"}}});
    formats.push_back({"functionary-v3.1",
                       {},
                       {.shape = CallShape::header,
                        .open = "<function=",
                        .close = "</function>",
                        .fields = HeaderFields::name_first,
                        .separators = {">"}}});
    formats.push_back({"functionary-v3.2",
                       {},
                       {.shape = CallShape::header,
                        .open = ">>>",
                        .fields = HeaderFields::name_first,
                        .header_end = "\n",
                        .content_name = "all"}});
    formats.push_back({"solar-open",
                       {{"<|think|>", "<|end|>"}},
                       {.shape = CallShape::header,
                        .section_open = "<|tool_calls|>",
                        .section_close = "<|calls|>",
                        .open = "<|tool_call:begin|>",
                        .close = "<|tool_call:end|>",
                        .fields = HeaderFields::id_then_name,
                        .separators = {"<|tool_call:name|>", "<|tool_call:args|>"}},
                       {"<|begin|>assistant", "<|content|>", "<|end|>"}});
    formats.push_back(
        {"mirothinker",
         kThink,
         {.shape = CallShape::header,
          .open = "<use_mcp_tool>",
          .close = "</use_mcp_tool>",
          .fields = HeaderFields::name_last,
          .separators = {"<server_name>", "</server_name>", "<tool_name>", "</tool_name>", "<arguments>"},
          .after_arguments = {"</arguments>"}}});
}

void add_json_and_other_formats(std::vector<OutputFormat>& formats) {
    formats.push_back({"hermes", kThink, json_calls("<tool_call>", "</tool_call>")});
    formats.push_back({"cohere",
                       {{"<|START_THINKING|>", "<|END_THINKING|>"}},
                       json_calls("<|START_ACTION|>", "<|END_ACTION|>"),
                       {"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"}});
    formats.push_back({"command-r-plus", {}, json_calls("Action:\n```json", "```")});
    formats.push_back({"granite", {{"<think>", "</think>"}}, json_calls("<|tool_call|>", "")});
    formats.push_back({"gigachat", {}, json_calls("<|function_call|>", "")});
    formats.push_back({"gigachat-v3", {}, json_calls("function call<|role_sep|>", ""), {"<|message_sep|>"}});
    formats.push_back({"minimax-m1", kThink, json_calls("<tool_calls>", "</tool_calls>")});
    formats.push_back({"apriel",
                       {{"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"}},
                       json_calls("<tool_calls>", "</tool_calls>"),
                       {"[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]", "<|end|>"}});
    OutputFormat apertus{"apertus",
                         {{"<|inner_prefix|>", "<|inner_suffix|>"}},
                         json_calls("<|tools_prefix|>", "<|tools_suffix|>")};
    apertus.calls.name_is_key = true;
    formats.push_back(apertus);
    formats.push_back({"firefunction", {}, json_calls(" functools", "")});
    OutputFormat llama3{"llama3", {}, json_calls("<|python_tag|>", "")};
    llama3.calls.is_bare = true;
    formats.push_back(llama3);
    formats.push_back(
        {"lfm2",
         kThink,
         {.shape = CallShape::python, .open = "<|tool_call_start|>", .close = "<|tool_call_end|>"}});
    formats.push_back({"gemma4",
                       {{"<|channel>thought", "<channel|>"}},
                       {.shape = CallShape::braces, .open = "<|tool_call>call:", .close = "<tool_call|>"},
                       {"<|tool_response>"}});
    formats.push_back({"gpt-oss", {}, {.shape = CallShape::channels}, {"<|end|>", "<|return|>", "<|call|>"}});
}

std::vector<OutputFormat> make_formats() {
    std::vector<OutputFormat> formats = {{"plain", kThink, {}}};
    add_json_and_other_formats(formats);
    add_tagged_formats(formats);
    add_header_formats(formats);
    return formats;
}

// A template's text that contains all of these, and not the last, is of that family. The first rule that fits
// decides.
struct Rule {
    std::array<std::string_view, 3> contains;
    std::string_view lacks;
    std::string_view format;
};
constexpr Rule kRules[] = {
    {{"[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[ARGS]"}, "", "mistral"},
    {{"[TOOL_CALLS]"}, "", "mistral-json"},
    {{"<|channel|>", "<|message|>"}, "", "gpt-oss"},
    {{"<atem:"}, "", "muse"},
    {{">>>all", ">>>${recipient}"}, "", "functionary-v3.2"},
    {{"<|tool_calls_section_begin|>"}, "", "kimi-k2"},
    {{"<|open|>", "<|sep|>"}, "", "kimi-k3"},
    {{"<|START_ACTION|>"}, "", "cohere"},
    {{"Action:", "```json", "<|START_OF_TURN_TOKEN|>"}, "", "command-r-plus"},
    {{"</use_mcp_tool>", "</server_name>"}, "", "mirothinker"},
    {{"<|tool_call_start|>"}, "", "lfm2"},
    {{"<|tool_list_start|>"}, "", "lfm2"},
    {{"List of tools: ["}, "", "lfm2"},
    {{"<|function_call|>"}, "", "gigachat"},
    {{"<|role_sep|>", "<|message_sep|>"}, "", "gigachat-v3"},
    {{"]<]minimax[>["}, "", "minimax-m3"},
    {{"<minimax:tool_call>"}, "", "minimax-m2"},
    {{"DSML", "function_calls"}, "", "deepseek-v3.2"},
    {{"DSML", "tool_calls"}, "", "deepseek-v4"},
    {{"<|tool_call>", "call:"}, "", "gemma4"},
    {{"<｜tool▁calls▁begin｜>"}, "", "deepseek"},
    {{"<|tool_call:begin|>"}, "", "solar-open"},
    {{"<seed:tool_call>"}, "", "seed-oss"},
    {{"tool_call:opensource"}, "", "hunyuan3"},
    {{"<tool_call", "tool_sep", "arg_key"}, "", "hunyuan3"},
    {{"<arg_key>", "<arg_value>"}, "", "glm"},
    {{"<tool_call>", "<function="}, "", "function-tags"},
    {{"<function name=\"", "<param name=\""}, "", "minicpm5"},
    {{"<function="}, "<tool_call>", "functionary-v3.1"},
    {{"<|tools_prefix|>"}, "", "apertus"},
    {{" functools"}, "", "firefunction"},
    {{"<|start_of_role|>", "<|tool_call|>"}, "<tool_call>", "granite"},
    {{"<tool_calls>", "[BEGIN FINAL RESPONSE]"}, "", "apriel"},
    {{"<tool_calls>"}, "<tool_call>", "minimax-m1"},
    {{"<tool_call>"}, "", "hermes"},
    {{"<|start_header_id|>", "parameters"}, "", "llama3"},
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

std::span<const OutputFormat> output_formats() {
    static const std::vector<OutputFormat> formats = make_formats();
    return formats;
}

const OutputFormat* find_output_format(std::string_view name) {
    for (const OutputFormat& format : output_formats()) {
        if (format.name == name) return &format;
    }
    return nullptr;
}

const OutputFormat& detect_output_format(std::string_view template_text) {
    for (const Rule& rule : kRules) {
        const bool has_all =
            std::all_of(rule.contains.begin(), rule.contains.end(),
                        [&](std::string_view part) { return contains(template_text, part); });
        if (!has_all || (!rule.lacks.empty() && contains(template_text, rule.lacks))) continue;
        if (const OutputFormat* format = find_output_format(rule.format)) return *format;
    }
    return output_formats().front();
}

}  // namespace cria::chat
