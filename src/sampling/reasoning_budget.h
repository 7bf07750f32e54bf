// Reasoning budget: after so many tokens inside a reasoning block the model is made to write a message and
// the end of the block. States as in shared/spec/interop.md 4.8.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sampling/processor.h"

namespace cria::sampling {

struct ReasoningBudgetOptions {
    std::vector<Token> start;    // tokens that open a block, such as those of "<think>"
    std::vector<Token> end;      // tokens that close it
    std::vector<Token> message;  // forced before `end` when the budget is used up; may be empty
    int32_t n_tokens = -1;       // budget of a block; -1 unlimited
    // Text of a token, to wait for the end of a UTF-8 character before forcing; empty: does not wait.
    std::function<std::string(Token)> piece;
};

class ReasoningBudget : public LogitsProcessor {
  public:
    enum class State {
        idle,      // outside, nothing came yet
        counting,  // inside
        waiting,   // used up, but the text ends inside a character
        forcing,   // the message and the end are being written
        done,      // outside, after a block; a new block gets a new budget
    };

    // Throws Error{invalid_argument} when start or end is empty, or n_tokens below -1.
    explicit ReasoningBudget(ReasoningBudgetOptions options);

    // While forcing: forbids all tokens but the next one to be written. If that is not among the candidates,
    // changes nothing.
    void apply(CandidateArray& candidates) override;
    void accept(Token token) override;
    void reset() override;
    std::unique_ptr<LogitsProcessor> clone() const override {
        return std::make_unique<ReasoningBudget>(*this);
    }
    std::string describe() const override;

    State state() const { return state_; }
    bool is_inside() const { return state_ != State::idle && state_ != State::done; }

  private:
    void open();
    void use_up();
    void follow_text(Token token);

    ReasoningBudgetOptions options_;
    std::vector<Token> forced_;  // message and end
    State state_ = State::idle;
    int32_t n_left_ = 0;
    size_t n_forced_ = 0;
    size_t n_waited_ = 0;
    std::string tail_;           // last bytes of the text
    std::vector<Token> recent_;  // last tokens, as many as start or end have
};

}  // namespace cria::sampling
