// How samplers get at the candidates of llama.h. The arrays there and in the sampling room have one layout,
// so nothing is copied.
#pragma once

#include "capi/handles.h"
#include "sampling/candidates.h"

namespace cria::capi {

static_assert(sizeof(llama_token_data) == sizeof(sampling::TokenData) &&
              offsetof(llama_token_data, p) == offsetof(sampling::TokenData, p));
static_assert(sizeof(llama_token_data_array) == sizeof(sampling::CandidateArray) &&
              offsetof(llama_token_data_array, selected) == offsetof(sampling::CandidateArray, selected) &&
              offsetof(llama_token_data_array, sorted) == offsetof(sampling::CandidateArray, sorted));

inline sampling::CandidateArray& array_of(llama_token_data_array* candidates) {
    llama_token_data_array& array = required(candidates, "candidates");
    if (array.size > 0) required(array.data, "candidates->data");
    return reinterpret_cast<sampling::CandidateArray&>(array);
}

// Adds the time it lives to the context's sampling time.
class SamplingTimer {
  public:
    explicit SamplingTimer(llama_context* ctx) : ctx_(ctx), start_us_(ctx != nullptr ? llama_time_us() : 0) {}
    SamplingTimer(const SamplingTimer&) = delete;
    SamplingTimer& operator=(const SamplingTimer&) = delete;
    ~SamplingTimer() {
        if (ctx_ != nullptr) ctx_->timings.sample_us += llama_time_us() - start_us_;
    }

  private:
    llama_context* ctx_;
    int64_t start_us_;
};

// Runs one sampler; on an error the candidates are as it left them.
template <typename Body>
void sample(const char* function, llama_context* ctx, llama_token_data_array* candidates, Body&& body) {
    guard(function, [&] {
        const SamplingTimer timer(ctx);
        body(array_of(candidates));
    });
}

// Draws one token and counts it.
template <typename Body>
llama_token draw(const char* function, llama_context* ctx, llama_token_data_array* candidates, Body&& body) {
    return guard<llama_token>(function, LLAMA_TOKEN_NULL, [&] {
        const SamplingTimer timer(ctx);
        const llama_token token = body(array_of(candidates));
        if (ctx != nullptr) ++ctx->timings.n_sample;
        return token;
    });
}

}  // namespace cria::capi
