// Which tokens of a vocabulary have a job: from the ids in the file, from defaults of the kind, and by their
// text.
#pragma once

#include <vector>

#include "vocab/token_table.h"
#include "vocab/vocab_data.h"

namespace cria {

struct SpecialTokens {
    SpecialIds ids;                            // kNoToken where there is none
    std::vector<int32_t> end_of_generation{};  // ascending

    int32_t& operator[](SpecialToken which) { return ids[static_cast<size_t>(which)]; }
    int32_t operator[](SpecialToken which) const { return ids[static_cast<size_t>(which)]; }
};

// Starts from the defaults, takes the ids of the file (those beyond the table are dropped with a warning),
// then looks for known texts where an id is missing, collects the tokens that end generation, and corrects
// attributes in the table: tokens found by text become control tokens, and a few model families get white
// space stripped around theirs.
SpecialTokens find_special_tokens(const VocabData& data, const SpecialIds& defaults, TokenTable& table);

}  // namespace cria
