// Expiring biases: a small program of phrases that are made more or less likely for a while, and of words
// that move it from one state to the next (shared/spec/interop.md 4.7). One line each:
//   # comment
//   (DURATION : "phrase" "other phrase" : b0, b1, ...)   a bias for the 1st, 2nd, ... token of each phrase,
//   the last value for all
//                                                        further ones; "b0 ~ b1" goes evenly from the first
//                                                        token to the last
//   (DURATION : "phrase" : name~delta)   changes a sampling option (options.h) while the phrase was seen an
//   odd number of times (DURATION : name~delta)              changes it for the duration
//   (( ... ))                            the same, but goes on in later states;  (())  ends what goes on so
//   far "word"  or  "word" >>                ends the state: once written, the next state begins. With >>
//   earlier states that have no
//                                        such word jump behind it, too
// DURATION counts tokens since the state began (since the entry began, for those that go on); it may be left
// out with its colon: 1. Negative: as long as the state. In quotes, \n \t \" \\ stand for what they usually
// do.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sampling/processor.h"

namespace cria::sampling {

struct BiasEntry {
    int32_t duration = 1;
    bool goes_on = false;
    std::vector<std::string> phrases;
    std::vector<float> biases;  // with is_range: first and last
    bool is_range = false;
    std::vector<OptionChange> changes;  // instead of biases
};

struct BiasState {
    std::vector<BiasEntry> entries;
    bool ends_earlier = false;  // (()) stands in it
    std::string exit_word;      // empty: the last state
    bool is_jump = false;
};

// The program as written. Throws Error{invalid_argument} with the line number for what is not as above:
// unclosed quotes or parentheses, entries without values, numbers that are not finite, unknown option names,
// and more than kMaxEntries entries.
struct BiasProgram {
    static constexpr size_t kMaxEntries = 10000;
    std::vector<BiasState> states;  // at least one
    static BiasProgram parse(std::string_view text);
};

// What of a vocabulary is needed. Both are called by one thread at a time.
struct BiasVocabulary {
    std::function<std::vector<Token>(std::string_view)>
        tokenize;  // in the middle of a text: no BOS, no added space
    std::function<std::string(Token)> piece;
};

// Runs a program over the tokens it accepts: add it to a chain after the prompt. A phrase's first token is
// biased while the text does not end with it, a later one when the text ends with those before it. A state
// change waits while a phrase with a positive bias is being written.
class ExpiringBias : public LogitsProcessor {
  public:
    ExpiringBias(const BiasProgram& program, BiasVocabulary vocabulary);

    void apply(CandidateArray& candidates) override;
    void accept(Token token) override;
    void reset() override;
    std::unique_ptr<LogitsProcessor> clone() const override { return std::make_unique<ExpiringBias>(*this); }
    std::string describe() const override;
    std::vector<OptionChange> option_changes() const override;

    size_t state() const { return state_; }

  private:
    struct Phrase {
        std::string text;
        std::vector<Token> tokens;
        std::vector<std::string> before;  // text of the tokens before each
    };
    struct Entry {
        BiasEntry entry;
        std::vector<Phrase> phrases;
    };
    struct Active {
        std::shared_ptr<const Entry> entry;
        int64_t n_tokens = 0;  // since it began
        size_t n_seen = 0;     // how often one of its phrases was written
        bool is_over() const { return entry->entry.duration >= 0 && n_tokens >= entry->entry.duration; }
    };
    struct State {
        std::vector<std::shared_ptr<const Entry>> entries;
        bool ends_earlier = false;
        std::string exit_word;
        std::string jump_word;  // leads behind jump_target
        size_t jump_target = 0;
    };

    std::shared_ptr<const Entry> compile(const BiasEntry& entry) const;
    void enter(size_t state);
    bool is_writing_wanted_phrase() const;
    static float bias_of(const BiasEntry& entry, size_t place, size_t n_tokens);

    std::shared_ptr<const BiasVocabulary> vocabulary_;
    std::shared_ptr<const std::vector<State>> states_;
    size_t max_text_ = 1;  // bytes of text that anything looks at
    size_t state_ = 0;
    std::vector<Active> active_;
    std::string text_;         // the last bytes written
    size_t n_new_ = 0;         // bytes written since this state began
    int64_t next_state_ = -1;  // waits for a phrase to be finished
};

}  // namespace cria::sampling
