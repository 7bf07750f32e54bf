// Samplers that keep a history: DRY and adaptive-p.
#include <random>

#include "capi/candidate_array.h"
#include "sampling/adaptive_p.h"
#include "sampling/dry.h"

using namespace cria::capi;
namespace sampling = cria::sampling;

struct llama_sampler_dry {
    sampling::DrySampler sampler;
};

struct llama_sampler_adaptive_p {
    sampling::AdaptiveSampler sampler;
    std::mt19937 rng;
};

namespace {

std::shared_ptr<const sampling::DryBreakers> breakers_of(const cria::Vocab& vocab, const char** texts,
                                                         size_t n_texts) {
    std::vector<std::string> list;
    if (n_texts > 0) required(texts, "seq_breakers");
    for (size_t i = 0; i < n_texts; ++i) list.emplace_back(&required(texts[i], "a breaker"));
    const auto piece = [&](llama_token token) { return std::string(vocab.token_to_piece(token)); };
    const auto tokenize = [&](std::string_view text) { return vocab.tokenize(text, {.add_special = false}); };
    const sampling::BreakerVocabulary vocabulary{
        .n_tokens = vocab.size(), .piece = piece, .tokenize = tokenize};
    return std::make_shared<const sampling::DryBreakers>(sampling::make_dry_breakers(list, vocabulary));
}

}  // namespace

llama_sampler_dry* llama_sampler_init_dry(const llama_vocab* model, float dry_multiplier, float dry_base,
                                          int32_t dry_allowed_length, int32_t dry_penalty_last_n,
                                          const char** seq_breakers, size_t num_breakers) {
    return guard<llama_sampler_dry*>("llama_sampler_init_dry", nullptr, [&] {
        const cria::Vocab& vocab = vocab_of(model);
        const sampling::DryOptions options{.multiplier = dry_multiplier,
                                           .base = dry_base,
                                           .allowed_length = dry_allowed_length,
                                           .last_n = dry_penalty_last_n};
        // The interface knows no context here; programs of the family get the vocabulary's size as the
        // longest window.
        sampling::DrySampler sampler(options, vocab.size(), breakers_of(vocab, seq_breakers, num_breakers));
        return std::make_unique<llama_sampler_dry>(llama_sampler_dry{std::move(sampler)}).release();
    });
}

void llama_sample_dry(llama_context* ctx, llama_sampler_dry* smpl, llama_token_data_array* candidates_p) {
    sample("llama_sample_dry", ctx, candidates_p,
           [&](auto& array) { required(smpl, "smpl").sampler.apply(array); });
}

void llama_sampler_dry_reset(llama_sampler_dry* smpl) {
    if (smpl != nullptr) smpl->sampler.reset();
}

void llama_sampler_dry_free(llama_sampler_dry* smpl) { delete smpl; }

llama_sampler_dry* llama_sampler_dry_clone(llama_sampler_dry* smpl) {
    return guard<llama_sampler_dry*>("llama_sampler_dry_clone", nullptr, [&] {
        return std::make_unique<llama_sampler_dry>(required(smpl, "smpl")).release();
    });
}

void llama_sampler_dry_accept(llama_sampler_dry* smpl, llama_token token) {
    guard("llama_sampler_dry_accept", [&] { required(smpl, "smpl").sampler.accept(token); });
}

llama_sampler_adaptive_p* llama_init_adaptive_p(int n_vocab, const float target, const float decay,
                                                const bool updt_w_cur, const uint32_t seed) {
    return guard<llama_sampler_adaptive_p*>("llama_init_adaptive_p", nullptr, [&] {
        if (n_vocab < 1) cria::fail(cria::ErrorCode::invalid_argument, "n_vocab is {}", n_vocab);
        sampling::AdaptiveSampler sampler({.target = target, .decay = decay, .uses_current = updt_w_cur});
        const uint32_t actual_seed = seed == LLAMA_DEFAULT_SEED ? std::random_device()() : seed;
        return std::make_unique<llama_sampler_adaptive_p>(
                   llama_sampler_adaptive_p{std::move(sampler), std::mt19937(actual_seed)})
            .release();
    });
}

void llama_prep_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                           llama_sampler_adaptive_p* adapt_p_ctx) {
    sample("llama_prep_adaptive_p", ctx, candidates,
           [&](auto& array) { required(adapt_p_ctx, "adapt_p_ctx").sampler.prepare(array); });
}

void llama_sample_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                             llama_sampler_adaptive_p* adapt_p_ctx) {
    sample("llama_sample_adaptive_p", ctx, candidates,
           [&](auto& array) { required(adapt_p_ctx, "adapt_p_ctx").sampler.apply(array); });
}

llama_token llama_sample_token_adaptive_p(llama_context* ctx, llama_token_data_array* candidates,
                                          llama_sampler_adaptive_p* adapt_p_ctx) {
    return draw("llama_sample_token_adaptive_p", ctx, candidates, [&](auto& array) {
        llama_sampler_adaptive_p& state = required(adapt_p_ctx, "adapt_p_ctx");
        return state.sampler.sample(array, state.rng);
    });
}

void llama_review_adaptive_p(llama_sampler_adaptive_p* adapt_p_ctx, const size_t n_unsent,
                             const bool rewind_status) {
    guard("llama_review_adaptive_p",
          [&] { required(adapt_p_ctx, "adapt_p_ctx").sampler.review(n_unsent, rewind_status); });
}

llama_sampler_adaptive_p* llama_clone_adaptive_p(const llama_sampler_adaptive_p* adapt_p_ctx) {
    return guard<llama_sampler_adaptive_p*>("llama_clone_adaptive_p", nullptr, [&] {
        return std::make_unique<llama_sampler_adaptive_p>(required(adapt_p_ctx, "adapt_p_ctx")).release();
    });
}

void llama_free_adaptive_p(llama_sampler_adaptive_p* adapt_p_ctx) { delete adapt_p_ctx; }
