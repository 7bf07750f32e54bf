// Samplers on the caller's candidate array. The arrays of llama.h and of the sampling room have one layout,
// so nothing is copied.
#define LLAMA_API_INTERNAL
#include "capi/candidate_array.h"

#include <random>

#include "sampling/draw.h"
#include "sampling/mirostat.h"
#include "sampling/penalties.h"
#include "sampling/temperature.h"
#include "sampling/truncation.h"

using namespace cria::capi;
namespace sampling = cria::sampling;

void llama_set_rng_seed(llama_context* ctx, uint32_t seed) {
    guard("llama_set_rng_seed",
          [&] { required(ctx, "ctx").rng.seed(seed == LLAMA_DEFAULT_SEED ? std::random_device()() : seed); });
}

void llama_sample_softmax(llama_context* ctx, llama_token_data_array* candidates) {
    sample("llama_sample_softmax", ctx, candidates, [](auto& array) { sampling::softmax(array); });
}

void llama_sample_dist(llama_context* ctx, llama_token_data_array* candidates) {
    sample("llama_sample_dist", ctx, candidates, [](auto& array) { sampling::dist(array); });
}

void llama_sample_repetition_penalties(llama_context* ctx, llama_token_data_array* candidates,
                                       const llama_token* last_tokens, size_t penalty_last_n,
                                       float penalty_repeat, float penalty_freq, float penalty_present) {
    sample("llama_sample_repetition_penalties", ctx, candidates, [&](auto& array) {
        if (penalty_last_n == 0) return;
        const sampling::Penalties penalties{
            .repeat = penalty_repeat, .frequency = penalty_freq, .presence = penalty_present};
        sampling::penalise(array, {&required(last_tokens, "last_tokens"), penalty_last_n}, penalties);
    });
}

void llama_sample_apply_guidance(llama_context* ctx, float* logits, float* logits_guidance, float scale) {
    guard("llama_sample_apply_guidance", [&] {
        const SamplingTimer timer(ctx);
        const auto n_vocab = static_cast<size_t>(required(ctx, "ctx").n_vocab);
        sampling::apply_guidance({&required(logits, "logits"), n_vocab},
                                 {&required(logits_guidance, "logits_guidance"), n_vocab}, scale);
    });
}

void llama_sample_top_k(llama_context* ctx, llama_token_data_array* candidates, int32_t k, size_t min_keep) {
    sample("llama_sample_top_k", ctx, candidates, [&](auto& array) { sampling::top_k(array, k, min_keep); });
}

void llama_sample_top_p(llama_context* ctx, llama_token_data_array* candidates, float p, size_t min_keep) {
    sample("llama_sample_top_p", ctx, candidates, [&](auto& array) { sampling::top_p(array, p, min_keep); });
}

void llama_sample_min_p(llama_context* ctx, llama_token_data_array* candidates, float p, size_t min_keep) {
    sample("llama_sample_min_p", ctx, candidates, [&](auto& array) { sampling::min_p(array, p, min_keep); });
}

void llama_sample_tail_free(llama_context* ctx, llama_token_data_array* candidates, float z,
                            size_t min_keep) {
    sample("llama_sample_tail_free", ctx, candidates,
           [&](auto& array) { sampling::tail_free(array, z, min_keep); });
}

void llama_sample_typical(llama_context* ctx, llama_token_data_array* candidates, float p, size_t min_keep) {
    sample("llama_sample_typical", ctx, candidates,
           [&](auto& array) { sampling::typical(array, p, min_keep); });
}

void llama_sample_top_n_sigma(llama_context* ctx, llama_token_data_array* candidates_p, float top_n_sigma) {
    sample("llama_sample_top_n_sigma", ctx, candidates_p,
           [&](auto& array) { sampling::top_n_sigma(array, top_n_sigma); });
}

void llama_sample_xtc(llama_context* ctx, llama_token_data_array* candidates_p, float probability,
                      float threshold, size_t min_keep) {
    sample("llama_sample_xtc", ctx, candidates_p, [&](auto& array) {
        const sampling::XtcOptions options{
            .probability = probability, .threshold = threshold, .min_keep = min_keep};
        sampling::xtc(array, options, required(ctx, "ctx").rng);
    });
}

void llama_sample_temp(llama_context* ctx, llama_token_data_array* candidates, float temp) {
    sample("llama_sample_temp", ctx, candidates, [&](auto& array) { sampling::temperature(array, temp); });
}

void llama_sample_entropy(llama_context* ctx, llama_token_data_array* candidates_p, float min_temp,
                          float max_temp, float exponent_val) {
    sample("llama_sample_entropy", ctx, candidates_p, [&](auto& array) {
        sampling::dynamic_temperature(array, {.min = min_temp, .max = max_temp, .exponent = exponent_val});
    });
}

llama_token llama_sample_token_mirostat(llama_context* ctx, llama_token_data_array* candidates, float tau,
                                        float eta, int32_t m, float* mu) {
    return draw("llama_sample_token_mirostat", ctx, candidates, [&](auto& array) {
        llama_context& context = required(ctx, "ctx");
        return sampling::mirostat(array, {.tau = tau, .eta = eta, .m = m}, context.n_vocab,
                                  required(mu, "mu"), context.rng);
    });
}

llama_token llama_sample_token_mirostat_v2(llama_context* ctx, llama_token_data_array* candidates, float tau,
                                           float eta, float* mu) {
    return draw("llama_sample_token_mirostat_v2", ctx, candidates, [&](auto& array) {
        return sampling::mirostat_v2(array, {.tau = tau, .eta = eta}, required(mu, "mu"),
                                     required(ctx, "ctx").rng);
    });
}

llama_token llama_sample_token_greedy(llama_context* ctx, llama_token_data_array* candidates) {
    return draw("llama_sample_token_greedy", ctx, candidates,
                [](auto& array) { return sampling::greedy(array); });
}

llama_token llama_sample_token(llama_context* ctx, llama_token_data_array* candidates) {
    return draw("llama_sample_token", ctx, candidates,
                [&](auto& array) { return sampling::draw(array, required(ctx, "ctx").rng); });
}

llama_token llama_sample_token_with_rng(llama_context* ctx, llama_token_data_array* candidates,
                                        std::mt19937& rng) {
    return draw("llama_sample_token_with_rng", ctx, candidates,
                [&](auto& array) { return sampling::draw(array, rng); });
}

void llama_sampler_reset(llama_sampler* smpl) {
    guard("llama_sampler_reset", [&] {
        const llama_sampler_i& interface = required(required(smpl, "smpl").iface, "smpl->iface");
        if (interface.reset != nullptr) interface.reset(smpl);
    });
}
