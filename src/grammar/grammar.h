// The grammar as a value: rules made of expressions. The GBNF parser, regular expressions and JSON schemas
// all end here; Program (program.h) compiles it for matching.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/code_points.h"
#include "grammar/string_set.h"

namespace cria::grammar {

using ExprId = uint32_t;
using RuleId = uint32_t;

enum class ExprKind : uint8_t {
    literal,     // exactly these bytes; the empty literal matches the empty text
    characters,  // one code point of a set; the empty set matches nothing
    sequence,
    choice,
    repeat,
    rule,     // another rule, possibly recursive, but never left-recursive
    token,    // one token with this id, or any other one
    strings,  // a member of a StringSet, written plainly or as a JSON string
};

enum class StringEncoding : uint8_t {
    plain,  // the string's own UTF-8
    json,   // between quotes, with JSON's escapes
};

// Builds and holds one grammar. Expressions are immutable and may be used in several places. Not thread-safe
// while it grows.
class Grammar {
  public:
    static constexpr uint32_t kUnlimited = UINT32_MAX;

    struct Expr {
        ExprKind kind;
        bool negated = false;                             // token
        StringEncoding encoding = StringEncoding::plain;  // strings
        uint32_t min = 0, max = 0;                        // repeat
        uint32_t target = 0;  // rule id, token id, or index of the text, set or strings
        uint64_t size = 1;    // automaton nodes this needs, roughly; saturates
        std::vector<ExprId> children;
    };
    // Where a rule was written, for messages; line 0: not from a text.
    struct Place {
        uint32_t line = 0;
        uint32_t column = 0;
    };
    struct Rule {
        std::string name;
        Place place;
        std::optional<ExprId> body;  // nothing: used but not defined yet
    };

    ExprId literal(std::string_view bytes);
    ExprId characters(CodePointSet set);
    ExprId sequence(std::vector<ExprId> parts);
    ExprId choice(std::vector<ExprId> alternatives);  // no alternatives: matches nothing
    ExprId repeat(ExprId what, uint32_t min, uint32_t max = kUnlimited);
    ExprId optional(ExprId what) { return repeat(what, 0, 1); }
    ExprId rule(RuleId id);
    ExprId token(uint32_t id, bool negated);
    ExprId strings(StringSet set, StringEncoding encoding);

    RuleId add_rule(std::string name, Place place);
    RuleId add_rule(std::string name) { return add_rule(std::move(name), Place{}); }
    void define(RuleId id, ExprId body) { rules_[id].body = body; }
    void set_root(RuleId id) { root_ = id; }

    const Expr& expr(ExprId id) const { return exprs_[id]; }
    const std::string& text(const Expr& expr) const { return texts_[expr.target]; }
    const CodePointSet& set(const Expr& expr) const { return sets_[expr.target]; }
    const StringSet& string_set(const Expr& expr) const { return string_sets_[expr.target]; }
    const std::vector<Rule>& rules() const { return rules_; }
    std::vector<Rule>& rules() { return rules_; }
    RuleId root() const { return root_; }

  private:
    ExprId add(Expr expr);

    std::vector<Expr> exprs_;
    std::vector<std::string> texts_;
    std::vector<CodePointSet> sets_;
    std::vector<StringSet> string_sets_;
    std::vector<Rule> rules_;
    RuleId root_ = 0;
};

}  // namespace cria::grammar
