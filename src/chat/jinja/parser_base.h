// What both halves of the parser share: the token cursor, error texts, and the limits on nesting. Used by
// parser.cpp (statements) and parse_expression.cpp only.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/ast.h"
#include "chat/jinja/lexer.h"
#include "chat/jinja/parser.h"

namespace cria::chat::jinja {

class ExpressionParser {
  public:
    explicit ExpressionParser(std::string_view source);

  protected:
    // Where a tuple without brackets ends, besides the end of the tag.
    struct TupleRules {
        bool allow_conditional = true;
        std::string_view end_word = {};   // "in" or "recursive"
        std::string_view end_word2 = {};  // "if"
        bool in_brackets = false;
    };
    ExprPtr parse_expression();  // with "a if b else c"
    ExprPtr parse_or();
    ExprPtr parse_tuple(const TupleRules& rules);
    ExprPtr parse_filters(ExprPtr input, bool starts_inline);  // input may be null
    ExprPtr parse_postfix(ExprPtr object);
    Arguments parse_arguments();

    const Token& current() const { return tokens_[at_]; }
    const Token& next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    bool is_op(std::string_view op) const { return current().kind == TokenKind::op && current().text == op; }
    bool is_word(std::string_view word) const {
        return current().kind == TokenKind::name && current().text == word;
    }
    bool skip_op(std::string_view op);
    bool skip_word(std::string_view word);
    void expect_op(std::string_view op);
    std::string expect_name();
    void expect(TokenKind kind);
    [[noreturn]] void fail_syntax(const std::string& message) const;
    [[noreturn]] void fail_unexpected() const;

    // Counts one level of nesting while it lives.
    class Level {
      public:
        explicit Level(ExpressionParser& parser);
        ~Level() { --parser_.nesting_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

      private:
        ExpressionParser& parser_;
    };

    // Names that the macro being parsed uses.
    struct MacroUses {
        bool varargs = false, kwargs = false, caller = false;
    };
    std::vector<MacroUses> macros_;
    // Unknown filters and tests that would run unconditionally.
    std::vector<TemplateError> unknown_names_;

  private:
    template <typename Node>
    ExprPtr make(int line, Node node, int depth = 1);
    int depth_of(const Arguments& args) const;
    ExprPtr parse_and();
    ExprPtr parse_not();
    ExprPtr parse_comparison();
    ExprPtr parse_arithmetic(int level);
    ExprPtr parse_concatenation();
    ExprPtr parse_unary(bool with_filters);
    ExprPtr parse_primary();
    ExprPtr parse_name();
    ExprPtr parse_number();
    ExprPtr parse_list();
    ExprPtr parse_dict();
    ExprPtr parse_subscript(ExprPtr object);
    ExprPtr parse_call(ExprPtr callee);
    ExprPtr parse_filter(ExprPtr input);
    ExprPtr parse_test(ExprPtr input);
    std::string parse_dotted_name();
    bool tuple_ends(const TupleRules& rules) const;

    std::vector<Token> tokens_;
    size_t at_ = 0;
    int nesting_ = 0;
};

}  // namespace cria::chat::jinja
