// See special_tokens.h. The texts are those that published models use.
#include "vocab/special_tokens.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/log.h"

namespace cria {
namespace {

using Texts = std::span<const std::string_view>;

constexpr std::string_view kEndOfTurn[] = {"<|eot_id|>",
                                           "<|im_end|>",
                                           "<|end|>",
                                           "<end_of_turn>",
                                           "<|endoftext|>",
                                           "<|end_of_text|>",
                                           "<EOT>",
                                           "_<EOT>",
                                           "[EOT]",
                                           "<\xef\xbd\x9c"
                                           "end\xe2\x96\x81of\xe2\x96\x81sentence\xef\xbd\x9c>",
                                           "<end_of_utterance>"};
constexpr std::string_view kEndOfMessage[] = {"<|eom_id|>"};
constexpr std::string_view kFimPrefix[] = {"<|fim_prefix|>",
                                           "<fim-prefix>",
                                           "<fim_prefix>",
                                           "<\xef\xbd\x9c"
                                           "fim\xe2\x96\x81"
                                           "begin\xef\xbd\x9c>",
                                           "<PRE>",
                                           "\xe2\x96\x81<PRE>",
                                           "<|code_prefix|>",
                                           "<|prefix|>"};
constexpr std::string_view kFimSuffix[] = {"<|fim_suffix|>",
                                           "<fim-suffix>",
                                           "<fim_suffix>",
                                           "<\xef\xbd\x9c"
                                           "fim\xe2\x96\x81hole\xef\xbd\x9c>",
                                           "<SUF>",
                                           "\xe2\x96\x81<SUF>",
                                           "<|code_suffix|>",
                                           "<|suffix|>"};
constexpr std::string_view kFimMiddle[] = {"<|fim_middle|>",
                                           "<fim-middle>",
                                           "<fim_middle>",
                                           "<\xef\xbd\x9c"
                                           "fim\xe2\x96\x81"
                                           "end\xef\xbd\x9c>",
                                           "<MID>",
                                           "\xe2\x96\x81<MID>",
                                           "<|code_middle|>",
                                           "<|middle|>"};
constexpr std::string_view kFimPad[] = {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"};
constexpr std::string_view kFimRepository[] = {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>",
                                               "<reponame>"};
constexpr std::string_view kFimSeparator[] = {"<|file_sep|>"};

struct TextsOfToken {
    SpecialToken which;
    Texts texts;  // the first that the vocabulary has counts
};
constexpr TextsOfToken kByText[] = {
    {SpecialToken::eot, kEndOfTurn},         {SpecialToken::eom, kEndOfMessage},
    {SpecialToken::fim_pre, kFimPrefix},     {SpecialToken::fim_suf, kFimSuffix},
    {SpecialToken::fim_mid, kFimMiddle},     {SpecialToken::fim_pad, kFimPad},
    {SpecialToken::fim_rep, kFimRepository}, {SpecialToken::fim_sep, kFimSeparator},
};
// Besides kEndOfTurn and kEndOfMessage.
constexpr std::string_view kEndOfGeneration[] = {"<|return|>", "<|call|>", "<|flush|>",
                                                 "<|calls|>",  "</s>",     "[EOS]",
                                                 "<eos>",      "<turn|>",  "<|tool_response>"};
// Frames of gpt-oss messages, which programs need to see.
constexpr std::string_view kAlwaysShown[] = {"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"};

constexpr const char* kNames[kSpecialTokenCount] = {
    "bos", "eos",     "unknown", "seperator", "padding", "cls",     "mask",    "eot",
    "eom", "fim_pre", "fim_suf", "fim_mid",   "fim_pad", "fim_rep", "fim_sep", "newline"};

void take_ids_of_file(const VocabData& data, const TokenTable& table, SpecialTokens& special) {
    for (size_t i = 0; i < kSpecialTokenCount; ++i) {
        if (special.ids[i] != kNoToken && !table.contains(special.ids[i])) special.ids[i] = kNoToken;
        const auto& id = data.special_ids[i];
        if (!id) continue;
        if (*id < 0 || *id >= table.size()) {
            // -1 and its unsigned form are how converters write "none".
            if (*id == -1 || *id == 0xffffffff) {
                special.ids[i] = kNoToken;
            } else {
                log_warning(
                    "vocabulary: tokenizer.ggml.{}_token_id is {}, but there are {} tokens; keeping {}",
                    kNames[i], *id, table.size(), special.ids[i]);
            }
            continue;
        }
        special.ids[i] = static_cast<int32_t>(*id);
    }
    // BERT's first token has two names.
    const bool has_bos = data.special_ids[static_cast<size_t>(SpecialToken::bos)].has_value();
    if (data.model == "bert" && !has_bos) special[SpecialToken::bos] = special[SpecialToken::cls];
}

void make_control(TokenTable& table, int32_t id) {
    if (table.has(id, kAttrControl)) return;
    log_debug("vocabulary: token {} '{}' is a control token by its text", id, table.text(id));
    table.add_attributes(id, kAttrControl);
}

void find_by_text(TokenTable& table, SpecialTokens& special) {
    for (const TextsOfToken& row : kByText) {
        if (special[row.which] != kNoToken) continue;
        for (const std::string_view text : row.texts) {
            const int32_t id = table.find(text);
            if (id == kNoToken) continue;
            special[row.which] = id;
            make_control(table, id);
            break;
        }
    }
}

// gpt-oss ends messages, not answers, with <|end|>; Gemma 4 has </s> as an ordinary tag.
void correct_end_of_generation(TokenTable& table, std::vector<int32_t>& ends) {
    const auto has = [&](std::string_view text) { return table.find(text) != kNoToken; };
    const auto remove = [&](std::string_view text, uint32_t attributes) {
        const int32_t id = table.find(text);
        if (id == kNoToken || std::erase(ends, id) == 0) return;
        table.set_attributes(id, attributes);
    };
    const bool calls = has("<|call|>") || has("<|calls|>");
    if (calls && (has("<|return|>") || has("<|flush|>"))) remove("<|end|>", kAttrUserDefined);
    if (has("<|tool_response>")) remove("</s>", kAttrNormal);
}

void collect_end_of_generation(TokenTable& table, SpecialTokens& special) {
    std::vector<int32_t>& ends = special.end_of_generation;
    const auto add = [&](int32_t id) {
        if (id != kNoToken && std::find(ends.begin(), ends.end(), id) == ends.end()) ends.push_back(id);
    };
    for (const auto which : {SpecialToken::fim_pad, SpecialToken::fim_rep, SpecialToken::fim_sep})
        add(special[which]);
    for (const Texts texts : {Texts(kEndOfTurn), Texts(kEndOfMessage), Texts(kEndOfGeneration)}) {
        for (const std::string_view text : texts) {
            const int32_t id = table.find(text);
            if (id == kNoToken) continue;
            make_control(table, id);
            add(id);
        }
    }
    correct_end_of_generation(table, ends);
    for (const auto which : {SpecialToken::eos, SpecialToken::eot, SpecialToken::eom}) add(special[which]);
    std::sort(ends.begin(), ends.end());
}

std::string ascii_lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return text;
}

void correct_attributes(const VocabData& data, TokenTable& table) {
    const auto add_to = [&](std::string_view text, uint32_t bits) {
        const int32_t id = table.find(text);
        if (id != kNoToken) table.add_attributes(id, bits);
    };
    for (const std::string_view text : kAlwaysShown) {
        const int32_t id = table.find(text);
        if (id != kNoToken) table.set_attributes(id, kAttrUserDefined);
    }
    const std::string name = ascii_lower(data.name);
    const auto name_has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    const bool is_phi3 = name_has("phi-3") || name_has("phi3");
    for (int32_t id = 0; id < table.size(); ++id) {
        if (table.has(id, kAttrControl) && table.text(id).find("unused") != std::string_view::npos) {
            table.add_attributes(id, kAttrUnused);
        }
        if (is_phi3 && table.has(id, kAttrControl | kAttrUserDefined | kAttrUnknown)) {
            const std::string_view text = table.text(id);
            if (text != "<unk>" && text != "<s>" && text != "<|endoftext|>")
                table.add_attributes(id, kAttrRightStrip);
        }
    }
    if (is_phi3) add_to("</s>", kAttrRightStrip);
    const std::string pre = data.pre.value_or("");
    const bool is_jina = pre == "jina-v2-de" || pre == "jina-v2-es" || pre == "jina-v2-code";
    const auto architecture_has = [&](std::string_view part) {
        return data.architecture.find(part) != std::string::npos;
    };
    if (is_jina || architecture_has("nomic-bert-moe") || architecture_has("jina-bert-v3")) {
        add_to("<mask>", kAttrLeftStrip);
    }
    if (name_has("modern-bert")) add_to("[MASK]", kAttrLeftStrip);
}

}  // namespace

SpecialTokens find_special_tokens(const VocabData& data, const SpecialIds& defaults, TokenTable& table) {
    SpecialTokens special{defaults};
    take_ids_of_file(data, table, special);
    find_by_text(table, special);
    collect_end_of_generation(table, special);
    correct_attributes(data, table);
    return special;
}

}  // namespace cria
