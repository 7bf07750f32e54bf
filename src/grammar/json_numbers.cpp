// Bounds become regular expressions over digits: a number above another first differs from it at some digit,
// and is larger there.
#include "grammar/json_numbers.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

StringSet language(const std::string& pattern) { return Regex::compile(pattern).language(RegexUse::whole); }

std::string any_digits(size_t n) { return n == 0 ? "" : fmt::format("\\d{{{}}}", n); }

std::string digit_range(char first, char last) { return fmt::format("[{}-{}]", first, last); }

void add_alternative(std::string& pattern, const std::string& alternative) {
    pattern += (pattern.empty() ? "" : "|") + alternative;
}

// Whole parts above `digits`.
std::string wholes_above(const std::string& digits) {
    std::string pattern;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] == '9') continue;
        add_alternative(pattern, digits.substr(0, i) + digit_range(static_cast<char>(digits[i] + 1), '9') +
                                     any_digits(digits.size() - i - 1));
    }
    add_alternative(pattern, fmt::format("[1-9]\\d{{{},}}", digits.size()));
    return pattern;
}

// Whole parts below `digits`; empty when there are none.
std::string wholes_below(const std::string& digits) {
    std::string pattern;
    const size_t n = digits.size();
    if (n > 1) pattern = fmt::format("0|[1-9]\\d{{0,{}}}", n - 2);
    for (size_t i = 0; i < n; ++i) {
        const char least = i == 0 && n > 1 ? '1' : '0';
        if (digits[i] <= least) continue;
        add_alternative(pattern, digits.substr(0, i) + digit_range(least, static_cast<char>(digits[i] - 1)) +
                                     any_digits(n - i - 1));
    }
    return pattern;
}

// What may follow the whole part of the bound so that the number is at least (or above) it.
std::string fractions_at_least(const std::string& digits, bool is_exclusive) {
    if (digits.empty()) return is_exclusive ? "\\.\\d*[1-9]\\d*" : "(?:\\.\\d+)?";
    std::string pattern;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] != '9')
            add_alternative(
                pattern, digits.substr(0, i) + digit_range(static_cast<char>(digits[i] + 1), '9') + "\\d*");
    }
    add_alternative(pattern, digits + (is_exclusive ? "\\d*[1-9]\\d*" : "\\d*"));
    return "\\.(?:" + pattern + ")";
}

// The same for at most (or below); nothing when no fraction will do.
std::optional<std::string> fractions_at_most(const std::string& digits, bool is_exclusive) {
    if (digits.empty()) return is_exclusive ? std::nullopt : std::optional<std::string>("(?:\\.0+)?");
    std::string pattern;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i > 0) add_alternative(pattern, digits.substr(0, i));
        if (digits[i] != '0')
            add_alternative(
                pattern, digits.substr(0, i) + digit_range('0', static_cast<char>(digits[i] - 1)) + "\\d*");
    }
    if (!is_exclusive) add_alternative(pattern, digits + "0*");
    return "(?:\\.(?:" + pattern + "))?";
}

std::string magnitudes_at_least(const Decimal& bound, bool is_exclusive) {
    return "(?:" + wholes_above(bound.whole) + ")(?:\\.\\d+)?|" + bound.whole +
           fractions_at_least(bound.fraction, is_exclusive);
}

// "[]" is the pattern that matches nothing.
std::string magnitudes_at_most(const Decimal& bound, bool is_exclusive) {
    std::string pattern = "[]";
    const std::string below = wholes_below(bound.whole);
    if (!below.empty()) pattern = "(?:" + below + ")(?:\\.\\d+)?";
    if (const auto fractions = fractions_at_most(bound.fraction, is_exclusive))
        add_alternative(pattern, bound.whole + *fractions);
    return pattern;
}

constexpr const char* kAnyMagnitude = "(?:0|[1-9]\\d*)(?:\\.\\d+)?";

void check_fraction(const Decimal& bound) {
    if (bound.fraction.size() > kMaxBoundDigits) {
        fail(ErrorCode::unsupported, "a bound with more than {} digits after the point: {}", kMaxBoundDigits,
             bound.text());
    }
}

// A bound that leaves room towards zero may come closer to zero: fewer numbers are then written, none of them
// wrong.
Decimal narrowed(Decimal bound) {
    if (bound.whole.size() <= kMaxBoundDigits) return bound;
    return {bound.is_negative, std::string(kMaxBoundDigits, '9'), ""};
}

void refuse_far(const Decimal& bound) {
    if (bound.whole.size() > kMaxBoundDigits) {
        fail(ErrorCode::unsupported,
             "a bound with {} digits leaves only numbers beyond it; bounds may have {}", bound.whole.size(),
             kMaxBoundDigits);
    }
}

}  // namespace

Decimal Decimal::of(const nlohmann::ordered_json& number) {
    char text[64];
    const auto value =
        number.is_number_float()
            ? std::to_chars(text, text + sizeof text, number.get<double>(), std::chars_format::scientific)
        : number.is_number_unsigned() ? std::to_chars(text, text + sizeof text, number.get<uint64_t>())
                                      : std::to_chars(text, text + sizeof text, number.get<int64_t>());
    std::string digits(text, value.ptr);
    Decimal decimal;
    decimal.is_negative = digits[0] == '-';
    if (decimal.is_negative) digits.erase(0, 1);
    int exponent = 0;
    if (const size_t e = digits.find('e'); e != std::string::npos) {
        const char* first = digits.data() + e + 1;
        std::from_chars(*first == '+' ? first + 1 : first, digits.data() + digits.size(), exponent);
        digits.resize(e);
    }
    const size_t point = digits.find('.');
    auto n_whole = static_cast<int>(point == std::string::npos ? digits.size() : point) + exponent;
    if (point != std::string::npos) digits.erase(point, 1);
    if (n_whole < 0) digits.insert(0, static_cast<size_t>(-n_whole), '0');
    n_whole = std::max(n_whole, 0);
    if (digits.size() < static_cast<size_t>(n_whole))
        digits.append(static_cast<size_t>(n_whole) - digits.size(), '0');
    decimal.whole = digits.substr(0, static_cast<size_t>(n_whole));
    decimal.fraction = digits.substr(static_cast<size_t>(n_whole));
    decimal.whole.erase(0, std::min(decimal.whole.find_first_not_of('0'), decimal.whole.size()));
    if (decimal.whole.empty()) decimal.whole = "0";
    while (!decimal.fraction.empty() && decimal.fraction.back() == '0') decimal.fraction.pop_back();
    if (decimal.whole == "0" && decimal.fraction.empty()) decimal.is_negative = false;
    return decimal;
}

std::string Decimal::text() const {
    return (is_negative ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

namespace {

// With a fraction and at most 15 digits in all: such decimals stay apart, and in order, when a reader stores
// them as double. More digits could round onto a bound that was to be excluded, or onto an integer.
std::string precise_fractions() {
    std::string pattern = "0\\.\\d{1,14}";
    for (size_t n_whole = 1; n_whole < 15; ++n_whole) {
        add_alternative(pattern, fmt::format("[1-9]\\d{{{}}}\\.\\d{{1,{}}}", n_whole - 1, 15 - n_whole));
    }
    return "-?(?:" + pattern + ")";
}

}  // namespace

StringSet all_decimals() {
    static const StringSet set = language("-?(?:0|[1-9]\\d*)|" + precise_fractions());
    return set;
}

StringSet integer_decimals() {
    static const StringSet set = language("-?(?:0|[1-9]\\d*)");
    return set;
}

StringSet fractional_decimals() {
    static const StringSet set = language(precise_fractions()).intersected(language(".*\\..*[1-9].*"));
    return set;
}

StringSet decimals_at_least(const Decimal& bound, bool is_exclusive) {
    check_fraction(bound);
    if (bound.is_negative)
        return language(
            fmt::format("{}|-(?:{})", kAnyMagnitude, magnitudes_at_most(narrowed(bound), is_exclusive)));
    refuse_far(bound);
    return language(magnitudes_at_least(bound, is_exclusive));
}

StringSet decimals_at_most(const Decimal& bound, bool is_exclusive) {
    check_fraction(bound);
    const bool is_zero = bound.whole == "0" && bound.fraction.empty();
    if (bound.is_negative || (is_zero && is_exclusive)) {
        refuse_far(bound);
        return language(fmt::format("-(?:{})", magnitudes_at_least(bound, is_exclusive)));
    }
    return language(fmt::format("-{}|{}", kAnyMagnitude, magnitudes_at_most(narrowed(bound), is_exclusive)));
}

StringSet decimals_equal_to(const Decimal& value) {
    return decimals_at_least(value, false).intersected(decimals_at_most(value, false));
}

StringSet integer_multiples(uint32_t divisor) {
    // 0: start, 1: after '-', 2: after a zero, 3 + r: a number that leaves r.
    std::vector<StringSet::State> states(3 + divisor);
    states[0].edges.push_back({{'-', '-'}, 1});
    states[2].accepts = states[3].accepts = true;
    for (uint32_t digit = 0; digit <= 9; ++digit) {
        const CodePointRange range{'0' + digit, '0' + digit};
        for (const uint32_t from : {0u, 1u})
            states[from].edges.push_back({range, digit == 0 ? 2 : 3 + digit % divisor});
        for (uint32_t r = 0; r < divisor; ++r)
            states[3 + r].edges.push_back({range, 3 + (10 * r + digit) % divisor});
    }
    return StringSet(std::move(states));
}

}  // namespace cria::grammar
