// Shared by the generated calls and the program around them.
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "llama.h"

struct Handles {
    llama_model* model = nullptr;
    llama_context* ctx = nullptr;
    const llama_vocab* vocab = nullptr;
};

// Round 0: zero. 1: the largest value, or NaN. 2: the smallest, or infinity. Enums get numbers they do not
// have.
template <typename T>
T odd_value(int round) {
    if constexpr (std::is_enum_v<T>) {
        const int number = odd_value<int>(round);
        T value{};
        static_assert(sizeof value == sizeof number);
        std::memcpy(&value, &number, sizeof value);
        return value;
    } else if constexpr (std::is_floating_point_v<T>) {
        return round == 0   ? T{0}
               : round == 1 ? std::numeric_limits<T>::quiet_NaN()
                            : std::numeric_limits<T>::infinity();
    } else {
        return round == 0 ? T{0} : round == 1 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    }
}

// Remembers the name for a report, and gives the context something to lose.
void before_call(const char* function, const Handles& handles);

void call_everything(const Handles& handles, int round);
