// Regular expressions as trees: the part of ECMAScript that a linear-time engine can have. Everything else is
// refused by its name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "grammar/code_points.h"

namespace cria::grammar {

enum class RegexKind : uint8_t { characters, sequence, choice, repeat, group, assertion };
enum class RegexAssertion : uint8_t { text_begin, text_end, word_boundary, no_word_boundary };

struct RegexNode {
    static constexpr uint32_t kUnlimited = UINT32_MAX;

    RegexKind kind;
    CodePointSet characters;
    RegexAssertion assertion = RegexAssertion::text_begin;
    uint32_t min = 0, max = 0;  // repeat
    bool is_greedy = true;      // repeat
    uint32_t group = 0;         // 1, 2, ... in order of their '('
    std::vector<RegexNode> children;
};

struct RegexTree {
    RegexNode root;
    uint32_t n_groups = 0;
};

inline constexpr size_t kMaxRegexBytes = 64 * 1024;
inline constexpr uint32_t kMaxRegexDepth = 250;  // nested groups; each costs a few stack frames
inline constexpr uint32_t kMaxRegexRepeat =
    20000;  // bound of one repetition; the compiler limits the product

// Throws Error{invalid_argument} with the position for what is no pattern, Error{unsupported} naming
// back-references, look-ahead, look-behind and Unicode properties.
RegexTree parse_regex(std::string_view pattern);

// \w of ECMAScript, which \b is about.
const CodePointSet& regex_word_characters();

}  // namespace cria::grammar
