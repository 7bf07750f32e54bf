// Regular expressions in time linear in the text: searching with groups, searching a stream, and the set of
// matching strings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/regex_syntax.h"
#include "grammar/string_set.h"

namespace cria::grammar {

struct RegexMatch {
    struct Span {
        size_t begin;  // in bytes
        size_t end;
    };
    // The whole match, then the groups; nothing for a group that took no part.
    std::vector<std::optional<Span>> groups;
};

// What a string has to do to belong to Regex::language().
enum class RegexUse : uint8_t {
    search,  // contain a match somewhere, as JSON schema's `pattern`
    whole,   // be a match from end to end
};

// A compiled pattern over code points (bytes that are not UTF-8 match nothing). Immutable, cheap to copy;
// const calls are thread-safe.
class Regex {
  public:
    // Instructions after all repetitions are written out; a step of a search looks at each at most once.
    static constexpr size_t kMaxInstructions = 50000;

    enum class Op : uint8_t { characters, split, save, assertion, match };
    struct Instruction {
        Op op;
        RegexAssertion assertion;
        uint32_t next;   // split: the preferred one
        uint32_t other;  // split: the second choice; save: slot (2 * group, and one more at its end);
                         // characters: index of the set
    };

    // Throws what parse_regex throws, and Error{unsupported} above kMaxInstructions.
    static Regex compile(std::string_view pattern);

    // The leftmost match, with ECMAScript's preferences. O(text * instructions) time.
    std::optional<RegexMatch> search(std::string_view text) const;

    // All strings that satisfy the pattern. Throws Error{unsupported} when that needs more than
    // StringSet::kMaxStates states.
    StringSet language(RegexUse use) const;

    const std::vector<Instruction>& instructions() const { return program_->instructions; }
    const std::vector<CodePointSet>& sets() const { return program_->sets; }
    uint32_t n_groups() const { return program_->n_groups; }

  private:
    friend class RegexCompiler;
    struct Compiled {
        std::vector<Instruction> instructions;  // starts at 0
        std::vector<CodePointSet> sets;
        uint32_t n_groups = 0;
    };
    std::shared_ptr<const Compiled> program_;
};

// Where in a text a closure happens, for assertions.
struct RegexContext {
    bool at_begin = false;
    bool at_end = false;
    bool word_before = false;
    bool word_after = false;
};

// Follows instructions that read nothing. Holds working memory only.
class RegexClosure {
  public:
    // Appends the `characters` instructions reachable from `from`, each once, and says whether `match` is
    // reachable.
    bool run(const Regex& regex, const std::vector<uint32_t>& from, RegexContext context,
             std::vector<uint32_t>& readers);

  private:
    std::vector<bool> seen_;
    std::vector<uint32_t> stack_;
};

bool regex_assertion_holds(RegexAssertion assertion, RegexContext context);

// Watches a growing text for a match without looking at it twice. Copyable; one object for one thread at a
// time.
class RegexScanner {
  public:
    explicit RegexScanner(Regex regex);
    // Adds text; a code point may be split between calls.
    void feed(std::string_view bytes);
    // Whether regex.search() would find a match in all text fed so far (without an incomplete code point at
    // its end).
    bool found() const;
    const Regex& regex() const { return regex_; }

  private:
    RegexContext context() const { return {.at_begin = at_begin_, .word_before = after_word_}; }
    void feed_code_point(uint32_t code_point);

    Regex regex_;
    std::vector<uint32_t> threads_;  // instructions that the last character led to
    bool at_begin_ = true;
    bool after_word_ = false;
    bool found_ = false;
    std::string pending_;  // bytes of an incomplete code point
    mutable RegexClosure closure_;
};

}  // namespace cria::grammar
