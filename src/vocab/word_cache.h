// Remembers, during one call, which words were encoded before and where their tokens stand in the output:
// text repeats itself, and finding a word is much cheaper than merging it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cria {

// Direct-mapped. Words are views that must stay valid as long as the cache.
class WordCache {
  public:
    // n_bytes: of the text that will be encoded.
    explicit WordCache(size_t n_bytes)
        : entries_(n_bytes < 256 ? 0 : std::bit_ceil(std::min<size_t>(n_bytes / 8, 1u << 16))) {}

    struct Place {
        size_t begin;  // in the output
        uint32_t n_tokens;
    };

    // Null when the word is not known.
    const Place* find(std::string_view word, uint64_t hash) const {
        if (entries_.empty()) return nullptr;
        const Entry& entry = entries_[hash & (entries_.size() - 1)];
        return entry.hash == hash && entry.word == word ? &entry.place : nullptr;
    }
    void insert(std::string_view word, uint64_t hash, Place place) {
        if (!entries_.empty()) entries_[hash & (entries_.size() - 1)] = {hash, word, place};
    }

  private:
    struct Entry {
        uint64_t hash = 0;
        std::string_view word;
        Place place{};
    };
    std::vector<Entry> entries_;
};

// Appends n_tokens ids that stand earlier in the same list.
inline void repeat_tokens(std::vector<int32_t>& ids, const WordCache::Place& place) {
    const size_t size = ids.size();
    ids.resize(size + place.n_tokens);
    std::copy_n(ids.begin() + static_cast<ptrdiff_t>(place.begin), place.n_tokens,
                ids.begin() + static_cast<ptrdiff_t>(size));
}

}  // namespace cria
