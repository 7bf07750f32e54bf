// What a vocabulary is made from: the tokenizer keys of a GGUF file as plain values, still unchecked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cria {

// Tokens with a job. The names follow the metadata keys: tokenizer.ggml.<name>_token_id.
enum class SpecialToken {
    bos,
    eos,
    unk,
    sep,
    pad,
    cls,
    mask,
    eot,
    eom,
    fim_pre,
    fim_suf,
    fim_mid,
    fim_pad,
    fim_rep,
    fim_sep,
    newline,  // has no key; found by tokenizing "\n"
};
inline constexpr size_t kSpecialTokenCount = 16;

// Ids by SpecialToken; kNoToken where the vocabulary has none.
inline constexpr int32_t kNoToken = -1;
using SpecialIds = std::array<int32_t, kSpecialTokenCount>;

// tokenizer.ggml.token_type
enum class TokenType : int32_t {
    undefined = 0,
    normal = 1,
    unknown = 2,
    control = 3,
    user_defined = 4,
    unused = 5,
    byte = 6,
};

// Every field as in the file; what is missing there is empty here and gets the default of its kind.
struct VocabData {
    std::string model;               // "llama", "gpt2", "gemma4", "bert", "t5", "rwkv", "plamo2", "none"
    std::optional<std::string> pre;  // pre-tokenizer of "gpt2"
    std::string architecture;        // general.architecture and general.name: a few attributes depend on them
    std::string name;
    std::vector<std::string> tokens;  // by id; bytes in the spelling of the kind
    std::vector<float> scores;
    std::vector<int32_t> types;                                          // TokenType
    std::vector<std::string> merges;                                     // "left right", best first
    std::string charsmap;                                                // precompiled normalisation of "t5"
    std::array<std::optional<int64_t>, kSpecialTokenCount> special_ids;  // by SpecialToken
    std::optional<bool> add_bos;
    std::optional<bool> add_eos;
    std::optional<bool> add_sep;
    std::optional<bool> add_space_prefix;
    std::optional<bool> remove_extra_whitespaces;
    // Entries of a vocabulary of kind "none", which has no token list.
    int32_t n_dummy_tokens = 0;
};

}  // namespace cria
