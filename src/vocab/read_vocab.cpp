// See read_vocab.h.
#include "vocab/read_vocab.h"

#include <string_view>

namespace cria {
namespace {

struct IdKey {
    SpecialToken which;
    std::string_view key;
};
// A later key overrides an earlier one.
constexpr IdKey kIdKeys[] = {
    {SpecialToken::bos, "bos_token_id"},         {SpecialToken::eos, "eos_token_id"},
    {SpecialToken::unk, "unknown_token_id"},     {SpecialToken::sep, "seperator_token_id"},
    {SpecialToken::pad, "padding_token_id"},     {SpecialToken::cls, "cls_token_id"},
    {SpecialToken::mask, "mask_token_id"},       {SpecialToken::eot, "eot_token_id"},
    {SpecialToken::eom, "eom_token_id"},         {SpecialToken::fim_pre, "prefix_token_id"},
    {SpecialToken::fim_suf, "suffix_token_id"},  {SpecialToken::fim_mid, "middle_token_id"},
    {SpecialToken::fim_pre, "fim_pre_token_id"}, {SpecialToken::fim_suf, "fim_suf_token_id"},
    {SpecialToken::fim_mid, "fim_mid_token_id"}, {SpecialToken::fim_pad, "fim_pad_token_id"},
    {SpecialToken::fim_rep, "fim_rep_token_id"}, {SpecialToken::fim_sep, "fim_sep_token_id"},
};

std::string key_of(std::string_view name) { return "tokenizer.ggml." + std::string(name); }

template <typename T>
T value_or(const gguf::Metadata& metadata, const std::string& key, T otherwise) {
    return metadata.get_optional<T>(key).value_or(std::move(otherwise));
}

// Strings here and bytes there, depending on the converter.
std::string read_charsmap(const gguf::Metadata& metadata) {
    const std::string key = key_of("precompiled_charsmap");
    const gguf::Value* value = metadata.find(key);
    if (value == nullptr) return {};
    if (value->type() == gguf::ValueType::string) return metadata.get<std::string>(key);
    std::string bytes;
    if (value->element_type() == gguf::ValueType::i8) {
        const auto numbers = metadata.get<gguf::NumberArray<int8_t>>(key);
        for (size_t i = 0; i < numbers.size(); ++i) bytes += static_cast<char>(numbers[i]);
        return bytes;
    }
    const auto numbers = metadata.get<gguf::NumberArray<uint8_t>>(key);
    bytes.reserve(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) bytes += static_cast<char>(numbers[i]);
    return bytes;
}

}  // namespace

VocabData read_vocab(const gguf::Metadata& metadata) {
    VocabData data;
    data.model = value_or<std::string>(metadata, key_of("model"), "none");
    data.pre = metadata.get_optional<std::string>(key_of("pre"));
    data.architecture = value_or<std::string>(metadata, "general.architecture", "");
    data.name = value_or<std::string>(metadata, "general.name", "");
    data.tokens = value_or<std::vector<std::string>>(metadata, key_of("tokens"), {});
    data.scores = value_or<std::vector<float>>(metadata, key_of("scores"), {});
    data.types = value_or<std::vector<int32_t>>(metadata, key_of("token_type"), {});
    data.merges = value_or<std::vector<std::string>>(metadata, key_of("merges"), {});
    data.charsmap = read_charsmap(metadata);
    for (const IdKey& row : kIdKeys) {
        const auto id = metadata.get_optional<int64_t>(key_of(row.key));
        if (id) data.special_ids[static_cast<size_t>(row.which)] = id;
    }
    data.add_bos = metadata.get_optional<bool>(key_of("add_bos_token"));
    data.add_eos = metadata.get_optional<bool>(key_of("add_eos_token"));
    data.add_sep = metadata.get_optional<bool>(key_of("add_sep_token"));
    data.add_space_prefix = metadata.get_optional<bool>(key_of("add_space_prefix"));
    data.remove_extra_whitespaces = metadata.get_optional<bool>(key_of("remove_extra_whitespaces"));
    data.n_dummy_tokens = value_or<int32_t>(metadata, data.architecture + ".vocab_size", 0);
    return data;
}

}  // namespace cria
