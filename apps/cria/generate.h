// Writes text with a model: feeds a prompt, samples tokens, gives complete characters to a sink as they come.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/context.h"
#include "sampling/chain.h"

namespace cria::app {

enum class FinishReason { stop, length, context_full, interrupted };
const char* finish_reason_name(FinishReason reason);

struct GenerationStats {
    int32_t n_prompt = 0;
    int32_t n_reused = 0;  // of the prompt: already in the context
    int32_t n_generated = 0;
    double prompt_seconds = 0.0;
    double generate_seconds = 0.0;
    double first_token_seconds = 0.0;  // from the start of the prompt
};

struct GenerationResult {
    std::string text;
    std::vector<int32_t> tokens;
    FinishReason finish = FinishReason::stop;
    GenerationStats stats;
};

// One conversation in sequence 0 of a context. Remembers the tokens that are in it, so that a longer prompt
// with the same beginning computes only what is new.
class Generator {
  public:
    // Sees text as it comes, in whole characters; false stops.
    using Sink = std::function<bool(std::string_view text)>;

    Generator(Context& context, const sampling::SamplingOptions& options);

    // Continues prompt (all of it, from position 0) by up to max_tokens (< 0: until the context is full).
    // Throws Error{invalid_argument} with both numbers when the prompt does not fit.
    GenerationResult generate(std::span<const int32_t> prompt, int32_t max_tokens, const Sink& sink);

    const sampling::SamplerChain& chain() const { return chain_; }

  private:
    void feed(std::span<const int32_t> prompt, GenerationStats& stats);
    // False when the context was asked to stop.
    bool decode_one(int32_t token);

    Context& context_;
    sampling::SamplerChain chain_;
    std::vector<int32_t> in_context_;
};

}  // namespace cria::app
