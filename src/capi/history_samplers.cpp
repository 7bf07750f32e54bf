// Samplers that keep a history: DRY and adaptive-p.
#include "capi/handles.h"

using namespace cria::capi;

llama_sampler_dry* llama_sampler_init_dry(const llama_vocab* model, float dry_multiplier, float dry_base,
                                          int32_t dry_allowed_length, int32_t dry_penalty_last_n,
                                          const char** seq_breakers, size_t num_breakers) {
    return not_available("llama_sampler_init_dry", static_cast<llama_sampler_dry*>(nullptr));
}

void llama_sample_dry(llama_context* ctx, llama_sampler_dry* smpl, llama_token_data_array* candidates_p) {
    log_not_available("llama_sample_dry");
}

void llama_sampler_dry_reset(llama_sampler_dry* smpl) { log_not_available("llama_sampler_dry_reset"); }

void llama_sampler_dry_free(llama_sampler_dry* smpl) {
    if (smpl != nullptr) log_not_available("llama_sampler_dry_free");
}

llama_sampler_dry* llama_sampler_dry_clone(llama_sampler_dry* smpl) {
    return not_available("llama_sampler_dry_clone", static_cast<llama_sampler_dry*>(nullptr));
}

void llama_sampler_dry_accept(llama_sampler_dry* smpl, llama_token token) {
    log_not_available("llama_sampler_dry_accept");
}

llama_sampler_adaptive_p* llama_init_adaptive_p(int n_vocab, const float target, const float decay,
                                                const bool updt_w_cur, const uint32_t seed) {
    return not_available("llama_init_adaptive_p", static_cast<llama_sampler_adaptive_p*>(nullptr));
}

void llama_prep_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                           llama_sampler_adaptive_p* adapt_p_ctx) {
    log_not_available("llama_prep_adaptive_p");
}

void llama_sample_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                             llama_sampler_adaptive_p* adapt_p_ctx) {
    log_not_available("llama_sample_adaptive_p");
}

llama_token llama_sample_token_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                                          llama_sampler_adaptive_p* adapt_p_ctx) {
    return not_available("llama_sample_token_adaptive_p", LLAMA_TOKEN_NULL);
}

void llama_review_adaptive_p(llama_sampler_adaptive_p* adapt_p_ctx, const size_t n_unsent,
                             const bool rewind_status) {
    log_not_available("llama_review_adaptive_p");
}

llama_sampler_adaptive_p* llama_clone_adaptive_p(const llama_sampler_adaptive_p* adapt_p_ctx) {
    return not_available("llama_clone_adaptive_p", static_cast<llama_sampler_adaptive_p*>(nullptr));
}

void llama_free_adaptive_p(llama_sampler_adaptive_p* adapt_p_ctx) {
    if (adapt_p_ctx != nullptr) log_not_available("llama_free_adaptive_p");
}
