// See pre_tokenizer.h. One row a pre-tokenizer; to add one, add a row, and a pass in split_*.cpp if no
// existing ones fit.
#include "vocab/pre_tokenizer.h"

#include <algorithm>
#include <string>

namespace cria {
namespace {

using split::Pass;

constexpr Pass kDefault[] = {split::punctuation_default, split::gpt2, split::number_runs,
                             split::three_ascii_digits};
constexpr Pass kFalcon[] = {split::punctuation_falcon, split::gpt2, split::three_ascii_digits};
constexpr Pass kGpt2[] = {split::gpt2};
constexpr Pass kStarcoder[] = {split::each_number, split::gpt2};
constexpr Pass kLlama3[] = {split::llama3};
constexpr Pass kJais2[] = {split::jais2};
constexpr Pass kQwen2[] = {split::qwen2};
constexpr Pass kQwen35[] = {split::qwen35};
constexpr Pass kBailing[] = {split::bailing};
constexpr Pass kSeedCoder[] = {split::seed_coder};
constexpr Pass kTekken[] = {split::tekken};
constexpr Pass kGpt4o[] = {split::gpt4o};
constexpr Pass kKimiK2[] = {split::kimi_k2};
constexpr Pass kExaoneMoe[] = {split::exaone_moe};
constexpr Pass kBloom[] = {split::words_of_bloom};
constexpr Pass kViking[] = {split::words_of_bloom, split::each_number};
constexpr Pass kSuperbpe[] = {split::number_runs, split::thousands_of_digits};
constexpr Pass kTinyAya[] = {split::thousands_at_word_end, split::gpt4o};
constexpr Pass kYoutu[] = {split::asian_runs_youtu, split::youtu_words};
constexpr Pass kAfmoe[] = {split::thousands, split::asian_runs_afmoe, split::deepseek3_words};
constexpr Pass kDeepseek3[] = {split::numbers_up_to_three, split::cjk_runs_deepseek3, split::deepseek3_words};
constexpr Pass kDeepseekCoder[] = {split::each_newline, split::spaced_letters, split::spaced_punctuation,
                                   split::cjk_runs_deepseek, split::each_number};
constexpr Pass kDeepseekLlm[] = {
    split::each_newline, split::spaced_cased_letters, split::spaced_listed_punctuation,
    split::final_spaces, split::cjk_runs_deepseek,    split::number_runs};
constexpr Pass kChameleon[] = {split::chameleon_sentinels, split::chameleon_images, split::chameleon_indents,
                               split::each_number,         split::each_punctuation, split::gpt2};

constexpr PreTokenizer kPreTokenizers[] = {
    {.names = "default", .passes = kDefault},
    {.names = "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert exaone4 "
              "olmo jais",
     .passes = kGpt2},
    {.names = "jina-v1-en jina-v2-code roberta-bpe", .passes = kGpt2, .add_sep = true},
    {.names = "mpt", .passes = kGpt2, .normalize_nfc = true},
    {.names = "trillion granite-docling", .passes = kGpt2, .clean_spaces = false},
    {.names = "llama3 llama-v3 llama-bpe laguna falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
     .passes = kLlama3,
     .ignore_merges = true,
     .add_bos = true},
    {.names = "dbrx smaug-bpe glm4 chatglm-bpe", .passes = kLlama3},
    {.names = "jais-2", .passes = kJais2},
    {.names = "qwen2", .passes = kQwen2, .clean_spaces = false, .normalize_nfc = true},
    {.names = "deepseek-r1-qwen kormo openpangu f2llmv2 hunyuan grok-2 solar-open",
     .passes = kQwen2,
     .clean_spaces = false},
    {.names = "megrez stablelm2", .passes = kQwen2},
    {.names = "qwen35", .passes = kQwen35, .clean_spaces = false},
    {.names = "deepseek-llm", .passes = kDeepseekLlm, .clean_spaces = false},
    {.names = "deepseek-coder", .passes = kDeepseekCoder, .clean_spaces = false},
    {.names = "deepseek-v3 hunyuan-dense joyai-llm", .passes = kDeepseek3, .clean_spaces = false},
    {.names = "falcon", .passes = kFalcon},
    {.names = "starcoder refact codeshell exaone minerva-7b mellum2", .passes = kStarcoder},
    {.names = "smollm cohere2_moe", .passes = kStarcoder, .clean_spaces = false},
    {.names = "command-r", .passes = kStarcoder, .clean_spaces = false, .normalize_nfc = true},
    {.names = "bloom gpt3-finnish", .passes = kBloom},
    {.names = "poro-chat", .passes = kBloom, .clean_spaces = false},
    {.names = "viking", .passes = kViking, .clean_spaces = false},
    {.names = "tekken", .passes = kTekken, .ignore_merges = true, .add_bos = true, .clean_spaces = false},
    {.names = "chameleon", .passes = kChameleon, .add_bos = true, .clean_spaces = false},
    {.names = "gpt-4o llama4 kanana2 minimax-m2", .passes = kGpt4o, .clean_spaces = false},
    {.names = "superbpe", .passes = kSuperbpe, .clean_spaces = false},
    {.names = "bailingmoe bailingmoe2 llada-moe", .passes = kBailing, .clean_spaces = false},
    {.names = "seed-coder", .passes = kSeedCoder, .clean_spaces = false},
    {.names = "kimi-k2", .passes = kKimiK2, .clean_spaces = false, .merges_optional = true},
    {.names = "afmoe", .passes = kAfmoe, .clean_spaces = false},
    {.names = "youtu", .passes = kYoutu, .ignore_merges = true, .clean_spaces = false},
    {.names = "exaone-moe", .passes = kExaoneMoe},
    {.names = "tiny_aya", .passes = kTinyAya, .clean_spaces = false},
};

bool has_name(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const size_t end = std::min(names.find(' '), names.size());
        if (names.substr(0, end) == name) return true;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

}  // namespace

const PreTokenizer* find_pre_tokenizer(std::string_view name) {
    const auto* found = std::find_if(std::begin(kPreTokenizers), std::end(kPreTokenizers),
                                     [=](const PreTokenizer& row) { return has_name(row.names, name); });
    return found == std::end(kPreTokenizers) ? nullptr : found;
}

std::string_view pre_tokenizer_names() {
    static const std::string all = [] {
        std::string names;
        for (const PreTokenizer& row : kPreTokenizers) {
            if (!names.empty()) names += ' ';
            names += row.names;
        }
        return names;
    }();
    return all;
}

}  // namespace cria
