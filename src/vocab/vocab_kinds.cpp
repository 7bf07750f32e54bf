// See vocab_kinds.h.
#include "vocab/vocab_kinds.h"

#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "vocab/pre_tokenizer.h"

namespace cria {
namespace {

SpecialIds ids(std::initializer_list<std::pair<SpecialToken, int32_t>> known) {
    SpecialIds all;
    all.fill(kNoToken);
    for (const auto& [which, id] : known) all[static_cast<size_t>(which)] = id;
    return all;
}

void settle_byte_level_bpe(const VocabData& data, VocabTraits& traits) {
    if (!data.pre) {
        log_warning(
            "vocabulary: the file names no pre-tokenizer (tokenizer.ggml.pre), so text is cut in the default "
            "way; the "
            "model will answer worse if that is not its own. Convert it again, or set the key");
    }
    traits.pre = find_pre_tokenizer(data.pre.value_or("default"));
    if (traits.pre == nullptr) {
        fail(ErrorCode::unsupported, "the vocabulary's pre-tokenizer '{}' is not known; known are: {}",
             *data.pre, pre_tokenizer_names());
    }
    const bool has_no_bos = data.pre == "glm4" || data.pre == "chatglm-bpe";
    traits.default_ids = ids({{SpecialToken::bos, has_no_bos ? kNoToken : 11}, {SpecialToken::eos, 11}});
    traits.add_bos = traits.pre->add_bos;
    traits.add_sep = traits.pre->add_sep;
    traits.clean_spaces = traits.pre->clean_spaces;
}

VocabTraits traits_of_kind(const VocabData& data) {
    using enum SpecialToken;
    const std::string& model = data.model;
    if (model == "none" || model == "no_vocab") return {.type = VocabType::none, .default_ids = ids({})};
    if (model == "llama") {
        return {.type = VocabType::spm,
                .default_ids = ids({{bos, 1}, {eos, 2}, {unk, 0}}),
                .add_bos = true,
                .add_space_prefix = true};
    }
    if (model == "gpt2") {
        VocabTraits traits{.type = VocabType::bpe};
        settle_byte_level_bpe(data, traits);
        return traits;
    }
    if (model == "gemma4") {
        return {.type = VocabType::bpe,
                .default_ids = ids({}),
                .add_bos = true,
                .clean_spaces = true,
                .character_bpe = true};
    }
    if (model == "bert") {
        return {.type = VocabType::wpm,
                .default_ids = ids({{bos, 101}, {cls, 101}, {unk, 100}, {sep, 102}, {pad, 0}, {mask, 103}}),
                .add_bos = true,
                .add_sep = true,
                .clean_spaces = true};
    }
    if (model == "t5") {
        return {.type = VocabType::ugm, .default_ids = ids({{eos, 1}, {unk, 2}, {pad, 0}}), .add_eos = true};
    }
    if (model == "rwkv") return {.type = VocabType::rwkv, .default_ids = ids({})};
    if (model == "plamo2") {
        return {.type = VocabType::plamo2, .default_ids = ids({{bos, 1}, {eos, 2}, {unk, 0}, {pad, 3}})};
    }
    fail(ErrorCode::unsupported,
         "the vocabulary is of kind '{}' (tokenizer.ggml.model), which is not known; known are: llama, gpt2, "
         "gemma4, "
         "bert, t5, rwkv, plamo2, none",
         model);
}

}  // namespace

VocabTraits settle_traits(const VocabData& data) {
    VocabTraits traits = traits_of_kind(data);
    traits.add_bos = data.add_bos.value_or(traits.add_bos);
    traits.add_eos = data.add_eos.value_or(traits.add_eos);
    traits.add_sep = data.add_sep.value_or(traits.add_sep);
    traits.add_space_prefix = data.add_space_prefix.value_or(traits.add_space_prefix);
    traits.remove_extra_whitespaces = data.remove_extra_whitespaces.value_or(traits.remove_extra_whitespaces);
    if (traits.type == VocabType::wpm) traits.add_bos = traits.add_sep = true;  // BERT knows nothing else
    if (traits.character_bpe)
        traits.add_bos = true;  // files of the first converters say otherwise and are wrong
    return traits;
}

std::unique_ptr<Tokenizer> make_tokenizer(const VocabData& data, const VocabTraits& traits,
                                          const TokenTable& table, int32_t unknown) {
    const TokenizerOptions options{.unknown = unknown,
                                   .add_space_prefix = traits.add_space_prefix,
                                   .remove_extra_whitespaces = traits.remove_extra_whitespaces};
    switch (traits.type) {
        case VocabType::none:
            return nullptr;
        case VocabType::spm:
            return make_spm_tokenizer(table, options);
        case VocabType::bpe:
            return traits.character_bpe ? make_character_bpe_tokenizer(table, data.merges, options)
                                        : make_bpe_tokenizer(table, data.merges, *traits.pre, options);
        case VocabType::wpm:
            return make_wpm_tokenizer(table, options);
        case VocabType::ugm:
            return make_ugm_tokenizer(table, data.charsmap, options);
        case VocabType::rwkv:
            return make_rwkv_tokenizer(table, options);
        case VocabType::plamo2:
            return make_plamo2_tokenizer(table, options);
    }
    CRIA_BUG_UNLESS(false);
    return nullptr;
}

}  // namespace cria
