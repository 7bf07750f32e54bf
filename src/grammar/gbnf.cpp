// Recursive descent over the text, one function per construct:
//   rule     = name "::=" choice end-of-line          (newlines allowed after "::=", after "|" and inside
//   groups) choice   = sequence { "|" sequence } sequence = { symbol { "*" | "+" | "?" | "{m}" | "{m,}" |
//   "{m,n}" } } symbol   = "literal" | [class] | . | name | ( choice ) | [!]<[id]> | [!]<text>
#include "grammar/gbnf.h"

#include <string>
#include <unordered_map>

#include "base/error.h"

namespace cria::grammar {
namespace {

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

class GbnfParser {
  public:
    GbnfParser(std::string_view text, const GbnfOptions& options) : text_(text), options_(options) {}

    Grammar parse() {
        if (text_.size() > kMaxGbnfBytes) {
            fail(ErrorCode::invalid_argument, "the grammar text has {} bytes, more than {}", text_.size(),
                 kMaxGbnfBytes);
        }
        skip_space(true);
        while (!at_end()) parse_rule();
        const auto root = rules_.find(std::string(options_.root));
        if (root == rules_.end() || !grammar_.rules()[root->second].body) {
            fail(ErrorCode::invalid_argument,
                 "the grammar has no rule \"{}\", which is where matching starts", options_.root);
        }
        grammar_.set_root(root->second);
        for (const Grammar::Rule& rule : grammar_.rules()) {
            if (!rule.body)
                refuse_at(rule.place, fmt::format("rule \"{}\" is used but not defined", rule.name));
        }
        return std::move(grammar_);
    }

  private:
    // An expression, and what limits the repetitions around it.
    struct Symbol {
        ExprId expr;
        bool may_be_empty_repeat = false;  // comes from an operator that allows zero times
        uint64_t n_optional = 1;           // product of the bounds of the optional repetitions inside
    };

    bool at_end() const { return at_ >= text_.size(); }
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    // Places are mostly asked for in ascending order, so counting goes on from the last one.
    Grammar::Place place_of(size_t at) const {
        if (at < counted_) {
            counted_ = 0;
            counted_place_ = {1, 1};
        }
        for (; counted_ < at; ++counted_) {
            if (text_[counted_] == '\n') {
                counted_place_ = {counted_place_.line + 1, 1};
            } else if ((static_cast<uint8_t>(text_[counted_]) & 0xC0) != 0x80) {
                ++counted_place_.column;
            }
        }
        return counted_place_;
    }
    [[noreturn]] static void refuse_at(Grammar::Place place, const std::string& what) {
        fail(ErrorCode::invalid_argument, "grammar line {}, column {}: {}", place.line, place.column, what);
    }
    [[noreturn]] void refuse(const std::string& what) const { refuse_at(place_of(at_), what); }

    // What stands here, for messages.
    std::string here() const {
        if (at_end()) return "the end of the grammar";
        if (peek() == '\n' || peek() == '\r') return "the end of the line";
        const auto byte = static_cast<uint8_t>(peek());
        return byte >= 0x21 && byte < 0x7F ? fmt::format("'{}'", peek()) : fmt::format("byte 0x{:02x}", byte);
    }

    void skip_space(bool over_lines) {
        while (!at_end()) {
            const char c = peek();
            if (c == '#') {
                while (!at_end() && peek() != '\n' && peek() != '\r') ++at_;
            } else if (c == ' ' || c == '\t' || (over_lines && (c == '\n' || c == '\r'))) {
                ++at_;
            } else {
                return;
            }
        }
    }

    std::string_view parse_name() {
        const size_t start = at_;
        while (is_name_char(peek())) ++at_;
        if (at_ == start) refuse("expected a rule name (letters, digits and '-'), found " + here());
        return text_.substr(start, at_ - start);
    }

    RuleId rule_named(std::string_view name, size_t at) {
        const auto [known, is_new] = rules_.try_emplace(std::string(name), 0);
        if (is_new) {
            if (grammar_.rules().size() >= kMaxGbnfRules)
                refuse(fmt::format("more than {} rules", kMaxGbnfRules));
            known->second = grammar_.add_rule(std::string(name), place_of(at));
        }
        return known->second;
    }

    void parse_rule() {
        const size_t start = at_;
        const std::string_view name = parse_name();
        skip_space(false);
        if (!looking_at("::="))
            refuse(fmt::format("expected ::= after the rule name \"{}\", found {}", name, here()));
        at_ += 3;
        skip_space(true);
        const Grammar::Place place = place_of(start);
        const RuleId rule = rule_named(name, start);
        const ExprId body = parse_choice(0).expr;
        if (looking_at("::="))
            refuse("\"::=\" inside a rule; does the rule before it end in '|' or is it empty?");
        if (!at_end() && peek() != '\n' && peek() != '\r')
            refuse("expected the end of the line, found " + here());
        grammar_.rules()[rule].place = place;
        grammar_.define(rule, body);  // a later definition of the same name replaces this one
        skip_space(true);
    }

    Symbol parse_choice(uint32_t depth) {
        std::vector<ExprId> alternatives;
        Symbol result{};
        const auto add = [&] {
            const Symbol sequence = parse_sequence(depth);
            alternatives.push_back(sequence.expr);
            result.n_optional = std::max(result.n_optional, sequence.n_optional);
        };
        add();
        while (peek() == '|') {
            ++at_;
            skip_space(true);
            add();
        }
        result.expr = grammar_.choice(std::move(alternatives));
        return result;
    }

    Symbol parse_sequence(uint32_t depth) {
        std::vector<ExprId> parts;
        Symbol result{};
        std::optional<Symbol> last;
        while (true) {
            const char c = peek();
            if (c == '*' || c == '+' || c == '?' || c == '{') {
                if (!last) refuse(fmt::format("'{}' has nothing before it to repeat", c));
                last = parse_repeat(*last);
                parts.back() = last->expr;
            } else if (c == '"' || c == '[' || c == '(' || c == '.' || c == '<' || c == '!' ||
                       is_name_char(c)) {
                last = parse_symbol(depth);
                parts.push_back(last->expr);
            } else {
                break;
            }
            result.n_optional = std::max(result.n_optional, last->n_optional);
            skip_space(depth > 0);
        }
        result.expr = grammar_.sequence(std::move(parts));
        return result;
    }

    Symbol parse_symbol(uint32_t depth) {
        const size_t start = at_;
        switch (peek()) {
            case '"':
                return {parse_literal()};
            case '[':
                return {parse_class()};
            case '.':
                ++at_;
                return {grammar_.characters(everything())};
            case '<':
            case '!':
                return {parse_token()};
            case '(': {
                if (depth >= kMaxGbnfDepth)
                    refuse(fmt::format("groups are nested more than {} deep", kMaxGbnfDepth));
                ++at_;
                skip_space(true);
                Symbol group = parse_choice(depth + 1);
                if (peek() != ')') refuse_at(place_of(start), "this '(' is not closed; found " + here());
                ++at_;
                return group;
            }
            default: {
                const std::string_view name = parse_name();
                return {grammar_.rule(rule_named(name, start))};
            }
        }
    }

    uint32_t parse_count() {
        skip_space(true);
        if (peek() < '0' || peek() > '9')
            refuse("expected a number in a repetition such as {2,5}, found " + here());
        uint64_t value = 0;
        while (peek() >= '0' && peek() <= '9') {
            value = std::min<uint64_t>(value * 10 + (peek() - '0'), uint64_t{kMaxGbnfRepeat} + 1);
            ++at_;
        }
        if (value > kMaxGbnfRepeat) refuse(fmt::format("a repetition count is above {}", kMaxGbnfRepeat));
        skip_space(true);
        return static_cast<uint32_t>(value);
    }

    Symbol parse_repeat(const Symbol& what) {
        const char op = text_[at_++];
        uint32_t min = op == '+' ? 1 : 0;
        uint32_t max = op == '?' ? 1 : Grammar::kUnlimited;
        if (op == '{') {
            min = max = parse_count();
            if (peek() == ',') {
                ++at_;
                skip_space(true);
                max = peek() == '}' ? Grammar::kUnlimited : parse_count();
            }
            if (peek() != '}') refuse("expected '}' at the end of a repetition, found " + here());
            ++at_;
            if (max < min)
                refuse(fmt::format("repetition {{{},{}}} has its maximum below its minimum", min, max));
        }
        // The family reads x** as left-recursive; a group makes the meaning explicit.
        if (what.may_be_empty_repeat && max == Grammar::kUnlimited) {
            refuse(
                "a repetition without limit directly after one that may be empty; write (x*)* with "
                "parentheses if you mean it");
        }
        Symbol result{grammar_.repeat(what.expr, min, max), min == 0, what.n_optional};
        if (op == '{' && max != Grammar::kUnlimited && max > min) result.n_optional *= max;
        if (result.n_optional > kMaxGbnfRepeat) {
            refuse(fmt::format("nested optional repetitions multiply to {}, more than {}", result.n_optional,
                               kMaxGbnfRepeat));
        }
        return result;
    }

    uint32_t parse_hex(uint32_t n_digits) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < n_digits; ++i, ++at_) {
            const char c = peek();
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0)
                refuse(
                    fmt::format("expected {} hexadecimal digits in an escape, found {}", n_digits, here()));
            value = value << 4 | static_cast<uint32_t>(digit);
        }
        return value;
    }

    // One code point of a literal or class, escaped or not.
    uint32_t parse_char() {
        if (peek() != '\\') {
            const DecodedCodePoint next = decode_utf8(text_, at_);
            if (next.code_point == DecodedCodePoint::kInvalid) refuse("this is not valid UTF-8: " + here());
            at_ += next.n_bytes;
            return next.code_point;
        }
        ++at_;
        const char letter = peek();
        ++at_;
        switch (letter) {
            case 'x':
                return parse_hex(2);
            case 'u':
                return parse_hex(4);
            case 'U':
                return parse_hex(8);
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case 'n':
                return '\n';
            case '\\':
            case '"':
            case '[':
            case ']':
                return static_cast<uint8_t>(letter);
            default:
                --at_;
                refuse("unknown escape: " + here() + " after a backslash; known are x u U t r n \\ \" [ ]");
        }
    }

    ExprId parse_literal() {
        const size_t start = at_++;
        std::vector<ExprId> parts;
        std::string bytes;
        while (peek() != '"' || at_end()) {
            if (at_end()) refuse_at(place_of(start), "this literal is not closed");
            const uint32_t code_point = parse_char();
            if (CodePointSet::all().contains(code_point)) {
                append_utf8(bytes, code_point);
            } else {  // a surrogate or beyond Unicode: no text matches it
                parts.push_back(grammar_.literal(bytes));
                parts.push_back(grammar_.characters({}));
                bytes.clear();
            }
        }
        ++at_;
        parts.push_back(grammar_.literal(bytes));
        return grammar_.sequence(std::move(parts));
    }

    CodePointSet beyond_unicode() const {
        return options_.beyond_unicode ? CodePointSet{{kMaxCodePoint + 1, kMaxUtf8Pattern}} : CodePointSet();
    }
    CodePointSet everything() const { return CodePointSet::all().united(beyond_unicode()); }

    ExprId parse_class() {
        const size_t start = at_++;
        const bool is_negated = peek() == '^';
        if (is_negated) ++at_;
        std::vector<CodePointRange> ranges;
        while (peek() != ']' || at_end()) {
            if (at_end()) refuse_at(place_of(start), "this class is not closed");
            const uint32_t first = parse_char();
            uint32_t last = first;
            if (peek() == '-' && peek(1) != ']') {
                ++at_;
                if (at_end()) refuse_at(place_of(start), "this class is not closed");
                last = parse_char();
            }
            ranges.push_back({first, last});
        }
        ++at_;
        if (ranges.empty()) {
            if (is_negated) refuse_at(place_of(start), "[^] excludes nothing; write . for any character");
            return grammar_.literal("");  // the family's meaning of []
        }
        // What a class names itself is Unicode only, so that \U00110000 and above match nothing.
        const CodePointSet set = CodePointSet(std::move(ranges)).intersected(CodePointSet::all());
        return grammar_.characters(is_negated ? set.complement().united(beyond_unicode()) : set);
    }

    ExprId parse_token() {
        const size_t start = at_;
        const bool is_negated = peek() == '!';
        if (is_negated) ++at_;
        if (peek() != '<') refuse("expected < after !, found " + here());
        const size_t close = text_.find('>', at_);
        if (close == std::string_view::npos ||
            text_.substr(at_, close - at_).find('\n') != std::string_view::npos) {
            refuse("this token terminal is not closed with >");
        }
        const std::string_view text = text_.substr(at_, close + 1 - at_);
        if (!text.starts_with("<[")) {
            at_ = close + 1;
            return grammar_.token(token_by_text(text, start), is_negated);
        }
        at_ += 2;
        uint64_t id = 0;
        const size_t digits = at_;
        for (; peek() >= '0' && peek() <= '9'; ++at_)
            id = std::min<uint64_t>(id * 10 + (peek() - '0'), INT32_MAX);
        if (at_ == digits || !looking_at("]>"))
            refuse("a token by its number is written <[123]>, found " + here());
        at_ += 2;
        if (id == INT32_MAX || (options_.tokens != nullptr && id >= options_.tokens->n_tokens)) {
            refuse_at(place_of(start), "token " + std::string(text) + " is beyond the vocabulary");
        }
        return grammar_.token(static_cast<uint32_t>(id), is_negated);
    }

    uint32_t token_by_text(std::string_view text, size_t start) const {
        const std::string name(text);
        if (options_.tokens == nullptr) {
            refuse_at(place_of(start),
                      "token " + name + " is named by its text, which needs a vocabulary; write <[id]>");
        }
        const std::optional<uint32_t> id = options_.tokens->find(text);
        if (!id)
            refuse_at(place_of(start), name + " is not the text of one token; write a literal \"" + name +
                                           "\" for plain text");
        return *id;
    }

    std::string_view text_;
    const GbnfOptions& options_;
    size_t at_ = 0;
    mutable size_t counted_ = 0;
    mutable Grammar::Place counted_place_{1, 1};
    Grammar grammar_;
    std::unordered_map<std::string, RuleId> rules_;
};

}  // namespace

Grammar parse_gbnf(std::string_view text, const GbnfOptions& options) {
    return GbnfParser(text, options).parse();
}

}  // namespace cria::grammar
