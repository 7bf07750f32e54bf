// Contexts: life, settings, running tokens, outputs.
#include <atomic>

#include "capi/handles.h"

using namespace cria::capi;

llama_context* llama_init_from_model(llama_model* model, llama_context_params params) {
    return not_available("llama_init_from_model", static_cast<llama_context*>(nullptr));
}

void llama_free(llama_context* ctx) {
    if (ctx != nullptr) log_not_available("llama_free");
}

const llama_model* llama_get_model(const llama_context* ctx) {
    return not_available("llama_get_model", static_cast<const llama_model*>(nullptr));
}

const llama_vocab* llama_get_vocab(const llama_context* ctx) {
    return not_available("llama_get_vocab", static_cast<const llama_vocab*>(nullptr));
}

uint32_t llama_n_ctx(const llama_context* ctx) { return not_available("llama_n_ctx", 0u); }

uint32_t llama_n_batch(const llama_context* ctx) { return not_available("llama_n_batch", 0u); }

uint32_t llama_n_ubatch(const llama_context* ctx) { return not_available("llama_n_ubatch", 0u); }

uint32_t llama_n_seq_max(const llama_context* ctx) { return not_available("llama_n_seq_max", 0u); }

enum llama_pooling_type llama_pooling_type(const llama_context* ctx) {
    return not_available("llama_pooling_type", LLAMA_POOLING_TYPE_NONE);
}

void llama_set_n_threads(llama_context* ctx, uint32_t n_threads, uint32_t n_threads_batch) {
    log_not_available("llama_set_n_threads");
}

uint32_t llama_n_threads(llama_context* ctx) { return not_available("llama_n_threads", 0u); }

uint32_t llama_n_threads_batch(llama_context* ctx) { return not_available("llama_n_threads_batch", 0u); }

void llama_set_embeddings(llama_context* ctx, bool embeddings) { log_not_available("llama_set_embeddings"); }

void llama_set_causal_attn(llama_context* ctx, bool causal_attn) {
    log_not_available("llama_set_causal_attn");
}

void llama_set_abort_callback(llama_context* ctx, ggml_abort_callback abort_callback,
                              void* abort_callback_data) {
    log_not_available("llama_set_abort_callback");
}

void llama_set_offload_policy(llama_context* lctx, int op, bool on_or_off) {
    log_not_available("llama_set_offload_policy");
}

int32_t llama_encode(llama_context* ctx, llama_batch batch) { return not_available("llama_encode", -1); }

int32_t llama_decode(llama_context* ctx, llama_batch batch) { return not_available("llama_decode", -1); }

void llama_synchronize(llama_context* ctx) { log_not_available("llama_synchronize"); }

float* llama_get_logits(llama_context* ctx) {
    return not_available("llama_get_logits", static_cast<float*>(nullptr));
}

float* llama_get_embeddings(llama_context* ctx) {
    return not_available("llama_get_embeddings", static_cast<float*>(nullptr));
}

float* llama_get_logits_ith(llama_context* ctx, int32_t i) {
    return not_available("llama_get_logits_ith", static_cast<float*>(nullptr));
}

float* llama_get_embeddings_ith(llama_context* ctx, int32_t i) {
    return not_available("llama_get_embeddings_ith", static_cast<float*>(nullptr));
}

float* llama_get_embeddings_seq(llama_context* ctx, llama_seq_id seq_id) {
    return not_available("llama_get_embeddings_seq", static_cast<float*>(nullptr));
}

void llama_set_mtp_op_type(llama_context* ctx, llama_mtp_op_type mtp_op_type) {
    log_not_available("llama_set_mtp_op_type");
}

void llama_set_mtp_target_context(llama_context* ctx, llama_context* target) {
    log_not_available("llama_set_mtp_target_context");
}

void llama_set_draft_input_hidden_state(llama_context* ctx, const float* hidden_state) {
    log_not_available("llama_set_draft_input_hidden_state");
}

namespace {

// Shared by all contexts, as programs expect; contexts of Cria's own interface are stopped one by one.
std::atomic<bool> is_stopped{false};

}  // namespace

bool cria::capi::decode_is_stopped() noexcept { return is_stopped.load(std::memory_order_relaxed); }

void llama_decode_stop() { is_stopped = true; }

void llama_decode_reset() { is_stopped = false; }
