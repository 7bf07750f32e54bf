// Remembers, during one call, which words were encoded before and where their tokens stand in the output:
// text repeats itself, and finding a word is much cheaper than merging it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace cria {

// Direct-mapped; an entry fills a cache line. Longer words than kLongest are not kept.
class WordCache {
  public:
    static constexpr size_t kLongest = 40;

    // n_bytes: of the text that will be encoded. Short texts get no cache, long ones as much as fits a
    // second-level cache.
    explicit WordCache(size_t n_bytes)
        : entries_(n_bytes < 256 ? 0 : std::bit_ceil(std::min<size_t>(n_bytes / 8, 1u << 14))) {}

    struct Place {
        size_t begin = 0;  // in the output
        uint32_t n_tokens = 0;
    };

    // Null when the word is not known.
    const Place* find(std::string_view word, uint64_t hash) const {
        if (entries_.empty()) return nullptr;
        const Entry& entry = entries_[hash & (entries_.size() - 1)];
        const bool is_same =
            entry.n_bytes == word.size() && std::memcmp(entry.word, word.data(), word.size()) == 0;
        return is_same ? &entry.place : nullptr;
    }
    void insert(std::string_view word, uint64_t hash, const Place& place) {
        if (entries_.empty() || word.size() > kLongest) return;
        Entry& entry = entries_[hash & (entries_.size() - 1)];
        entry.place = place;
        entry.n_bytes = static_cast<uint32_t>(word.size());
        std::memcpy(entry.word, word.data(), word.size());
    }

  private:
    struct alignas(64) Entry {
        Place place{};
        uint32_t n_bytes = 0;  // 0: empty, and no word is
        char word[kLongest];
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
