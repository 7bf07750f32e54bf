// Recursive descent over a pattern. ECMAScript's lenient readings are kept where they are harmless: '{' that
// begins no repetition, ']' and '}' outside stand for themselves.
#include "grammar/regex_syntax.h"

#include <optional>
#include <string>

#include "base/error.h"

namespace cria::grammar {
namespace {

const CodePointSet& digits() {
    static const CodePointSet set{{'0', '9'}};
    return set;
}

const CodePointSet& spaces() {
    static const CodePointSet set{{'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680},
                                  {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                                  {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    return set;
}

const CodePointSet& all_but_line_ends() {
    static const CodePointSet set = CodePointSet{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.complement();
    return set;
}

RegexNode node(RegexKind kind) {
    RegexNode made{};
    made.kind = kind;
    return made;
}

RegexNode characters(CodePointSet set) {
    RegexNode made = node(RegexKind::characters);
    made.characters = std::move(set);
    return made;
}

RegexNode assertion(RegexAssertion what) {
    RegexNode made = node(RegexKind::assertion);
    made.assertion = what;
    return made;
}

bool is_letter_or_digit(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

class RegexParser {
  public:
    explicit RegexParser(std::string_view pattern) : pattern_(pattern) {}

    RegexTree parse() {
        if (pattern_.size() > kMaxRegexBytes) {
            fail(ErrorCode::invalid_argument, "a regular expression has {} bytes, more than {}",
                 pattern_.size(), kMaxRegexBytes);
        }
        RegexTree tree{parse_choice(0), 0};
        if (!at_end()) refuse("an unopened ')'");
        tree.n_groups = n_groups_;
        return tree;
    }

  private:
    bool at_end() const { return at_ >= pattern_.size(); }
    char peek(size_t ahead = 0) const { return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0'; }
    bool skip(std::string_view what) {
        if (!pattern_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    std::string shown() const {
        return std::string(pattern_.substr(0, 100)) + (pattern_.size() > 100 ? "..." : "");
    }
    [[noreturn]] void refuse(std::string_view what) const {
        fail(ErrorCode::invalid_argument, "regular expression '{}', at byte {}: {}", shown(), at_, what);
    }
    [[noreturn]] void refuse_unsupported(std::string_view what) const {
        fail(ErrorCode::unsupported,
             "regular expression '{}', at byte {}: {} cannot be matched in linear time and are not "
             "supported; write the pattern without",
             shown(), at_, what);
    }

    RegexNode parse_choice(uint32_t depth) {
        RegexNode choice = node(RegexKind::choice);
        choice.children.push_back(parse_sequence(depth));
        while (skip("|")) choice.children.push_back(parse_sequence(depth));
        return choice.children.size() == 1 ? std::move(choice.children.front()) : choice;
    }

    RegexNode parse_sequence(uint32_t depth) {
        RegexNode sequence = node(RegexKind::sequence);
        while (!at_end() && peek() != '|' && peek() != ')') {
            RegexNode atom = parse_atom(depth);
            const bool can_repeat = atom.kind != RegexKind::assertion;
            sequence.children.push_back(parse_quantifier(std::move(atom), can_repeat));
        }
        return sequence;
    }

    RegexNode parse_quantifier(RegexNode what, bool can_repeat) {
        uint32_t min = 0, max = RegexNode::kUnlimited;
        if (skip("?")) {
            max = 1;
        } else if (skip("+")) {
            min = 1;
        } else if (!skip("*") && !parse_braces(min, max)) {
            return what;
        }
        if (!can_repeat) refuse("a repetition of ^, $ or \\b");
        RegexNode repeat = node(RegexKind::repeat);
        repeat.min = min;
        repeat.max = max;
        repeat.is_greedy = !skip("?");
        repeat.children.push_back(std::move(what));
        if (peek() == '*' || peek() == '+' || peek() == '?')
            refuse("a repetition directly after a repetition");
        return repeat;
    }

    // {m}, {m,} or {m,n}; anything else that begins with '{' is left alone.
    bool parse_braces(uint32_t& min, uint32_t& max) {
        if (peek() != '{') return false;
        const size_t start = at_++;
        const auto number = [&]() -> std::optional<uint32_t> {
            if (peek() < '0' || peek() > '9') return std::nullopt;
            uint64_t value = 0;
            for (; peek() >= '0' && peek() <= '9'; ++at_)
                value = std::min<uint64_t>(value * 10 + (peek() - '0'), UINT32_MAX);
            return static_cast<uint32_t>(value);
        };
        const auto first = number();
        std::optional<uint32_t> last = first;
        if (first && skip(",")) {
            last = number();
            if (!last) last = RegexNode::kUnlimited;
        }
        if (!first || !skip("}")) {
            at_ = start;
            return false;
        }
        if (*first > kMaxRegexRepeat || (*last > kMaxRegexRepeat && *last != RegexNode::kUnlimited)) {
            refuse(fmt::format("a repetition of more than {}", kMaxRegexRepeat));
        }
        if (*last < *first) refuse("a repetition with its maximum below its minimum");
        min = *first;
        max = *last;
        return true;
    }

    RegexNode parse_atom(uint32_t depth) {
        switch (peek()) {
            case '(':
                return parse_group(depth);
            case '[':
                return characters(parse_class());
            case '.':
                ++at_;
                return characters(all_but_line_ends());
            case '^':
                ++at_;
                return assertion(RegexAssertion::text_begin);
            case '$':
                ++at_;
                return assertion(RegexAssertion::text_end);
            case '*':
            case '+':
            case '?':
                refuse("a repetition of nothing");
            case '\\':
                if (skip("\\b")) return assertion(RegexAssertion::word_boundary);
                if (skip("\\B")) return assertion(RegexAssertion::no_word_boundary);
                return characters(parse_escape(false));
            default: {
                const uint32_t c = take_character();
                return characters({{c, c}});
            }
        }
    }

    RegexNode parse_group(uint32_t depth) {
        if (depth >= kMaxRegexDepth)
            refuse(fmt::format("groups are nested more than {} deep", kMaxRegexDepth));
        const size_t start = at_;
        skip("(");
        bool is_capturing = true;
        if (skip("?:")) {
            is_capturing = false;
        } else if (peek() == '?') {
            if (peek(1) == '=' || peek(1) == '!') refuse_unsupported("look-aheads");
            if (peek(1) == '<' && (peek(2) == '=' || peek(2) == '!')) refuse_unsupported("look-behinds");
            if (!skip("?<")) refuse("an unknown kind of group after '(?'");
            while (!at_end() &&
                   (is_letter_or_digit(static_cast<uint8_t>(peek())) || peek() == '_' || peek() == '$'))
                ++at_;
            if (!skip(">")) refuse("a group name that does not end with '>'");
        }
        const uint32_t index = is_capturing ? ++n_groups_ : 0;
        RegexNode inside = parse_choice(depth + 1);
        if (!skip(")")) {
            at_ = start;
            refuse("this '(' is not closed");
        }
        if (!is_capturing) return inside.kind == RegexKind::assertion ? wrapped(std::move(inside)) : inside;
        RegexNode group = node(RegexKind::group);
        group.group = index;
        group.children.push_back(std::move(inside));
        return group;
    }
    static RegexNode wrapped(RegexNode inside) {
        RegexNode sequence = node(RegexKind::sequence);
        sequence.children.push_back(std::move(inside));
        return sequence;
    }

    uint32_t take_character() {
        const DecodedCodePoint next = decode_utf8(pattern_, at_);
        if (next.code_point == DecodedCodePoint::kInvalid) refuse("bytes that are not UTF-8");
        at_ += next.n_bytes;
        return next.code_point;
    }

    uint32_t take_hex(uint32_t n_digits) {
        uint32_t value = 0;
        for (uint32_t i = 0; i < n_digits; ++i, ++at_) {
            const char c = peek();
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (digit < 0) refuse("an escape that needs more hexadecimal digits");
            value = value << 4 | static_cast<uint32_t>(digit);
        }
        return value;
    }

    // After "\u": four digits, a surrogate pair of two such escapes, or {digits}.
    uint32_t take_unicode_escape() {
        if (skip("{")) {
            uint32_t value = 0;
            while (!at_end() && peek() != '}') {
                value = value << 4 | take_hex(1);
                if (value > kMaxCodePoint) refuse("a code point beyond U+10FFFF");
            }
            if (!skip("}")) refuse("an escape that is not closed with '}'");
            return value;
        }
        const uint32_t first = take_hex(4);
        if (first < 0xD800 || first > 0xDBFF || peek() != '\\' || peek(1) != 'u') return first;
        const size_t second_at = at_;
        at_ += 2;
        const uint32_t second = take_hex(4);
        if (second >= 0xDC00 && second <= 0xDFFF)
            return 0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00));
        at_ = second_at;
        return first;
    }

    CodePointSet parse_escape(bool in_class) {
        skip("\\");
        if (at_end()) refuse("a backslash at the end");
        const uint32_t c = take_character();
        const auto one = [](uint32_t code_point) { return CodePointSet{{code_point, code_point}}; };
        switch (c) {
            case 'd':
                return digits();
            case 'D':
                return digits().complement();
            case 'w':
                return regex_word_characters();
            case 'W':
                return regex_word_characters().complement();
            case 's':
                return spaces();
            case 'S':
                return spaces().complement();
            case 't':
                return one('\t');
            case 'n':
                return one('\n');
            case 'v':
                return one('\v');
            case 'f':
                return one('\f');
            case 'r':
                return one('\r');
            case 'b':
                if (in_class) return one('\b');
                break;
            case 'x':
                return one(take_hex(2));
            case 'u':
                return one(take_unicode_escape());
            case 'c': {
                const uint32_t letter = take_character();
                if (!is_letter_or_digit(letter) || letter <= '9') refuse("\\c without a letter");
                return one(letter % 32);
            }
            case 'p':
            case 'P':
                fail(ErrorCode::unsupported,
                     "regular expression '{}', at byte {}: Unicode properties (\\p) are not supported; list "
                     "the characters",
                     shown(), at_);
            case 'k':
                refuse_unsupported("back-references");
            case '0':
                if (peek() < '0' || peek() > '9') return one(0);
                [[fallthrough]];
            default:
                break;
        }
        if (c >= '0' && c <= '9')
            in_class ? refuse("an octal escape") : refuse_unsupported("back-references");
        if (is_letter_or_digit(c)) refuse("an unknown escape");
        return one(c);
    }

    CodePointSet parse_class() {
        const size_t start = at_;
        skip("[");
        const bool is_negated = skip("^");
        CodePointSet set;
        while (peek() != ']' || at_end()) {
            if (at_end()) {
                at_ = start;
                refuse("this '[' is not closed");
            }
            const CodePointSet first = class_member();
            if (peek() != '-' || peek(1) == ']' || at_ + 1 >= pattern_.size()) {
                set = set.united(first);
                continue;
            }
            skip("-");
            const CodePointSet last = class_member();
            const auto single = [](const CodePointSet& s) {
                return s.ranges().size() == 1 && s.ranges()[0].first == s.ranges()[0].last;
            };
            if (!single(first) || !single(last)) {  // [\w-x]: the dash is a character
                set = set.united(first).united({{'-', '-'}}).united(last);
                continue;
            }
            const CodePointRange range{first.ranges()[0].first, last.ranges()[0].last};
            if (range.first > range.last) refuse("a range out of order");
            set = set.united({range});
        }
        skip("]");
        return is_negated ? set.complement() : set;
    }
    CodePointSet class_member() {
        if (peek() == '\\') return parse_escape(true);
        const uint32_t c = take_character();
        return {{c, c}};
    }

    std::string_view pattern_;
    size_t at_ = 0;
    uint32_t n_groups_ = 0;
};

}  // namespace

const CodePointSet& regex_word_characters() {
    static const CodePointSet set{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    return set;
}

RegexTree parse_regex(std::string_view pattern) { return RegexParser(pattern).parse(); }

}  // namespace cria::grammar
