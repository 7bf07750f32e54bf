// A sampler chain: options, history, generator and the samplers in order, for one sequence of tokens.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "sampling/adaptive_p.h"
#include "sampling/dry.h"
#include "sampling/options.h"
#include "sampling/processor.h"

namespace cria::sampling {

// What a chain cannot know from its options.
struct ChainContext {
    int32_t context_size = 4096;  // what -1 means in "last n" options
    Token newline = -1;           // token that penalties spare unless penalize_nl; -1: none
    std::shared_ptr<const DryBreakers> dry_breakers;
};

// For each token: sample(logits), then accept(token); prompt tokens are only accepted. Order of operations
// (interop 4.2): biases, penalties, processors, samplers in order of the options, choice. Copies are
// independent and go on alike. Not thread-safe.
class SamplerChain {
  public:
    // Throws what check_sampling_options throws.
    explicit SamplerChain(const SamplingOptions& options, const ChainContext& context = {});
    SamplerChain(const SamplerChain& other);
    SamplerChain(SamplerChain&&) noexcept = default;
    SamplerChain& operator=(const SamplerChain& other);
    SamplerChain& operator=(SamplerChain&&) noexcept = default;

    // Processors run in the order in which they were added. At most one constraint; an empty pointer removes
    // it.
    void add(std::unique_ptr<LogitsProcessor> processor);
    void set_constraint(std::unique_ptr<Constraint> constraint);

    // Chooses the next token from the model's logits, one per token of the vocabulary; they are not changed.
    // Equal options, seed and history give equal tokens. Throws Error{invalid_argument} when there is no
    // logit or no token that may be chosen (all NaN or -inf).
    Token sample(std::span<const float> logits);
    // Biases that hold for this token only, such as bans after a rewind.
    Token sample(std::span<const float> logits, std::span<const TokenBias> extra_biases);

    // Throws what the constraint throws for a token it refuses; the chain then stays as it was.
    void accept(Token token);
    // Forgets history, restarts generator and processors.
    void reset();

    // The candidates among which the last token was drawn, in the sequence of the draw; valid until the next
    // call. After a greedy choice only that token. `p` is not set; see set_probabilities.
    CandidateArray& candidates() { return buffer_.array(); }

    const SamplingOptions& options() const { return options_; }
    uint32_t seed() const { return seed_; }  // the one in use, also when a random one was asked for
    std::string describe() const;

  private:
    struct Steering {  // what a choice changes, and a refused choice gives back
        float mu = 0.0f;
        AdaptiveSampler adaptive;
    };

    Token sample_with_options(std::span<const float> logits, std::span<const TokenBias> extra_biases);
    Token choose(std::span<const float> logits, bool is_constrained);
    std::span<const float> edited(std::span<const float> logits, std::span<const TokenBias> extra_biases);
    std::vector<Token> penalised_tokens() const;
    void process(CandidateArray& candidates, bool is_constrained);
    void run_samplers(CandidateArray& candidates, size_t first);
    void run_sampler(SamplerKind kind, CandidateArray& candidates);
    void run_temperature(CandidateArray& candidates);

    SamplingOptions options_;
    ChainContext context_;
    uint32_t seed_;
    std::mt19937 rng_;
    std::vector<Token> history_;  // oldest first, at least as many as penalties look at
    size_t penalty_window_ = 0;
    DrySampler dry_;
    Steering steering_;
    std::vector<std::unique_ptr<LogitsProcessor>> processors_;
    std::unique_ptr<Constraint> constraint_;
    CandidateBuffer buffer_;
    std::vector<float> edited_logits_;
};

// Sets p of the candidates to their probabilities, without sorting.
void set_probabilities(CandidateArray& candidates);

// The n most probable tokens in order, p relative to the whole vocabulary. For reports beside the text
// ("logprobs").
std::vector<TokenData> most_probable(std::span<const float> logits, size_t n);

}  // namespace cria::sampling
