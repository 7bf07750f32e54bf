// Changing the candidates of a few named tokens: shared by the samplers that do so. Not for other rooms.
#pragma once

#include <algorithm>

#include "sampling/candidates.h"

namespace cria::sampling {

// Calls change(candidate, value) for the candidate of each token of `by_token` (a map from Token). Takes the
// time of the map alone where candidates still stand at the place of their id, else that of all candidates.
// Tokens without a candidate are ignored.
template <typename Map, typename Change>
void for_each_named(CandidateArray& candidates, const Map& by_token, Change change) {
    const auto items = candidates.span();
    const bool in_place = std::all_of(by_token.begin(), by_token.end(), [&](const auto& entry) {
        const auto place = static_cast<size_t>(entry.first);
        return entry.first >= 0 && place < items.size() && items[place].id == entry.first;
    });
    if (in_place) {
        for (const auto& [token, value] : by_token) change(items[static_cast<size_t>(token)], value);
        return;
    }
    for (TokenData& item : items)
        if (const auto entry = by_token.find(item.id); entry != by_token.end()) change(item, entry->second);
}

}  // namespace cria::sampling
