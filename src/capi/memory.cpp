// The memory of a context: sequences, shifts, views, checkpoints of recurrent state.
#include "capi/handles.h"

using namespace cria::capi;

void llama_kv_cache_clear(llama_context* ctx) { log_not_available("llama_kv_cache_clear"); }

bool llama_kv_cache_seq_rm(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1) {
    return not_available("llama_kv_cache_seq_rm", false);
}

void llama_kv_cache_seq_cp(llama_context* ctx, llama_seq_id seq_id_src, llama_seq_id seq_id_dst, llama_pos p0,
                           llama_pos p1) {
    log_not_available("llama_kv_cache_seq_cp");
}

void llama_kv_cache_seq_keep(llama_context* ctx, llama_seq_id seq_id) {
    log_not_available("llama_kv_cache_seq_keep");
}

void llama_kv_cache_seq_add(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1,
                            llama_pos delta) {
    log_not_available("llama_kv_cache_seq_add");
}

void llama_kv_cache_seq_div(llama_context* ctx, llama_seq_id seq_id, llama_pos p0, llama_pos p1, int d) {
    log_not_available("llama_kv_cache_seq_div");
}

llama_pos llama_kv_cache_seq_pos_max(llama_context* ctx, llama_seq_id seq_id) {
    return not_available("llama_kv_cache_seq_pos_max", 0);
}

llama_pos llama_kv_cache_seq_pos_min(llama_context* ctx, llama_seq_id seq_id) {
    return not_available("llama_kv_cache_seq_pos_min", -1);
}

void llama_kv_cache_defrag(llama_context* ctx) { log_not_available("llama_kv_cache_defrag"); }

int32_t llama_kv_cache_update(llama_context* ctx) { return not_available("llama_kv_cache_update", 1); }

int32_t llama_get_kv_cache_token_count(const llama_context* ctx) {
    return not_available("llama_get_kv_cache_token_count", 0);
}

int32_t llama_get_kv_cache_used_cells(const llama_context* ctx) {
    return not_available("llama_get_kv_cache_used_cells", 0);
}

llama_kv_cache_view llama_kv_cache_view_init(const llama_context* ctx, int32_t n_seq_max) {
    return not_available("llama_kv_cache_view_init", llama_kv_cache_view{});
}

void llama_kv_cache_view_update(const llama_context* ctx, llama_kv_cache_view* view) {
    log_not_available("llama_kv_cache_view_update");
}

void llama_kv_cache_view_free(llama_kv_cache_view* view) {
    if (view != nullptr) log_not_available("llama_kv_cache_view_free");
}

int llama_spec_ckpt_init(llama_context* ctx, int mode, int max_tokens) {
    return not_available("llama_spec_ckpt_init", -1);
}

bool llama_spec_ckpt_save(llama_context* ctx, llama_seq_id seq_id) {
    return not_available("llama_spec_ckpt_save", false);
}

bool llama_spec_ckpt_restore(llama_context* ctx, llama_seq_id seq_id, llama_pos n_past, int accepted_step) {
    return not_available("llama_spec_ckpt_restore", false);
}

void llama_spec_ckpt_discard(llama_context* ctx) { log_not_available("llama_spec_ckpt_discard"); }
