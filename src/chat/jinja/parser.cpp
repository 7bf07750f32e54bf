// Statements: one function per tag.
#include "chat/jinja/parser.h"

#include "chat/jinja/parser_base.h"

namespace cria::chat::jinja {
namespace {

using Words = std::vector<std::string_view>;

class Parser : private ExpressionParser {
  public:
    explicit Parser(std::string_view source) : ExpressionParser(source) {}

    Body run() {
        Body body = parse_body({});
        if (!unknown_names_.empty()) throw unknown_names_.front();
        return body;
    }

  private:
    // Statements up to a tag whose word is in `ends`; the cursor stops at that word. Without ends: up to the
    // end.
    Body parse_body(const Words& ends) {
        const Level level(*this);
        if (!ends.empty()) open_.push_back({tag_, ends});
        Body body;
        while (current().kind != TokenKind::end) {
            if (current().kind == TokenKind::data) {
                const int line = current().line;
                body.push_back({line, Data{next().text}});
            } else if (current().kind == TokenKind::print_begin) {
                const int line = next().line;
                body.push_back({line, Print{parse_tuple({})}});
                expect(TokenKind::print_end);
            } else {
                expect(TokenKind::block_begin);
                if (is_one_of(ends)) {
                    open_.pop_back();
                    return body;
                }
                body.push_back(parse_statement());
                expect(TokenKind::block_end);
            }
        }
        if (!ends.empty()) fail_syntax("Unexpected end of template." + looking_for());
        return body;
    }

    // The body of a tag that has just been read, and its end word.
    Body parse_block(const Words& ends) {
        skip_op(":");
        expect(TokenKind::block_end);
        return parse_body(ends);
    }

    bool is_one_of(const Words& words) const {
        return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is_word(word); });
    }

    std::string looking_for() const {
        if (open_.empty()) return {};
        std::string words;
        for (const std::string_view word : open_.back().ends) {
            words += (words.empty() ? "" : " or ") + fmt::format("'{}'", word);
        }
        return fmt::format(
            " Jinja was looking for the following tags: {}. The innermost block that needs to be closed is "
            "'{}'.",
            words, open_.back().tag);
    }

    Stmt parse_statement() {
        if (current().kind != TokenKind::name) fail_syntax("tag name expected");
        const int line = current().line;
        const std::string outer_tag = tag_;
        tag_ = next().text;
        Stmt statement{line, parse_tag(tag_)};
        tag_ = outer_tag;
        return statement;
    }

    decltype(Stmt::node) parse_tag(const std::string& tag) {
        if (tag == "if") return parse_if();
        if (tag == "for") return parse_for();
        if (tag == "set") return parse_set();
        if (tag == "macro") return parse_macro();
        if (tag == "call") return parse_call_block();
        if (tag == "filter") return parse_filter_block();
        if (tag == "with") return parse_with();
        if (tag == "print") return Print{parse_tuple({})};
        if (tag == "generation") return Group{close(parse_block({"endgeneration"}))};
        if (tag == "autoescape") return parse_autoescape();
        if (tag == "block") return parse_named_block();
        if (tag == "break" && n_loops_ > 0) return Break{};
        if (tag == "continue" && n_loops_ > 0) return Continue{};
        if (tag == "include" || tag == "import" || tag == "from" || tag == "extends") {
            while (current().kind != TokenKind::block_end && current().kind != TokenKind::end) next();
            return NeedsLoader{};
        }
        fail_syntax(fmt::format("Encountered unknown tag '{}'.{}", tag, looking_for()));
    }

    // Passes the end word.
    Body close(Body body) {
        next();
        return body;
    }

    If parse_if() {
        If statement;
        const size_t n_unknown = unknown_names_.size();
        ExprPtr test = parse_tuple({.allow_conditional = false});
        while (true) {
            Body body = parse_block({"elif", "else", "endif"});
            statement.branches.emplace_back(std::move(test), std::move(body));
            const std::string word = next().text;
            if (word == "elif") {
                test = parse_tuple({.allow_conditional = false});
                continue;
            }
            if (word == "else") statement.otherwise = close(parse_block({"endif"}));
            break;
        }
        unknown_names_.erase(unknown_names_.begin() + static_cast<std::ptrdiff_t>(n_unknown),
                             unknown_names_.end());
        return statement;
    }

    For parse_for() {
        For loop;
        loop.target = parse_target("in");
        if (!skip_word("in")) fail_syntax("expected token 'in'");
        loop.iterable = parse_tuple({.allow_conditional = false, .end_word = "recursive", .end_word2 = "if"});
        if (skip_word("if")) loop.filter = parse_expression();
        loop.is_recursive = skip_word("recursive");
        ++n_loops_;
        loop.body = parse_block({"endfor", "else"});
        --n_loops_;
        if (next().text == "else") loop.otherwise = close(parse_block({"endfor"}));
        return loop;
    }

    Target parse_one_target() {
        const std::string name = expect_name();
        for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
            if (name == constant) fail_syntax("can't assign to 'const'");
        }
        if (!skip_op(".")) return {name, {}, {}};
        return {name, expect_name(), {}};
    }

    // One target, or several with commas, with or without brackets, before `end_word`.
    Target parse_target(std::string_view end_word) {
        const Level level(*this);
        Target several;
        bool is_tuple = false;
        while (true) {
            if (skip_op("(")) {
                several.parts.push_back(parse_target(")"));
                expect_op(")");
            } else if (current().kind == TokenKind::name && !is_word(end_word)) {
                several.parts.push_back(parse_one_target());
            } else if (is_tuple) {
                break;
            } else {
                report_bad_target();
            }
            if (!skip_op(",")) break;
            is_tuple = true;
        }
        if (is_tuple) return several;
        Target one = std::move(several.parts.front());
        return one;
    }

    [[noreturn]] void report_bad_target() {
        const TokenKind kind = current().kind;
        if (kind == TokenKind::integer || kind == TokenKind::floating || kind == TokenKind::string) {
            fail_syntax("can't assign to 'const'");
        }
        parse_tuple({.allow_conditional = false});  // says what is wrong here
        fail_syntax("can't assign to an expression");
    }

    decltype(Stmt::node) parse_set() {
        Target target = parse_target("=");
        if (skip_op("=")) return Set{std::move(target), parse_tuple({})};
        ExprPtr filter = parse_filters(nullptr, false);
        Body body = close(parse_block({"endset"}));
        return SetBlock{std::move(target), std::move(filter), std::move(body)};
    }

    void parse_parameters(MacroDefinition& macro) {
        expect_op("(");
        while (!is_op(")")) {
            if (!macro.parameters.empty()) expect_op(",");
            if (is_op(")")) break;
            macro.parameters.push_back(expect_name());
            if (skip_op("=")) {
                macro.defaults.push_back(parse_expression());
            } else if (!macro.defaults.empty()) {
                fail_syntax("non-default argument follows default argument");
            }
        }
        next();
    }

    void parse_macro_body(MacroDefinition& macro, std::string_view end_word) {
        const int n_loops = std::exchange(n_loops_, 0);
        macros_.emplace_back();
        macro.body = close(parse_block({end_word}));
        macro.uses_varargs = macros_.back().varargs;
        macro.uses_kwargs = macros_.back().kwargs;
        macro.uses_caller = macros_.back().caller;
        macros_.pop_back();
        n_loops_ = n_loops;
    }

    std::shared_ptr<const MacroDefinition> parse_macro() {
        auto macro = std::make_shared<MacroDefinition>();
        macro->name = expect_name();
        parse_parameters(*macro);
        parse_macro_body(*macro, "endmacro");
        return macro;
    }

    CallBlock parse_call_block() {
        CallBlock block;
        block.caller.name = "caller";
        if (is_op("(")) parse_parameters(block.caller);
        block.call = parse_expression();
        if (!std::holds_alternative<Call>(block.call->node)) fail_syntax("expected call");
        parse_macro_body(block.caller, "endcall");
        return block;
    }

    FilterBlock parse_filter_block() {
        FilterBlock block;
        block.filter = parse_filters(nullptr, true);
        block.body = close(parse_block({"endfilter"}));
        return block;
    }

    With parse_with() {
        With with;
        while (current().kind != TokenKind::block_end) {
            if (!with.values.empty()) expect_op(",");
            Target target = parse_one_target();
            expect_op("=");
            with.values.emplace_back(std::move(target), parse_expression());
        }
        with.body = close(parse_block({"endwith"}));
        return with;
    }

    Group parse_autoescape() {
        parse_expression();
        return {close(parse_block({"endautoescape"}))};
    }

    Group parse_named_block() {
        const std::string name = expect_name();
        while (current().kind == TokenKind::name) next();  // scoped, required
        Group group{close(parse_block({"endblock"}))};
        skip_word(name);
        return group;
    }

    struct OpenTag {
        std::string tag;
        Words ends;
    };
    std::vector<OpenTag> open_;
    std::string tag_;
    int n_loops_ = 0;
};

}  // namespace

Body parse(std::string_view source) {
    if (source.size() > kMaxTemplateBytes) {
        raise("LimitExceeded", "the template has {} bytes; at most {} are read", source.size(),
              kMaxTemplateBytes);
    }
    return Parser(source).run();
}

}  // namespace cria::chat::jinja
