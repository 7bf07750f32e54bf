// Expressions, by recursive descent. From loose to tight: if-else, or, and, not, comparisons, + -, ~, * / //
// %, **, signs, then subscripts, calls, filters and tests. ** groups from the left and below a sign, as Jinja
// has it.
#include <charconv>
#include <optional>

#include "chat/jinja/names.h"
#include "chat/jinja/parser_base.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

std::string describe(const Token& token) {
    switch (token.kind) {
        case TokenKind::data:
            return "template data / text";
        case TokenKind::block_begin:
            return "begin of statement block";
        case TokenKind::block_end:
            return "end of statement block";
        case TokenKind::print_begin:
            return "begin of print statement";
        case TokenKind::print_end:
            return "end of print statement";
        case TokenKind::integer:
            return "integer";
        case TokenKind::floating:
            return "float";
        case TokenKind::string:
            return "string";
        case TokenKind::end:
            return "end of template";
        case TokenKind::name:
        case TokenKind::op:
            return token.text;
    }
    return token.text;
}

struct OperatorLevel {
    std::string_view text;
    BinaryOp op;
    int level;
};
constexpr int kLevelAdd = 1;
constexpr int kLevelMultiply = 2;
constexpr int kLevelPower = 3;
constexpr OperatorLevel kArithmetic[] = {
    {"+", BinaryOp::add, kLevelAdd},
    {"-", BinaryOp::subtract, kLevelAdd},
    {"*", BinaryOp::multiply, kLevelMultiply},
    {"/", BinaryOp::divide, kLevelMultiply},
    {"//", BinaryOp::floor_divide, kLevelMultiply},
    {"%", BinaryOp::modulo, kLevelMultiply},
    {"**", BinaryOp::power, kLevelPower},
};

constexpr std::pair<std::string_view, CompareOp> kComparisons[] = {
    {"==", CompareOp::equal},      {"!=", CompareOp::not_equal}, {"<", CompareOp::less},
    {"<=", CompareOp::less_equal}, {">", CompareOp::greater},    {">=", CompareOp::greater_equal},
};

}  // namespace

ExpressionParser::ExpressionParser(std::string_view source) : tokens_(tokenize(source)) {}

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.nesting_ > kMaxNesting) {
        const int line = parser_.current().line;
        --parser_.nesting_;
        throw TemplateError("LimitExceeded",
                            fmt::format("brackets or blocks are nested more than {} deep", kMaxNesting),
                            line);
    }
}

bool ExpressionParser::skip_op(std::string_view op) {
    if (!is_op(op)) return false;
    next();
    return true;
}

bool ExpressionParser::skip_word(std::string_view word) {
    if (!is_word(word)) return false;
    next();
    return true;
}

void ExpressionParser::expect_op(std::string_view op) {
    if (skip_op(op)) return;
    if (current().kind == TokenKind::end)
        fail_syntax(fmt::format("unexpected end of template, expected '{}'.", op));
    fail_syntax(fmt::format("expected token '{}', got '{}'", op, describe(current())));
}

std::string ExpressionParser::expect_name() {
    if (current().kind != TokenKind::name) {
        fail_syntax(fmt::format("expected token 'name', got '{}'", describe(current())));
    }
    return next().text;
}

void ExpressionParser::expect(TokenKind kind) {
    if (current().kind != kind) {
        const std::string wanted = describe({kind, {}, 0});
        if (current().kind == TokenKind::end) {
            fail_syntax(fmt::format("unexpected end of template, expected '{}'.", wanted));
        }
        fail_syntax(fmt::format("expected token '{}', got '{}'", wanted, describe(current())));
    }
    next();
}

void ExpressionParser::fail_syntax(const std::string& message) const {
    throw TemplateError("TemplateSyntaxError", message, current().line);
}

void ExpressionParser::fail_unexpected() const {
    fail_syntax(fmt::format("unexpected '{}'", describe(current())));
}

template <typename Node>
ExprPtr ExpressionParser::make(int line, Node node, int depth) {
    if (depth > kMaxExprDepth) {
        throw TemplateError("LimitExceeded",
                            fmt::format("an expression is more than {} operators deep", kMaxExprDepth), line);
    }
    auto expr = std::make_unique<Expr>();
    expr->line = line;
    expr->depth = depth;
    expr->node = std::move(node);
    return expr;
}

int ExpressionParser::depth_of(const Arguments& args) const {
    int depth = std::max(args.star ? args.star->depth : 0, args.star_star ? args.star_star->depth : 0);
    for (const ExprPtr& arg : args.positional) depth = std::max(depth, arg->depth);
    for (const auto& arg : args.named) depth = std::max(depth, arg.second->depth);
    return depth;
}

ExprPtr ExpressionParser::parse_expression() {
    const Level level(*this);
    const int line = current().line;
    const size_t n_unknown = unknown_names_.size();
    ExprPtr expr = parse_or();
    while (skip_word("if")) {
        ExprPtr test = parse_or();
        ExprPtr otherwise = skip_word("else") ? parse_expression() : nullptr;
        // Unknown names inside a conditional only matter when they run.
        unknown_names_.erase(unknown_names_.begin() + static_cast<std::ptrdiff_t>(n_unknown),
                             unknown_names_.end());
        const int depth = 1 + std::max({test->depth, expr->depth, otherwise ? otherwise->depth : 0});
        expr = make(line, Conditional{std::move(test), std::move(expr), std::move(otherwise)}, depth);
    }
    return expr;
}

ExprPtr ExpressionParser::parse_or() {
    const int line = current().line;
    ExprPtr left = parse_and();
    while (skip_word("or")) {
        ExprPtr right = parse_and();
        const int depth = 1 + std::max(left->depth, right->depth);
        left = make(line, Binary{BinaryOp::logical_or, std::move(left), std::move(right)}, depth);
    }
    return left;
}

ExprPtr ExpressionParser::parse_and() {
    const int line = current().line;
    ExprPtr left = parse_not();
    while (skip_word("and")) {
        ExprPtr right = parse_not();
        const int depth = 1 + std::max(left->depth, right->depth);
        left = make(line, Binary{BinaryOp::logical_and, std::move(left), std::move(right)}, depth);
    }
    return left;
}

ExprPtr ExpressionParser::parse_not() {
    if (!is_word("not")) return parse_comparison();
    const Level level(*this);
    const int line = next().line;
    ExprPtr operand = parse_not();
    const int depth = 1 + operand->depth;
    return make(line, Unary{UnaryOp::logical_not, std::move(operand)}, depth);
}

ExprPtr ExpressionParser::parse_comparison() {
    const int line = current().line;
    ExprPtr first = parse_arithmetic(kLevelAdd);
    std::vector<std::pair<CompareOp, ExprPtr>> rest;
    int depth = first->depth;
    while (true) {
        std::optional<CompareOp> op;
        for (const auto& [text, known] : kComparisons) {
            if (is_op(text)) op = known;
        }
        if (is_word("in")) op = CompareOp::in;
        const Token& after = tokens_[std::min(at_ + 1, tokens_.size() - 1)];
        if (is_word("not") && after.kind == TokenKind::name && after.text == "in") {
            next();
            op = CompareOp::not_in;
        }
        if (!op) break;
        next();
        rest.emplace_back(*op, parse_arithmetic(kLevelAdd));
        depth = std::max(depth, rest.back().second->depth);
    }
    if (rest.empty()) return first;
    return make(line, Comparison{std::move(first), std::move(rest)}, depth + 1);
}

// Operators of `level` and tighter; concatenation stands between addition and multiplication.
ExprPtr ExpressionParser::parse_arithmetic(int level) {
    const int line = current().line;
    const auto operand = [&] {
        if (level == kLevelAdd) return parse_concatenation();
        return level == kLevelMultiply ? parse_arithmetic(kLevelPower) : parse_unary(true);
    };
    ExprPtr left = operand();
    while (true) {
        const auto* found = std::find_if(
            std::begin(kArithmetic), std::end(kArithmetic),
            [&](const OperatorLevel& known) { return known.level == level && is_op(known.text); });
        if (found == std::end(kArithmetic)) return left;
        next();
        ExprPtr right = operand();
        const int depth = 1 + std::max(left->depth, right->depth);
        left = make(line, Binary{found->op, std::move(left), std::move(right)}, depth);
    }
}

ExprPtr ExpressionParser::parse_concatenation() {
    const int line = current().line;
    ExprPtr first = parse_arithmetic(kLevelMultiply);
    if (!is_op("~")) return first;
    int depth = first->depth;
    std::vector<ExprPtr> parts;
    parts.push_back(std::move(first));
    while (skip_op("~")) {
        parts.push_back(parse_arithmetic(kLevelMultiply));
        depth = std::max(depth, parts.back()->depth);
    }
    return make(line, Concatenation{std::move(parts)}, depth + 1);
}

ExprPtr ExpressionParser::parse_unary(bool with_filters) {
    const int line = current().line;
    ExprPtr expr;
    if (is_op("-") || is_op("+")) {
        const Level level(*this);
        const UnaryOp op = next().text == "-" ? UnaryOp::minus : UnaryOp::plus;
        ExprPtr operand = parse_unary(false);
        const int depth = 1 + operand->depth;
        expr = make(line, Unary{op, std::move(operand)}, depth);
    } else {
        expr = parse_primary();
    }
    expr = parse_postfix(std::move(expr));
    return with_filters ? parse_filters(std::move(expr), false) : std::move(expr);
}

ExprPtr ExpressionParser::parse_primary() {
    const int line = current().line;
    switch (current().kind) {
        case TokenKind::name:
            return parse_name();
        case TokenKind::integer:
        case TokenKind::floating:
            return parse_number();
        case TokenKind::string: {
            std::string text;
            while (current().kind == TokenKind::string) text += next().text;
            return make(line, Literal{std::move(text)});
        }
        default:
            break;
    }
    if (is_op("[")) return parse_list();
    if (is_op("{")) return parse_dict();
    if (!skip_op("(")) fail_unexpected();
    ExprPtr inner = parse_tuple({.in_brackets = true});
    expect_op(")");
    return inner;
}

ExprPtr ExpressionParser::parse_name() {
    const int line = current().line;
    const std::string name = next().text;
    if (name == "true" || name == "True") return make(line, Literal{true});
    if (name == "false" || name == "False") return make(line, Literal{false});
    if (name == "none" || name == "None") return make(line, Literal{nullptr});
    if (!macros_.empty()) {
        macros_.back().varargs |= name == "varargs";
        macros_.back().kwargs |= name == "kwargs";
        macros_.back().caller |= name == "caller";
    }
    return make(line, Name{name});
}

ExprPtr ExpressionParser::parse_number() {
    const int line = current().line;
    const bool is_float = current().kind == TokenKind::floating;
    std::string digits = next().text;
    const char* end = digits.data() + digits.size();
    if (is_float) {
        double number = 0;
        std::from_chars(digits.data(), end, number);
        return make(line, Literal{number});
    }
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0') {
        const char prefix = static_cast<char>(digits[1] | 0x20);
        base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10;
        if (base != 10) digits.erase(0, 2);
    }
    int64_t number = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (error != std::errc{} || stop != digits.data() + digits.size()) {
        throw TemplateError("TemplateSyntaxError", fmt::format("the number {} does not fit 64 bits", digits),
                            line);
    }
    return make(line, Literal{number});
}

ExprPtr ExpressionParser::parse_list() {
    const int line = next().line;
    ListDisplay list;
    int depth = 0;
    while (!is_op("]")) {
        if (!list.items.empty()) expect_op(",");
        if (is_op("]")) break;
        list.items.push_back(parse_expression());
        depth = std::max(depth, list.items.back()->depth);
    }
    next();
    return make(line, std::move(list), depth + 1);
}

ExprPtr ExpressionParser::parse_dict() {
    const int line = next().line;
    DictDisplay dict;
    int depth = 0;
    while (!is_op("}")) {
        if (!dict.entries.empty()) expect_op(",");
        if (is_op("}")) break;
        ExprPtr key = parse_expression();
        expect_op(":");
        ExprPtr value = parse_expression();
        depth = std::max({depth, key->depth, value->depth});
        dict.entries.emplace_back(std::move(key), std::move(value));
    }
    next();
    return make(line, std::move(dict), depth + 1);
}

bool ExpressionParser::tuple_ends(const TupleRules& rules) const {
    const TokenKind kind = current().kind;
    if (kind == TokenKind::print_end || kind == TokenKind::block_end || is_op(")")) return true;
    return kind == TokenKind::name && (current().text == rules.end_word || current().text == rules.end_word2);
}

ExprPtr ExpressionParser::parse_tuple(const TupleRules& rules) {
    const int line = current().line;
    std::vector<ExprPtr> items;
    bool is_tuple = false;
    int depth = 0;
    while (true) {
        if (!items.empty() && !is_tuple) break;
        if (tuple_ends(rules)) break;
        items.push_back(rules.allow_conditional ? parse_expression() : parse_or());
        depth = std::max(depth, items.back()->depth);
        if (!skip_op(",")) break;
        is_tuple = true;
    }
    if (items.empty() && !rules.in_brackets) {
        fail_syntax(fmt::format("Expected an expression, got '{}'", describe(current())));
    }
    if (!is_tuple && !items.empty()) return std::move(items.front());
    return make(line, ListDisplay{std::move(items), true}, depth + 1);
}

ExprPtr ExpressionParser::parse_postfix(ExprPtr object) {
    while (true) {
        if (is_op(".") || is_op("[")) {
            object = parse_subscript(std::move(object));
        } else if (is_op("(")) {
            object = parse_call(std::move(object));
        } else {
            return object;
        }
    }
}

ExprPtr ExpressionParser::parse_subscript(ExprPtr object) {
    const int line = current().line;
    const int depth = object->depth;
    if (skip_op(".")) {
        if (current().kind == TokenKind::integer) {
            ExprPtr index = parse_number();
            return make(line, Subscript{std::move(object), std::move(index)}, depth + 1);
        }
        if (current().kind != TokenKind::name) fail_syntax("expected name or number");
        return make(line, AttributeOf{std::move(object), next().text}, depth + 1);
    }
    expect_op("[");
    std::vector<ExprPtr> parts(1);
    bool is_slice = false;
    while (!is_op("]")) {
        if (skip_op(":")) {
            is_slice = true;
            parts.emplace_back();
        } else if (parts.back()) {
            break;
        } else {
            parts.back() = parse_expression();
        }
    }
    if (is_op(",") && !is_slice) {  // a tuple as the key
        ListDisplay tuple{{}, true};
        tuple.items.push_back(std::move(parts[0]));
        while (skip_op(",")) tuple.items.push_back(parse_expression());
        int key_depth = 0;
        for (const ExprPtr& item : tuple.items) key_depth = std::max(key_depth, item->depth);
        parts[0] = make(line, std::move(tuple), key_depth + 1);
    }
    expect_op("]");
    if (!is_slice) {
        if (!parts[0]) fail_syntax("expected subscript expression");
        const int index_depth = parts[0]->depth;
        return make(line, Subscript{std::move(object), std::move(parts[0])},
                    1 + std::max(depth, index_depth));
    }
    if (parts.size() > 3) fail_syntax("a slice has at most three parts");
    parts.resize(3);
    int deepest = depth;
    for (const ExprPtr& part : parts) deepest = std::max(deepest, part ? part->depth : 0);
    return make(line,
                SliceOf{std::move(object), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])},
                deepest + 1);
}

Arguments ExpressionParser::parse_arguments() {
    expect_op("(");
    Arguments args;
    const auto check = [&](bool holds) {
        if (!holds) fail_syntax("invalid syntax for function call expression");
    };
    bool is_first = true;
    while (!is_op(")")) {
        if (!is_first) expect_op(",");
        is_first = false;
        if (is_op(")")) break;
        if (skip_op("*")) {
            check(!args.star && !args.star_star);
            args.star = parse_expression();
        } else if (skip_op("**")) {
            check(!args.star_star);
            args.star_star = parse_expression();
        } else if (current().kind == TokenKind::name && tokens_[at_ + 1].kind == TokenKind::op &&
                   tokens_[at_ + 1].text == "=") {
            check(!args.star_star);
            std::string name = next().text;
            next();
            args.named.emplace_back(std::move(name), parse_expression());
        } else {
            check(!args.star && !args.star_star && args.named.empty());
            args.positional.push_back(parse_expression());
        }
    }
    next();
    return args;
}

ExprPtr ExpressionParser::parse_call(ExprPtr callee) {
    const int line = current().line;
    Arguments args = parse_arguments();
    const int depth = 1 + std::max(callee->depth, depth_of(args));
    return make(line, Call{std::move(callee), std::move(args)}, depth);
}

ExprPtr ExpressionParser::parse_filters(ExprPtr input, bool starts_inline) {
    if (starts_inline) input = parse_filter(std::move(input));
    while (true) {
        if (skip_op("|")) {
            input = parse_filter(std::move(input));
        } else if (input && is_word("is")) {
            input = parse_test(std::move(input));
        } else if (input && is_op("(")) {
            input = parse_call(std::move(input));
        } else {
            return input;
        }
    }
}

std::string ExpressionParser::parse_dotted_name() {
    std::string name = expect_name();
    while (skip_op(".")) name += "." + expect_name();
    return name;
}

ExprPtr ExpressionParser::parse_filter(ExprPtr input) {
    const int line = current().line;
    std::string name = parse_dotted_name();
    if (!has_filter(name)) {
        unknown_names_.emplace_back("TemplateAssertionError",
                                    fmt::format("No filter named {}.", quoted_text(name)), line);
    }
    Arguments args;
    if (is_op("(")) args = parse_arguments();
    const int depth = 1 + std::max(input ? input->depth : 0, depth_of(args));
    return make(line, FilterCall{std::move(input), std::move(name), std::move(args)}, depth);
}

ExprPtr ExpressionParser::parse_test(ExprPtr input) {
    const int line = next().line;
    const bool is_negated = skip_word("not");
    std::string name = parse_dotted_name();
    if (!has_test(name)) {
        unknown_names_.emplace_back("TemplateAssertionError",
                                    fmt::format("No test named {}.", quoted_text(name)), line);
    }
    Arguments args;
    const TokenKind kind = current().kind;
    const bool is_value = kind == TokenKind::string || kind == TokenKind::integer ||
                          kind == TokenKind::floating || is_op("[") || is_op("{") ||
                          (kind == TokenKind::name && !is_word("else") && !is_word("or") && !is_word("and") &&
                           !is_word("if") && !is_word("is"));
    if (is_op("(")) {
        args = parse_arguments();
    } else if (is_word("is")) {
        fail_syntax("You cannot chain multiple tests with is");
    } else if (is_value) {
        args.positional.push_back(parse_postfix(parse_primary()));
    }
    const int depth = 1 + std::max(input->depth, depth_of(args));
    ExprPtr test = make(line, TestCall{std::move(input), std::move(name), std::move(args)}, depth);
    if (!is_negated) return test;
    return make(line, Unary{UnaryOp::logical_not, std::move(test)}, depth + 1);
}

}  // namespace cria::chat::jinja
