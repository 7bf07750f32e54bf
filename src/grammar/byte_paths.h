// Turns sets of code points into edges over bytes: UTF-8 sequences, and the spellings of characters inside a
// JSON string.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/function_ref.h"
#include "grammar/code_points.h"

namespace cria::grammar {

// Where the edges go: the automaton under construction.
class ByteEdgeSink {
  public:
    virtual ~ByteEdgeSink() = default;
    virtual uint32_t new_node() = 0;
    virtual void add_bytes(uint32_t from, uint8_t first, uint8_t last, uint32_t to) = 0;
};

// Adds paths from `from` to `to` that spell exactly the members of `set` in UTF-8. Members that UTF-8 cannot
// write add nothing.
void add_utf8_paths(ByteEdgeSink& sink, const CodePointSet& set, uint32_t from, uint32_t to);

// The same inside a JSON string: raw where JSON allows it, \" \\ \/ \b \f \n \r \t, \u00XX for control
// characters, and, when the set is everything, \uXXXX for all of Unicode (surrogates only in pairs).
void add_json_character_paths(ByteEdgeSink& sink, const CodePointSet& set, uint32_t from, uint32_t to);

}  // namespace cria::grammar
