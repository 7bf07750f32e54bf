// The table of named formats, the rules that recognise a template's text, and the one function that formats
// messages.
#include "chat/builtin.h"

#include <algorithm>
#include <array>

namespace cria::chat {

// How one role's message is written. In `before`, {role} is the role, {Role} has a capital, {ROLE} is in
// capitals.
struct Turn {
    std::string_view before;
    std::string_view after;
    bool strip = false;  // white space around the content goes
    bool skip = false;   // messages of this role are left out
};

// A turn without white space around its content.
constexpr Turn stripped(std::string_view before, std::string_view after) {
    return {.before = before, .after = after, .strip = true};
}

inline constexpr Turn kSkip{.before = "", .after = "", .skip = true};

struct BuiltinFormat {
    std::string_view name;
    Turn system, user, assistant, other;
    std::string_view generation{};  // what add_generation_prompt appends
    std::string_view prologue{};    // before everything
    std::string_view separator{};   // between messages
    // A round is what users and systems say up to the assistant's answer; it opens with this text.
    std::string_view round{};
    bool prologue_opens_round = false;
    // One more role with a form of its own.
    std::string_view extra_role{};
    Turn extra{};
    std::string_view default_system{};  // written when the first message is not the system's
    bool only_first_system = false;     // system messages elsewhere are left out
    bool system_joins_user =
        false;  // the system's text is put before the next user's, with an empty line between
    bool generation_after_user = false;  // the generation text follows exactly if the user spoke last
};

namespace {

// One form for the roles: all of them, or with exceptions stated by the caller.
constexpr Turn kBailing{"<role>{ROLE}</role>", ""};
constexpr Turn kBailing2{"<role>{ROLE}</role>", "<|role_end|>"};
constexpr Turn kChatGlm3{"<|{role}|>\n ", ""};
constexpr Turn kChatGlm4{"<|{role}|>\n", ""};
constexpr Turn kChatMl{"<|im_start|>{role}\n", "<|im_end|>\n"};
constexpr Turn kFalcon3{"<|{role}|>\n", "\n"};
constexpr Turn kFalconE{"{role}", "\n"};
constexpr Turn kGemma = stripped("<start_of_turn>{role}\n", "<end_of_turn>\n");
constexpr Turn kGptOss{"<|start|>{role}<|message|>", "<|end|>"};
constexpr Turn kGranite{"<|start_of_role|>{role}<|end_of_role|>", "<|end_of_text|>\n"};
constexpr Turn kLlama3 = stripped("<|start_header_id|>{role}<|end_header_id|>\n\n", "<|eot_id|>");
constexpr Turn kLlama4 = stripped("<|header_start|>{role}<|header_end|>\n\n", "<|eot|>");
constexpr Turn kMegrez{"<|role_start|>{role}<|role_end|>", "<|turn_end|>"};
constexpr Turn kMonarch{"{role}\n", "</s>\n"};
constexpr Turn kOpenChat{"GPT4 Correct {Role}: ", "<|end_of_turn|>"};
constexpr Turn kPhi3{"<|{role}|>\n", "<|end|>\n"};
constexpr Turn kSeedOss{"<seed:bos>{role}\n", "<seed:eos>"};
constexpr Turn kZephyr{"<|{role}|>\n", "<|endoftext|>\n"};
constexpr Turn kBare{"", ""};
constexpr Turn kBareStripped = stripped("", "");
constexpr Turn kBareEos{"", "</s>"};
constexpr Turn kBareStrippedEos = stripped("", "</s>");
constexpr Turn kSpaceEos{" ", "</s>"};
constexpr Turn kLlama2System{"<<SYS>>\n", "\n<</SYS>>\n\n"};
constexpr Turn kLlama2User{"", " [/INST]"};

constexpr BuiltinFormat kFormats[] = {
    {.name = "bailing",
     .system = kBailing,
     .user = Turn{"<role>HUMAN</role>", ""},
     .assistant = kBailing,
     .other = kBailing,
     .generation = "<role>ASSISTANT</role>"},
    {.name = "bailing-think",
     .system = kBailing,
     .user = Turn{"<role>HUMAN</role>", ""},
     .assistant = kBailing,
     .other = kBailing,
     .generation = "<role>ASSISTANT</role><think>"},
    {.name = "bailing2",
     .system = kBailing2,
     .user = Turn{"<role>HUMAN</role>", "<|role_end|>"},
     .assistant = kBailing2,
     .other = kBailing2,
     .generation = "<role>ASSISTANT</role>",
     .default_system = "detailed thinking off"},
    {.name = "bitnet",
     .system = Turn{"System: ", ""},
     .user = Turn{"User: ", "<|eot_id|>Assistant: "},
     .assistant = kBare,
     .other = kBare},
    {.name = "chatglm3",
     .system = kChatGlm3,
     .user = kChatGlm3,
     .assistant = kChatGlm3,
     .other = kChatGlm3,
     .generation = "<|assistant|>",
     .prologue = "[gMASK]sop"},
    {.name = "chatglm4",
     .system = kChatGlm4,
     .user = kChatGlm4,
     .assistant = kChatGlm4,
     .other = kChatGlm4,
     .generation = "<|assistant|>\n",
     .prologue = "[gMASK]<sop>"},
    {.name = "chatml",
     .system = kChatMl,
     .user = kChatMl,
     .assistant = kChatMl,
     .other = kChatMl,
     .generation = "<|im_start|>assistant\n"},
    {.name = "command-r",
     .system = stripped("<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
     .user = stripped("<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
     .assistant = stripped("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
     .other = kSkip,
     .generation = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
    {.name = "deepseek",
     .system = kBare,
     .user = Turn{"### Instruction:\n", "\n"},
     .assistant = Turn{"### Response:\n", "\n<|EOT|>\n"},
     .other = kSkip,
     .generation = "### Response:\n"},
    {.name = "deepseek2",
     .system = Turn{"", "\n\n"},
     .user = Turn{"User: ", "\n\n"},
     .assistant = Turn{"Assistant: ", "<｜end▁of▁sentence｜>"},
     .other = kSkip,
     .generation = "Assistant:"},
    {.name = "deepseek3",
     .system = Turn{"", "\n\n"},
     .user = Turn{"<｜User｜>", ""},
     .assistant = Turn{"<｜Assistant｜>", "<｜end▁of▁sentence｜>"},
     .other = kSkip,
     .generation = "<｜Assistant｜>"},
    {.name = "exaone3",
     .system = stripped("[|system|]", "[|endofturn|]\n"),
     .user = stripped("[|user|]", "\n"),
     .assistant = stripped("[|assistant|]", "[|endofturn|]\n"),
     .other = kSkip,
     .generation = "[|assistant|]"},
    {.name = "falcon3",
     .system = kFalcon3,
     .user = kFalcon3,
     .assistant = kFalcon3,
     .other = kFalcon3,
     .generation = "<|assistant|>\n"},
    {.name = "falcon_e",
     .system = kFalconE,
     .user = kFalconE,
     .assistant = kFalconE,
     .other = kFalconE,
     .generation = "assistant\n"},
    {.name = "gemma",
     .system = kBareStripped,
     .user = kGemma,
     .assistant = stripped("<start_of_turn>model\n", "<end_of_turn>\n"),
     .other = kGemma,
     .generation = "<start_of_turn>model\n",
     .system_joins_user = true},
    {.name = "gigachat",
     .system = Turn{"", "<|message_sep|>"},
     .user = Turn{"user<|role_sep|>", "<|message_sep|>available functions<|role_sep|>[]<|message_sep|>"},
     .assistant = Turn{"assistant<|role_sep|>", "<|message_sep|>"},
     .other = kSkip,
     .generation = "assistant<|role_sep|>",
     .prologue = "<s>",
     .only_first_system = true},
    {.name = "gpt-oss",
     .system = kGptOss,
     .user = kGptOss,
     .assistant = Turn{"<|start|>assistant<|message|>", "<|return|>"},
     .other = kGptOss,
     .generation = "<|start|>assistant"},
    {.name = "granite",
     .system = kGranite,
     .user = kGranite,
     .assistant = kGranite,
     .other = kGranite,
     .generation = "<|start_of_role|>assistant<|end_of_role|>",
     .extra_role = "assistant_tool_call",
     .extra = Turn{"<|start_of_role|>assistant_tool_call<|end_of_role|><|tool_call|>", "<|end_of_text|>\n"}},
    {.name = "grok-2",
     .system = stripped("System: ", "<|separator|>\n\n"),
     .user = stripped("Human: ", "<|separator|>\n\n"),
     .assistant = Turn{"Assistant: ", "<|separator|>\n\n"},
     .other = kSkip,
     .generation = "Assistant:"},
    {.name = "hunyuan-moe",
     .system = Turn{"<|startoftext|>", "<|extra_4|>"},
     .user = Turn{"<|startoftext|>", "<|extra_0|>"},
     .assistant = Turn{"", "<|eos|>"},
     .other = Turn{"<|startoftext|>", "<|extra_0|>"}},
    {.name = "kimi-k2",
     .system = Turn{"<|im_system|>system<|im_middle|>", "<|im_end|>"},
     .user = Turn{"<|im_user|>user<|im_middle|>", "<|im_end|>"},
     .assistant = Turn{"<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"},
     .other = Turn{"", "<|im_end|>"},
     .generation = "<|im_assistant|>assistant<|im_middle|>",
     .extra_role = "tool",
     .extra = Turn{"<|im_system|>tool<|im_middle|>", "<|im_end|>"}},
    {.name = "llama2",
     .system = Turn{"", "\n"},
     .user = kLlama2User,
     .assistant = kBareEos,
     .other = kBareEos,
     .prologue = "[INST] ",
     .round = "[INST] ",
     .prologue_opens_round = true},
    {.name = "llama2-sys",
     .system = kLlama2System,
     .user = kLlama2User,
     .assistant = kBareEos,
     .other = kBareEos,
     .prologue = "[INST] ",
     .round = "[INST] ",
     .prologue_opens_round = true},
    {.name = "llama2-sys-bos",
     .system = kLlama2System,
     .user = kLlama2User,
     .assistant = kBareEos,
     .other = kBareEos,
     .prologue = "[INST] ",
     .round = "<s>[INST] ",
     .prologue_opens_round = true},
    {.name = "llama2-sys-strip",
     .system = stripped("<<SYS>>\n", "\n<</SYS>>\n\n"),
     .user = stripped("", " [/INST]"),
     .assistant = kBareStrippedEos,
     .other = kBareStrippedEos,
     .prologue = "[INST] ",
     .round = "[INST] ",
     .prologue_opens_round = true},
    {.name = "llama3",
     .system = kLlama3,
     .user = kLlama3,
     .assistant = kLlama3,
     .other = kLlama3,
     .generation = "<|start_header_id|>assistant<|end_header_id|>\n\n"},
    {.name = "llama4",
     .system = kLlama4,
     .user = kLlama4,
     .assistant = kLlama4,
     .other = kLlama4,
     .generation = "<|header_start|>assistant<|header_end|>\n\n"},
    {.name = "megrez",
     .system = kMegrez,
     .user = kMegrez,
     .assistant = kMegrez,
     .other = kMegrez,
     .generation = "<|role_start|>assistant<|role_end|>"},
    {.name = "minicpm",
     .system = kBareStripped,
     .user = stripped("<用户>", "<AI>"),
     .assistant = kBareStripped,
     .other = kBareStripped},
    {.name = "mistral-v1",
     .system = Turn{"", "\n\n"},
     .user = Turn{"", " [/INST]"},
     .assistant = kSpaceEos,
     .other = kSpaceEos,
     .round = " [INST] "},
    {.name = "mistral-v3",
     .system = Turn{"", "\n\n"},
     .user = Turn{"", "[/INST]"},
     .assistant = stripped(" ", "</s>"),
     .other = stripped(" ", "</s>"),
     .round = "[INST] "},
    {.name = "mistral-v3-tekken",
     .system = Turn{"", "\n\n"},
     .user = Turn{"", "[/INST]"},
     .assistant = kBareEos,
     .other = kBareEos,
     .round = "[INST]"},
    {.name = "mistral-v7",
     .system = Turn{"[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"},
     .user = Turn{"[INST] ", "[/INST]"},
     .assistant = kSpaceEos,
     .other = kSpaceEos},
    {.name = "monarch",
     .system = kMonarch,
     .user = kMonarch,
     .assistant = kMonarch,
     .other = kMonarch,
     .generation = "<s>assistant\n",
     .separator = "<s>"},
    {.name = "openchat",
     .system = Turn{"", "<|end_of_turn|>"},
     .user = kOpenChat,
     .assistant = kOpenChat,
     .other = kOpenChat,
     .generation = "GPT4 Correct Assistant:"},
    {.name = "orion",
     .system = kBare,
     .user = Turn{"Human: ", "\n\nAssistant: </s>"},
     .assistant = kBareEos,
     .other = kBareEos,
     .system_joins_user = true},
    {.name = "phi3",
     .system = kPhi3,
     .user = kPhi3,
     .assistant = kPhi3,
     .other = kPhi3,
     .generation = "<|assistant|>\n"},
    {.name = "rwkv-world",
     .system = stripped("System: ", "\n\n"),
     .user = stripped("User: ", "\n\n"),
     .assistant = stripped("Assistant: ", "\n\n"),
     .other = kSkip,
     .generation = "Assistant:",
     .generation_after_user = true},
    {.name = "seed_oss",
     .system = kSeedOss,
     .user = kSeedOss,
     .assistant = stripped("<seed:bos>assistant\n", "<seed:eos>"),
     .other = kSeedOss,
     .generation = "<seed:bos>assistant\n"},
    {.name = "vicuna",
     .system = Turn{"", "\n\n"},
     .user = Turn{"USER: ", "\n"},
     .assistant = Turn{"ASSISTANT: ", "</s>\n"},
     .other = kSkip,
     .generation = "ASSISTANT:"},
    {.name = "vicuna-orca",
     .system = Turn{"SYSTEM: ", "\n"},
     .user = Turn{"USER: ", "\n"},
     .assistant = Turn{"ASSISTANT: ", "</s>\n"},
     .other = kSkip,
     .generation = "ASSISTANT:"},
    {.name = "zephyr",
     .system = kZephyr,
     .user = kZephyr,
     .assistant = kZephyr,
     .other = kZephyr,
     .generation = "<|assistant|>\n"},
    // Recognised by text only.
    {.name = "",
     .system = Turn{"<|system|>", "<|endofsystem|>"},
     .user = Turn{"<|userprompt|>", "<|endofuserprompt|>"},
     .assistant = Turn{"<|response|>", "<|endofresponse|>"},
     .other = Turn{"<|response|>", "<|endofresponse|>"},
     .generation = "<|response|>"},
};
constexpr size_t kNamedFormats = std::size(kFormats) - 1;

constexpr auto kNames = [] {
    std::array<std::string_view, kNamedFormats> names{};
    for (size_t i = 0; i < kNamedFormats; ++i) names[i] = kFormats[i].name;
    return names;
}();

// A text that contains all of these has the format. The first rule that fits decides.
struct Rule {
    std::array<std::string_view, 3> contains;
    std::string_view format;
};
constexpr Rule kRules[] = {
    {{"[gMASK]sop"}, "chatglm3"},
    {{"[gMASK]<sop>"}, "chatglm4"},
    {{"<|assistant|>", "<|end|>"}, "phi3"},
    {{"<|assistant|>", "<|user|>"}, "falcon3"},
    {{"<|user|>", "<|endoftext|>"}, "zephyr"},
    {{"bos_token + message['role']"}, "monarch"},
    {{"<start_of_turn>"}, "gemma"},
    {{"'\\n\\nAssistant: ' + eos_token"}, "orion"},
    {{"GPT4 Correct "}, "openchat"},
    {{"USER: ", "ASSISTANT: ", "SYSTEM: "}, "vicuna-orca"},
    {{"USER: ", "ASSISTANT: "}, "vicuna"},
    {{"### Instruction:", "<|EOT|>"}, "deepseek"},
    {{"<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>"}, "command-r"},
    {{"<|start_header_id|>", "<|end_header_id|>"}, "llama3"},
    {{"<用户>"}, "minicpm"},
    {{"'Assistant: ' + message['content'] + eos_token"}, "deepseek2"},
    {{"<｜Assistant｜>", "<｜User｜>", "<｜end▁of▁sentence｜>"}, "deepseek3"},
    {{"[|system|]", "[|assistant|]", "[|endofturn|]"}, "exaone3"},
    {{"rwkv-world"}, "rwkv-world"},
    {{"<|start_of_role|>"}, "granite"},
    {{"message['role'] + additional_special_tokens[0] + message['content'] + additional_special_tokens[1]"},
     "gigachat"},
    {{"<|role_start|>"}, "megrez"},
    {{"<role>ASSISTANT</role>", "'HUMAN'"}, "bailing"},
    {{"<role>ASSISTANT</role>", "\"HUMAN\"", "<think>"}, "bailing-think"},
    {{"<role>ASSISTANT</role>", "<role>HUMAN</role>", "<|role_end|>"}, "bailing2"},
    {{"<|header_start|>", "<|header_end|>"}, "llama4"},
    {{"<|endofuserprompt|>"}, ""},
    {{"<|startoftext|>", "<|extra_4|>"}, "hunyuan-moe"},
    {{"<|im_middle|>", "<|im_end|>"}, "kimi-k2"},
    {{"'Assistant: '  + message['content'] + '<|separator|>"}, "grok-2"},
    {{"<|start|>", "<|channel|>"}, "gpt-oss"},
    {{"<seed:bos>"}, "seed_oss"},
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

const BuiltinFormat* find_name(std::string_view name) {
    for (const BuiltinFormat& format : kFormats) {
        if (format.name == name) return &format;
    }
    return nullptr;
}

// The formats with [INST]: versions of Mistral's and Llama 2's.
std::string_view inst_format(std::string_view text) {
    if (contains(text, "[SYSTEM_PROMPT]")) return "mistral-v7";
    if (contains(text, "' [INST] ' + system_message")) return "mistral-v1";
    if (contains(text, "[AVAILABLE_TOOLS]")) {
        if (contains(text, " [INST]")) return "mistral-v1";
        return contains(text, "\"[INST]\"") ? "mistral-v3-tekken" : "mistral-v3";
    }
    if (contains(text, "content.strip()")) return "llama2-sys-strip";
    if (contains(text, "bos_token + '[INST]")) return "llama2-sys-bos";
    return contains(text, "<<SYS>>") ? "llama2-sys" : "llama2";
}

const Turn& turn_of(const BuiltinFormat& format, std::string_view role) {
    if (!format.extra_role.empty() && role == format.extra_role) return format.extra;
    if (role == "system") return format.system;
    if (role == "user") return format.user;
    return role == "assistant" ? format.assistant : format.other;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

void append_before(std::string& prompt, std::string_view before, std::string_view role) {
    const size_t open = before.find('{');
    if (open == std::string_view::npos) {
        prompt += before;
        return;
    }
    const size_t close = before.find('}', open);
    const std::string_view form = before.substr(open + 1, close - open - 1);
    prompt += before.substr(0, open);
    for (size_t i = 0; i < role.size(); ++i) {
        const bool is_upper = form == "ROLE" || (form == "Role" && i == 0);
        prompt += is_upper ? upper(role[i]) : role[i];
    }
    prompt += before.substr(close + 1);
}

std::string_view without_space(std::string_view text) {
    constexpr std::string_view kSpace = " \t\n\v\f\r";
    const size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

}  // namespace

std::span<const std::string_view> builtin_names() { return kNames; }

const BuiltinFormat* find_builtin(std::string_view name_or_text) {
    if (name_or_text.empty()) return nullptr;
    if (const BuiltinFormat* format = find_name(name_or_text)) return format;
    if (contains(name_or_text, "<|im_start|>")) return find_name("chatml");
    if (name_or_text.starts_with("mistral") || contains(name_or_text, "[INST]")) {
        return find_name(inst_format(name_or_text));
    }
    for (const Rule& rule : kRules) {
        const bool fits = std::all_of(rule.contains.begin(), rule.contains.end(),
                                      [&](std::string_view part) { return contains(name_or_text, part); });
        if (fits) return find_name(rule.format);
    }
    return nullptr;
}

std::string_view builtin_name(const BuiltinFormat& format) { return format.name; }

std::string apply_builtin(const BuiltinFormat& format, std::span<const BuiltinMessage> messages,
                          bool add_generation_prompt) {
    std::string prompt(format.prologue);
    bool in_round = format.prologue_opens_round;
    std::string_view joining_system;
    const bool has_system = !messages.empty() && messages.front().role == "system";
    if (!format.default_system.empty() && !has_system) {
        append_before(prompt, format.system.before, "system");
        prompt.append(format.default_system).append(format.system.after);
    }
    for (size_t i = 0; i < messages.size(); ++i) {
        const auto& [role, content] = messages[i];
        const Turn& turn = turn_of(format, role);
        const bool is_system = role == "system";
        if (turn.skip || (is_system && format.only_first_system && i > 0)) continue;
        const std::string_view text = turn.strip ? without_space(content) : content;
        if (is_system && format.system_joins_user) {
            joining_system = text;
            continue;
        }
        if (i > 0) prompt += format.separator;
        if (!in_round) prompt += format.round;
        in_round = is_system || role == "user";
        append_before(prompt, turn.before, role);
        if (!joining_system.empty() && role == "user") {
            prompt.append(joining_system).append("\n\n");
            joining_system = {};
        }
        prompt.append(text).append(turn.after);
    }
    const bool user_spoke_last = !messages.empty() && messages.back().role == "user";
    if (format.generation_after_user ? user_spoke_last : add_generation_prompt) prompt += format.generation;
    return prompt;
}

}  // namespace cria::chat
