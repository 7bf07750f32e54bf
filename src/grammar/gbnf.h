// GBNF, the grammar notation of the llama.cpp family: name ::= alternatives, with literals, classes, groups,
// repetitions and token terminals. The exact syntax is in gbnf.cpp beside the code that reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/function_ref.h"
#include "grammar/grammar.h"

namespace cria::grammar {

// Limits, so that no text can exhaust memory or the stack.
inline constexpr size_t kMaxGbnfBytes = size_t{4}
                                        << 20;  // generated grammars of large schemas reach a few hundred KB
inline constexpr uint32_t kMaxGbnfDepth =
    1000;  // nested groups; each costs a few stack frames here and in the compiler
inline constexpr uint32_t kMaxGbnfRules = 100000;
inline constexpr uint32_t kMaxGbnfRepeat =
    2000;  // the family's limit, also for the product of nested optional repetitions

// What token terminals need to know about the vocabulary.
struct GbnfTokens {
    // The one token whose text is exactly this (a special token such as "<|im_end|>"), or nothing.
    FunctionRef<std::optional<uint32_t>(std::string_view)> find;
    uint32_t n_tokens;
};

struct GbnfOptions {
    std::string_view root = "root";
    const GbnfTokens* tokens = nullptr;  // null: `<text>` is refused, `<[id]>` is not checked
    // Let . and [^...] also match F4 90 to FF before three continuation bytes, which is no UTF-8, as the
    // llama.cpp family does. It makes masks equal to the family's, at the price that tokens of such bytes may
    // be written.
    bool beyond_unicode = false;
};

// Throws Error{invalid_argument} with line and column for anything that is not GBNF, for undefined rules, a
// missing root, and counts or nesting above the limits. Left recursion is found by Program::compile().
Grammar parse_gbnf(std::string_view text, const GbnfOptions& options = {});

}  // namespace cria::grammar
