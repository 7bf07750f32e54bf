// What samplers use: a constraint on the tokens of one generation, from a GBNF grammar, a JSON schema or a
// regular expression, active from the start or from a trigger on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/gbnf.h"
#include "grammar/matcher.h"
#include "grammar/regex.h"
#include "grammar/token_mask.h"

namespace cria::grammar {

// parse_gbnf() and Program::compile() in one call.
std::shared_ptr<const Program> compile_gbnf(std::string_view text, const GbnfOptions& options = {});

// The text must match `pattern` from end to end. Throws as Regex::compile() and Regex::language().
std::shared_ptr<const Program> compile_regex(std::string_view pattern);

// What wakes a lazy constraint. With neither patterns nor tokens it is awake from the start.
struct Triggers {
    // ECMAScript patterns, searched in all text so far. The grammar is fed from the first group that is not
    // empty, or else from the beginning of the match.
    std::vector<std::string> patterns;
    // The grammar is fed from this token on.
    std::vector<uint32_t> tokens;
};

// The pattern that finds exactly `word`.
std::string regex_for_word(std::string_view word);

// One generation. Copies are independent and cheap once awake (a copy of a waiting one copies the text so
// far). Threads: as Matcher.
class Constraint {
  public:
    // Throws as Regex::compile() for the patterns, and Error{invalid_argument} for trigger tokens beyond the
    // vocabulary.
    Constraint(std::shared_ptr<const Program> program, std::shared_ptr<const TokenTrie> vocabulary,
               const Triggers& triggers = {});

    // A lazy constraint that has not met its trigger: everything is allowed.
    bool is_waiting() const { return is_waiting_; }
    // Takes the next token. Throws Error{invalid_argument} naming token and place when the constraint refuses
    // it, also when waking finds that the text since the trigger is refused; the constraint then stays as it
    // was.
    void accept(uint32_t id);
    // Whether accept() would take it (for a waiting constraint: true).
    bool allows(uint32_t id) const;
    // The allowed tokens, as token_mask(); for a waiting constraint all of them.
    std::shared_ptr<const TokenMask> mask() const;
    // Whether generation may stop here.
    bool may_end() const { return is_waiting_ || matcher_.may_end(); }
    const TokenTrie& vocabulary() const { return *vocabulary_; }

  private:
    struct SeenToken {
        uint32_t id;
        size_t begin;  // in text_
    };

    void check_id(uint32_t id) const;
    bool advance(Matcher& matcher, uint32_t id) const;
    void accept_awake(uint32_t id);
    void accept_waiting(uint32_t id);
    // The byte of text_ from which the grammar is to be fed, if a pattern has been found.
    std::optional<size_t> find_trigger() const;
    void replay_from(size_t begin);

    Matcher matcher_;
    std::shared_ptr<const TokenTrie> vocabulary_;
    std::vector<uint32_t> trigger_tokens_;
    std::vector<RegexScanner> scanners_;
    bool is_waiting_ = false;
    std::string text_;  // while waiting
    std::vector<SeenToken> seen_;
    size_t n_accepted_ = 0;
};

}  // namespace cria::grammar
