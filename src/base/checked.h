// Arithmetic on numbers that come from outside: every result is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>

namespace cria {

// a + b and a * b, or nothing when the result does not fit.
template <typename T>
std::optional<T> checked_add(T a, T b) {
    T result;
    if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
    return result;
}
template <typename T>
std::optional<T> checked_mul(T a, T b) {
    T result;
    if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
    return result;
}

// The least multiple of `multiple` (a power of two) that is not below `value`, or nothing when it does not
// fit.
inline std::optional<uint64_t> checked_align(uint64_t value, uint64_t multiple) {
    const auto raised = checked_add(value, multiple - 1);
    if (!raised) return std::nullopt;
    return *raised & ~(multiple - 1);
}

// ceil(a / b) for b > 0 and a >= 0.
template <typename T>
constexpr T ceil_div(T a, T b) {
    return (a + b - 1) / b;
}

}  // namespace cria
