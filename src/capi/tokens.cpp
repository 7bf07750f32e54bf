// Vocabularies, and text to tokens and back.
#include "capi/handles.h"

using namespace cria::capi;

enum llama_vocab_type llama_vocab_type(const llama_vocab* vocab) {
    return not_available("llama_vocab_type", LLAMA_VOCAB_TYPE_NONE);
}

int32_t llama_vocab_n_tokens(const llama_vocab* vocab) { return not_available("llama_vocab_n_tokens", 0); }

const char* llama_vocab_get_text(const llama_vocab* vocab, llama_token token) {
    return not_available("llama_vocab_get_text", static_cast<const char*>(nullptr));
}

bool llama_vocab_get_add_bos(const llama_vocab* vocab) {
    return not_available("llama_vocab_get_add_bos", false);
}

bool llama_vocab_get_add_eos(const llama_vocab* vocab) {
    return not_available("llama_vocab_get_add_eos", false);
}

llama_token llama_vocab_bos(const llama_vocab* vocab) {
    return not_available("llama_vocab_bos", LLAMA_TOKEN_NULL);
}

llama_token llama_vocab_eos(const llama_vocab* vocab) {
    return not_available("llama_vocab_eos", LLAMA_TOKEN_NULL);
}

bool llama_vocab_is_eog(const llama_vocab* vocab, llama_token token) {
    return not_available("llama_vocab_is_eog", false);
}

const char* llama_token_get_text(const llama_model* model, llama_token token) {
    return not_available("llama_token_get_text", static_cast<const char*>(nullptr));
}

float llama_token_get_score(const llama_model* model, llama_token token) {
    return not_available("llama_token_get_score", 0.0f);
}

llama_token_attr llama_token_get_attr(const llama_model* model, llama_token token) {
    return not_available("llama_token_get_attr", LLAMA_TOKEN_ATTR_UNDEFINED);
}

bool llama_token_is_eog(const llama_model* model, llama_token token) {
    return not_available("llama_token_is_eog", false);
}

bool llama_token_is_control(const llama_model* model, llama_token token) {
    return not_available("llama_token_is_control", false);
}

llama_token llama_token_bos(const llama_model* model) {
    return not_available("llama_token_bos", LLAMA_TOKEN_NULL);
}

llama_token llama_token_eos(const llama_model* model) {
    return not_available("llama_token_eos", LLAMA_TOKEN_NULL);
}

llama_token llama_token_cls(const llama_model* model) {
    return not_available("llama_token_cls", LLAMA_TOKEN_NULL);
}

llama_token llama_token_sep(const llama_model* model) {
    return not_available("llama_token_sep", LLAMA_TOKEN_NULL);
}

llama_token llama_token_nl(const llama_model* model) {
    return not_available("llama_token_nl", LLAMA_TOKEN_NULL);
}

llama_token llama_token_pad(const llama_model* model) {
    return not_available("llama_token_pad", LLAMA_TOKEN_NULL);
}

llama_token llama_token_prefix(const llama_model* model) {
    return not_available("llama_token_prefix", LLAMA_TOKEN_NULL);
}

llama_token llama_token_middle(const llama_model* model) {
    return not_available("llama_token_middle", LLAMA_TOKEN_NULL);
}

llama_token llama_token_suffix(const llama_model* model) {
    return not_available("llama_token_suffix", LLAMA_TOKEN_NULL);
}

llama_token llama_token_eot(const llama_model* model) {
    return not_available("llama_token_eot", LLAMA_TOKEN_NULL);
}

int32_t llama_add_bos_token(const llama_model* model) { return not_available("llama_add_bos_token", 0); }

int32_t llama_add_eos_token(const llama_model* model) { return not_available("llama_add_eos_token", 0); }

int32_t llama_tokenize(const llama_model* model, const char* text, int32_t text_len, llama_token* tokens,
                       int32_t n_tokens_max, bool add_special, bool parse_special) {
    return not_available("llama_tokenize", INT32_MIN);
}

int32_t llama_vocab_tokenize(const llama_vocab* vocab, const char* text, int32_t text_len,
                             llama_token* tokens, int32_t n_tokens_max, bool add_special,
                             bool parse_special) {
    return not_available("llama_vocab_tokenize", INT32_MIN);
}

int32_t llama_token_to_piece(const llama_model* model, llama_token token, char* buf, int32_t length,
                             int32_t lstrip, bool special) {
    return not_available("llama_token_to_piece", INT32_MIN);
}

int32_t llama_token_to_piece_vocab(const llama_vocab* vocab, llama_token token, char* buf, int32_t length,
                                   int32_t lstrip, bool special) {
    return not_available("llama_token_to_piece_vocab", INT32_MIN);
}

int32_t llama_detokenize(const llama_vocab* vocab, const llama_token* tokens, int32_t n_tokens, char* text,
                         int32_t text_len_max, bool remove_special, bool unparse_special) {
    return not_available("llama_detokenize", INT32_MIN);
}

size_t llama_fill_from_utf8(void* utf8, void* cpts, void* scripts) {
    return not_available("llama_fill_from_utf8", size_t{0});
}
