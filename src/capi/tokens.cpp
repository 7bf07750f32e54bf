// Vocabularies, and text to tokens and back.
#include <algorithm>

#include "capi/handles.h"

using namespace cria::capi;

namespace {

// Unlike most wrong calls, asking about a token that does not exist is harmless: programs do it to see where
// a vocabulary ends.
const char* text_of(const cria::Vocab& vocab, llama_token token) {
    return vocab.contains(token) ? vocab.text(token).data() : nullptr;
}

bool ends_generation(const cria::Vocab& vocab, llama_token token) {
    return vocab.contains(token) && vocab.is_end_of_generation(token);
}

llama_token special(const char* function, const llama_model* model, cria::SpecialToken which) {
    return guard<llama_token>(function, LLAMA_TOKEN_NULL, [&] { return vocab_of(model).special(which); });
}

// Copies a result when all of it fits, and returns its size, or minus it when it does not.
template <typename T>
int32_t put_all(std::span<const T> result, T* out, int32_t capacity, const char* out_name) {
    if (result.size() > INT32_MAX)
        cria::fail(cria::ErrorCode::unsupported, "the result has {} elements, more than fit the return value",
                   result.size());
    const auto n = static_cast<int32_t>(result.size());
    if (n > std::max(0, capacity)) return -n;
    if (n > 0) std::copy(result.begin(), result.end(), &required(out, out_name));
    return n;
}

struct TokenizeCall {
    const char* text;
    int32_t text_len;
    llama_token* tokens;
    int32_t n_tokens_max;
    cria::TokenizeOptions options;
};

int32_t tokenize(const cria::Vocab& vocab, const TokenizeCall& call) {
    if (call.text_len < 0) cria::fail(cria::ErrorCode::invalid_argument, "text_len is {}", call.text_len);
    const std::string_view text =
        call.text_len > 0 ? std::string_view(&required(call.text, "text"), static_cast<size_t>(call.text_len))
                          : std::string_view();
    const std::vector<int32_t> ids = vocab.tokenize(text, call.options);
    return put_all<llama_token>(ids, call.tokens, call.n_tokens_max, "tokens");
}

int32_t put_piece(const cria::Vocab& vocab, llama_token token, std::span<char> out,
                  const cria::PieceOptions& options) {
    if (!vocab.contains(token)) return 0;
    return put_all<char>(vocab.token_to_piece(token, options), out.data(), static_cast<int32_t>(out.size()),
                         "buf");
}

const llama_vocab* handle_of(const llama_model* model) { return model != nullptr ? &model->vocab : nullptr; }

std::span<char> buffer(char* buf, int32_t length) { return {buf, static_cast<size_t>(std::max(0, length))}; }

}  // namespace

enum llama_vocab_type llama_vocab_type(const llama_vocab* vocab) {
    using Type = enum llama_vocab_type;
    return guard<Type>("llama_vocab_type", LLAMA_VOCAB_TYPE_NONE,
                       [&] { return static_cast<Type>(vocab_of(vocab).type()); });
}

int32_t llama_vocab_n_tokens(const llama_vocab* vocab) {
    return guard<int32_t>("llama_vocab_n_tokens", 0, [&] { return vocab_of(vocab).size(); });
}

const char* llama_vocab_get_text(const llama_vocab* vocab, llama_token token) {
    return guard<const char*>("llama_vocab_get_text", nullptr,
                              [&] { return text_of(vocab_of(vocab), token); });
}

bool llama_vocab_get_add_bos(const llama_vocab* vocab) {
    return guard<bool>("llama_vocab_get_add_bos", false, [&] { return vocab_of(vocab).adds_bos(); });
}

bool llama_vocab_get_add_eos(const llama_vocab* vocab) {
    return guard<bool>("llama_vocab_get_add_eos", false, [&] { return vocab_of(vocab).adds_eos(); });
}

llama_token llama_vocab_bos(const llama_vocab* vocab) {
    return guard<llama_token>("llama_vocab_bos", LLAMA_TOKEN_NULL, [&] { return vocab_of(vocab).bos(); });
}

llama_token llama_vocab_eos(const llama_vocab* vocab) {
    return guard<llama_token>("llama_vocab_eos", LLAMA_TOKEN_NULL, [&] { return vocab_of(vocab).eos(); });
}

bool llama_vocab_is_eog(const llama_vocab* vocab, llama_token token) {
    return guard<bool>("llama_vocab_is_eog", false, [&] { return ends_generation(vocab_of(vocab), token); });
}

const char* llama_token_get_text(const llama_model* model, llama_token token) {
    return guard<const char*>("llama_token_get_text", nullptr,
                              [&] { return text_of(vocab_of(model), token); });
}

float llama_token_get_score(const llama_model* model, llama_token token) {
    return guard<float>("llama_token_get_score", 0.0f, [&] {
        const cria::Vocab& vocab = vocab_of(model);
        return vocab.contains(token) ? vocab.score(token) : 0.0f;
    });
}

llama_token_attr llama_token_get_attr(const llama_model* model, llama_token token) {
    return guard<llama_token_attr>("llama_token_get_attr", LLAMA_TOKEN_ATTR_UNDEFINED, [&] {
        const cria::Vocab& vocab = vocab_of(model);
        return static_cast<llama_token_attr>(vocab.contains(token) ? vocab.attributes(token) : 0u);
    });
}

bool llama_token_is_eog(const llama_model* model, llama_token token) {
    return guard<bool>("llama_token_is_eog", false, [&] { return ends_generation(vocab_of(model), token); });
}

bool llama_token_is_control(const llama_model* model, llama_token token) {
    return guard<bool>("llama_token_is_control", false, [&] {
        const cria::Vocab& vocab = vocab_of(model);
        return vocab.contains(token) && vocab.is_control(token);
    });
}

llama_token llama_token_bos(const llama_model* model) {
    return special("llama_token_bos", model, cria::SpecialToken::bos);
}
llama_token llama_token_eos(const llama_model* model) {
    return special("llama_token_eos", model, cria::SpecialToken::eos);
}
llama_token llama_token_cls(const llama_model* model) {
    return special("llama_token_cls", model, cria::SpecialToken::cls);
}
llama_token llama_token_sep(const llama_model* model) {
    return special("llama_token_sep", model, cria::SpecialToken::sep);
}
llama_token llama_token_nl(const llama_model* model) {
    return special("llama_token_nl", model, cria::SpecialToken::newline);
}
llama_token llama_token_pad(const llama_model* model) {
    return special("llama_token_pad", model, cria::SpecialToken::pad);
}
llama_token llama_token_prefix(const llama_model* model) {
    return special("llama_token_prefix", model, cria::SpecialToken::fim_pre);
}
llama_token llama_token_middle(const llama_model* model) {
    return special("llama_token_middle", model, cria::SpecialToken::fim_mid);
}
llama_token llama_token_suffix(const llama_model* model) {
    return special("llama_token_suffix", model, cria::SpecialToken::fim_suf);
}
llama_token llama_token_eot(const llama_model* model) {
    return special("llama_token_eot", model, cria::SpecialToken::eot);
}

int32_t llama_add_bos_token(const llama_model* model) {
    return guard<int32_t>("llama_add_bos_token", 0, [&] { return vocab_of(model).adds_bos() ? 1 : 0; });
}

int32_t llama_add_eos_token(const llama_model* model) {
    return guard<int32_t>("llama_add_eos_token", 0, [&] { return vocab_of(model).adds_eos() ? 1 : 0; });
}

int32_t llama_tokenize(const llama_model* model, const char* text, int32_t text_len, llama_token* tokens,
                       int32_t n_tokens_max, bool add_special, bool parse_special) {
    return llama_vocab_tokenize(handle_of(model), text, text_len, tokens, n_tokens_max, add_special,
                                parse_special);
}

int32_t llama_vocab_tokenize(const llama_vocab* vocab, const char* text, int32_t text_len,
                             llama_token* tokens, int32_t n_tokens_max, bool add_special,
                             bool parse_special) {
    return guard<int32_t>("llama_vocab_tokenize", INT32_MIN, [&] {
        return tokenize(vocab_of(vocab), {text,
                                          text_len,
                                          tokens,
                                          n_tokens_max,
                                          {.add_special = add_special, .parse_special = parse_special}});
    });
}

int32_t llama_token_to_piece(const llama_model* model, llama_token token, char* buf, int32_t length,
                             int32_t lstrip, bool special) {
    return llama_token_to_piece_vocab(handle_of(model), token, buf, length, lstrip, special);
}

int32_t llama_token_to_piece_vocab(const llama_vocab* vocab, llama_token token, char* buf, int32_t length,
                                   int32_t lstrip, bool special) {
    return guard<int32_t>("llama_token_to_piece_vocab", 0, [&] {
        return put_piece(vocab_of(vocab), token, buffer(buf, length), {.lstrip = lstrip, .special = special});
    });
}

int32_t llama_detokenize(const llama_vocab* vocab, const llama_token* tokens, int32_t n_tokens, char* text,
                         int32_t text_len_max, bool remove_special, bool unparse_special) {
    return guard<int32_t>("llama_detokenize", 0, [&] {
        if (n_tokens < 0) cria::fail(cria::ErrorCode::invalid_argument, "n_tokens is {}", n_tokens);
        if (n_tokens > 0) required(tokens, "tokens");
        const std::string result = vocab_of(vocab).detokenize(
            {tokens, static_cast<size_t>(n_tokens)},
            {.remove_special = remove_special, .unparse_special = unparse_special});
        return put_all<char>(result, text, text_len_max, "text");
    });
}

size_t llama_fill_from_utf8(void* utf8, void* cpts, void* scripts) {
    return not_available("llama_fill_from_utf8", size_t{0});
}
