// A grammar, JSON schema or regular expression (grammar/constraint.h) as a constraint of a sampler chain. Set
// it after the prompt was accepted: every token that the chain accepts from then on belongs to the
// constrained text.
#pragma once

#include "grammar/constraint.h"
#include "sampling/processor.h"

namespace cria::sampling {

class GrammarConstraint : public Constraint {
  public:
    explicit GrammarConstraint(grammar::Constraint constraint)
        : now_(constraint), start_(std::move(constraint)) {}

    // Forbids the tokens that may not come next. Ids beyond the constraint's vocabulary are forbidden.
    void apply(CandidateArray& candidates) override;
    bool allows(Token token) const override;
    // Throws Error{invalid_argument} when the constraint refuses the token; it then stays as it was.
    void accept(Token token) override;
    void reset() override { now_ = start_; }
    std::unique_ptr<LogitsProcessor> clone() const override {
        return std::make_unique<GrammarConstraint>(*this);
    }
    std::string describe() const override { return now_.is_waiting() ? "grammar (waiting)" : "grammar"; }

    // Whether the text may end here.
    bool may_end() const { return now_.may_end(); }

  private:
    grammar::Constraint now_;
    grammar::Constraint start_;
};

}  // namespace cria::sampling
