// Saving and restoring contexts and sequences.
#include "capi/handles.h"

using namespace cria::capi;

size_t llama_state_get_size(llama_context* ctx) { return not_available("llama_state_get_size", size_t{0}); }

size_t llama_state_get_data(llama_context* ctx, uint8_t* dst, size_t size) {
    return not_available("llama_state_get_data", size_t{0});
}

size_t llama_state_set_data(llama_context* ctx, const uint8_t* src, size_t size) {
    return not_available("llama_state_set_data", size_t{0});
}

bool llama_state_load_file(llama_context* ctx, const char* path_session, llama_token* tokens_out,
                           size_t n_token_capacity, size_t* n_token_count_out) {
    return not_available("llama_state_load_file", false);
}

bool llama_state_save_file(llama_context* ctx, const char* path_session, const llama_token* tokens,
                           size_t n_token_count) {
    return not_available("llama_state_save_file", false);
}

size_t llama_state_seq_get_size(llama_context* ctx, llama_seq_id seq_id, llama_state_seq_flags flags) {
    return not_available("llama_state_seq_get_size", size_t{0});
}

size_t llama_state_seq_get_data(llama_context* ctx, uint8_t* dst, size_t size, llama_seq_id seq_id,
                                llama_state_seq_flags flags) {
    return not_available("llama_state_seq_get_data", size_t{0});
}

size_t llama_state_seq_set_data(llama_context* ctx, const uint8_t* src, size_t size, llama_seq_id dest_seq_id,
                                llama_state_seq_flags flags) {
    return not_available("llama_state_seq_set_data", size_t{0});
}

size_t llama_state_seq_save_file(llama_context* ctx, const char* filepath, llama_seq_id seq_id,
                                 const llama_token* tokens, size_t n_token_count) {
    return not_available("llama_state_seq_save_file", size_t{0});
}

size_t llama_state_seq_load_file(llama_context* ctx, const char* filepath, llama_seq_id dest_seq_id,
                                 llama_token* tokens_out, size_t n_token_capacity,
                                 size_t* n_token_count_out) {
    return not_available("llama_state_seq_load_file", size_t{0});
}

// The older names. Buffers without a size are as large as the caller says they are: large enough.
size_t llama_get_state_size(llama_context* ctx) { return llama_state_get_size(ctx); }

size_t llama_copy_state_data(llama_context* ctx, uint8_t* dst) {
    return llama_state_get_data(ctx, dst, SIZE_MAX);
}

size_t llama_set_state_data(llama_context* ctx, const uint8_t* src) {
    return llama_state_set_data(ctx, src, SIZE_MAX);
}

bool llama_load_session_file(llama_context* ctx, const char* path_session, llama_token* tokens_out,
                             size_t n_token_capacity, size_t* n_token_count_out) {
    return llama_state_load_file(ctx, path_session, tokens_out, n_token_capacity, n_token_count_out);
}

bool llama_save_session_file(llama_context* ctx, const char* path_session, const llama_token* tokens,
                             size_t n_token_count) {
    return llama_state_save_file(ctx, path_session, tokens, n_token_count);
}
