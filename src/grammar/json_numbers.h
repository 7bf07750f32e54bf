// Sets of spellings of JSON numbers: bounds, integers, multiples. All are plain decimals without exponent.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "grammar/string_set.h"

namespace cria::grammar {

// A decimal of any length: sign, digits before the point (no leading zeros, at least "0") and after it (no
// trailing zeros).
struct Decimal {
    bool is_negative = false;
    std::string whole = "0";
    std::string fraction;

    // The shortest decimal that reads back as the same number, for those stored as double.
    static Decimal of(const nlohmann::ordered_json& number);
    bool is_integer() const { return fraction.empty(); }
    std::string text() const;
};

// Longer bounds than this do not occur outside of "the largest double"; they are narrowed or refused.
inline constexpr size_t kMaxBoundDigits = 40;

// Integers of any length, and numbers with a fraction and at most 15 digits.
StringSet all_decimals();
StringSet integer_decimals();
// Decimals that are no integers.
StringSet fractional_decimals();
// Throws Error{unsupported} for a bound with more than kMaxBoundDigits digits after the point, or so far from
// zero that nothing sensible lies beyond it.
StringSet decimals_at_least(const Decimal& bound, bool is_exclusive);
StringSet decimals_at_most(const Decimal& bound, bool is_exclusive);
StringSet decimals_equal_to(const Decimal& value);
// Integers divisible by `divisor`, which is 1..kMaxDivisor.
StringSet integer_multiples(uint32_t divisor);
inline constexpr uint32_t kMaxDivisor = 5000;  // one state of the automaton per remainder and sign

}  // namespace cria::grammar
