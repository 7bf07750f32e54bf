// Small vocabularies of every kind, for unit tests and fuzz targets.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "vocab/byte_alphabet.h"
#include "vocab/pre_tokenizer.h"
#include "vocab/vocab_data.h"

namespace cria::vocab_testing {

inline void add(VocabData& data, const std::string& text, float score, TokenType type) {
    data.tokens.push_back(text);
    data.scores.push_back(score);
    data.types.push_back(static_cast<int32_t>(type));
}

inline void add_bytes(VocabData& data) {
    for (int byte = 0; byte < 256; ++byte) add(data, fmt::format("<0x{:02X}>", byte), 0, TokenType::byte);
}

// unk 0, bos 1, eos 2, bytes 3..258, then words.
inline VocabData spm_data() {
    VocabData data;
    data.model = "llama";
    add(data, "<unk>", 0, TokenType::unknown);
    add(data, "<s>", 0, TokenType::control);
    add(data, "</s>", 0, TokenType::control);
    add_bytes(data);
    float score = 0;
    for (const char* text :
         {"\xe2\x96\x81", "h", "e", "l", "o", "he", "ll", "hell", "hello", "\xe2\x96\x81hello"}) {
        add(data, text, score--, TokenType::normal);
    }
    add(data, "<tool>", 0, TokenType::user_defined);
    return data;
}
inline constexpr int32_t kFirstWord = 259;

// The 256 bytes in the order of their value, then merges; <|end|> last.
inline VocabData bpe_data() {
    VocabData data;
    data.model = "gpt2";
    data.pre = "gpt-2";
    for (int byte = 0; byte < 256; ++byte) {
        const char raw = static_cast<char>(byte);
        add(data, byte_alphabet::encode({&raw, 1}), 0, TokenType::normal);
    }
    for (const char* text : {"he", "ll", "hell", "hello", "\xc4\xa0hello"})
        add(data, text, 0, TokenType::normal);
    data.merges = {"h e", "l l", "he ll", "hell o", "\xc4\xa0 hello"};
    add(data, "<|im_end|>", 0, TokenType::control);
    data.special_ids[static_cast<size_t>(SpecialToken::bos)] = 261;
    data.special_ids[static_cast<size_t>(SpecialToken::eos)] = 261;
    return data;
}

inline VocabData wpm_data() {
    VocabData data;
    data.model = "bert";
    for (const char* text : {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) add(data, text, 0, TokenType::control);
    for (const char* text : {"\xe2\x96\x81un", "aff", "able",
                             "\xe2\x96\x81"
                             "affe",
                             "\xe2\x96\x81,"})
        add(data, text, 0, TokenType::normal);
    const std::pair<SpecialToken, int> ids[] = {
        {SpecialToken::pad, 0}, {SpecialToken::unk, 1}, {SpecialToken::bos, 2}, {SpecialToken::sep, 3}};
    for (const auto& [which, id] : ids) data.special_ids[static_cast<size_t>(which)] = id;
    return data;
}

inline VocabData ugm_data() {
    VocabData data;
    data.model = "t5";
    data.add_space_prefix = true;
    data.remove_extra_whitespaces = true;
    add(data, "<pad>", 0, TokenType::control);
    add(data, "</s>", 0, TokenType::control);
    add(data, "<unk>", 0, TokenType::unknown);
    const std::pair<const char*, float> tokens[] = {{"\xe2\x96\x81", -2},
                                                    {"a", -1},
                                                    {"b", -1},
                                                    {"ab", -1.5f},
                                                    {"\xe2\x96\x81"
                                                     "a",
                                                     -2.5f}};
    for (const auto& [text, score] : tokens) add(data, text, score, TokenType::normal);
    return data;
}

inline VocabData rwkv_data() {
    VocabData data;
    data.model = "rwkv";
    add(data, "<s>", 0, TokenType::control);
    for (const char* text : {"a", "ab", "abc", "\\n", "\\x00", "\\\\", "\\xff"})
        add(data, text, 0, TokenType::normal);
    return data;
}

inline VocabData plamo2_data() {
    VocabData data;
    data.model = "plamo2";
    add(data, "<unk>", 0, TokenType::unknown);
    add_bytes(data);
    const std::pair<const char*, float> tokens[] = {
        {"a", -1}, {"b", -1}, {"ab", -1.5f}, {"abc", -9}, {"c", -1}};
    for (const auto& [text, score] : tokens) add(data, text, score, TokenType::normal);
    return data;
}

// Characters as symbols, with bytes for the rest.
inline VocabData gemma4_data() {
    VocabData data = spm_data();
    data.model = "gemma4";
    data.merges = {"h e", "l l", "he ll", "hell o", "\xe2\x96\x81 hello"};
    return data;
}

// One of every kind, and byte-level BPE with every pre-tokenizer.
inline std::vector<VocabData> all_kinds() {
    std::vector<VocabData> all = {spm_data(),  wpm_data(),    ugm_data(),
                                  rwkv_data(), plamo2_data(), gemma4_data()};
    const std::string_view names = pre_tokenizer_names();
    for (size_t begin = 0; begin < names.size();) {
        const size_t end = std::min(names.find(' ', begin), names.size());
        all.push_back(bpe_data());
        all.back().pre = std::string(names.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

}  // namespace cria::vocab_testing
