// What may take part in a chain beside the samplers: things that watch the tokens and change logits before
// any candidate is dropped, such as a reasoning budget, an expiring bias, or a grammar.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sampling/candidates.h"
#include "sampling/options.h"

namespace cria::sampling {

// Not thread-safe; each chain has its own.
class LogitsProcessor {
  public:
    virtual ~LogitsProcessor() = default;
    // Changes logits; must not reorder or drop candidates. -inf forbids a token.
    virtual void apply(CandidateArray& candidates) = 0;
    // The token that follows. Called once per token, after it was chosen.
    virtual void accept(Token token) = 0;
    virtual void reset() = 0;
    virtual std::unique_ptr<LogitsProcessor> clone() const = 0;
    // Changes of sampling options for the next token, on top of those of the chain.
    virtual std::vector<OptionChange> option_changes() const { return {}; }
    // A few words for the description of the chain.
    virtual std::string describe() const = 0;
};

// A processor that only forbids, such as a grammar. A chain first chooses without it and asks about the
// chosen token, so that text which keeps to the rules anyway is the same with and without them, and the whole
// vocabulary is masked only when needed.
class Constraint : public LogitsProcessor {
  public:
    virtual bool allows(Token token) const = 0;
};

}  // namespace cria::sampling
