// Models: loading, numbers, metadata, tensors.
#define LLAMA_API_INTERNAL
#include "capi/handles.h"

using namespace cria::capi;

llama_model* llama_model_load_from_file(const char* path_model, llama_model_params params) {
    return not_available("llama_model_load_from_file", static_cast<llama_model*>(nullptr));
}

void llama_free_model(llama_model* model) {
    if (model != nullptr) log_not_available("llama_free_model");
}

const llama_vocab* llama_model_get_vocab(const llama_model* model) {
    return not_available("llama_model_get_vocab", static_cast<const llama_vocab*>(nullptr));
}

const llama_vocab* llama_get_model_vocab(const llama_model* model) {
    return not_available("llama_get_model_vocab", static_cast<const llama_vocab*>(nullptr));
}

int32_t llama_n_vocab(const llama_model* model) { return not_available("llama_n_vocab", 0); }

int32_t llama_n_ctx_train(const llama_model* model) { return not_available("llama_n_ctx_train", 0); }

int32_t llama_model_n_embd(const llama_model* model) { return not_available("llama_model_n_embd", 0); }

int32_t llama_model_n_embd_inp(const llama_model* model) {
    return not_available("llama_model_n_embd_inp", 0);
}

int32_t llama_n_layer(const llama_model* model) { return not_available("llama_n_layer", 0); }

int32_t llama_model_n_nextn_layer(const llama_model* model) {
    return not_available("llama_model_n_nextn_layer", 0);
}

uint64_t llama_model_size(const llama_model* model) { return not_available("llama_model_size", uint64_t{0}); }

uint64_t llama_model_n_params(const llama_model* model) {
    return not_available("llama_model_n_params", uint64_t{0});
}

float llama_rope_freq_scale_train(const llama_model* model) {
    return not_available("llama_rope_freq_scale_train", 0.0f);
}

enum llama_rope_type llama_rope_type(const llama_model* model) {
    return not_available("llama_rope_type", LLAMA_ROPE_TYPE_NONE);
}

int32_t llama_model_meta_val_str(const llama_model* model, const char* key, char* buf, size_t buf_size) {
    return not_available("llama_model_meta_val_str", -1);
}

int32_t llama_model_meta_count(const llama_model* model) {
    return not_available("llama_model_meta_count", 0);
}

int32_t llama_model_meta_key_by_index(const llama_model* model, int32_t i, char* buf, size_t buf_size) {
    return not_available("llama_model_meta_key_by_index", -1);
}

int32_t llama_model_meta_val_str_by_index(const llama_model* model, int32_t i, char* buf, size_t buf_size) {
    return not_available("llama_model_meta_val_str_by_index", -1);
}

int32_t llama_model_desc(const llama_model* model, char* buf, size_t buf_size) {
    return not_available("llama_model_desc", -1);
}

const char* llama_model_chat_template(const llama_model* model, const char* name) {
    return not_available("llama_model_chat_template", static_cast<const char*>(nullptr));
}

ggml_tensor* llama_get_model_tensor(llama_model* model, const char* name) {
    return not_available("llama_get_model_tensor", static_cast<ggml_tensor*>(nullptr));
}

bool llama_model_has_encoder(const llama_model* model) {
    return not_available("llama_model_has_encoder", false);
}

bool llama_model_has_decoder(const llama_model* model) {
    return not_available("llama_model_has_decoder", false);
}

llama_token llama_model_decoder_start_token(const llama_model* model) {
    return not_available("llama_model_decoder_start_token", LLAMA_TOKEN_NULL);
}

bool llama_model_is_recurrent(const llama_model* model) {
    return not_available("llama_model_is_recurrent", false);
}

bool llama_model_is_hybrid(const llama_model* model) { return not_available("llama_model_is_hybrid", false); }

bool llama_model_has_recurrent(const llama_model* model) {
    return not_available("llama_model_has_recurrent", false);
}

bool llama_model_is_gemma4_mtp_assistant(const llama_model* model) {
    return not_available("llama_model_is_gemma4_mtp_assistant", false);
}

bool llama_model_is_split_mode_graph(const llama_model* model) {
    return not_available("llama_model_is_split_mode_graph", false);
}

bool llama_is_gemma4_mtp_file(const char* path) { return not_available("llama_is_gemma4_mtp_file", false); }

const std::vector<std::pair<std::string, ggml_tensor*>>& llama_internal_get_tensor_map(llama_context* ctx) {
    static const std::vector<std::pair<std::string, ggml_tensor*>> empty;
    log_not_available("llama_internal_get_tensor_map");
    return empty;
}
