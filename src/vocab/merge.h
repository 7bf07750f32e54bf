// The loop of byte-pair encoding: of all neighbours that may be joined, join the pair of the best rank, the
// leftmost of equals first, until none is left. Takes n log n time and no stack for any number of symbols.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "vocab/vocab_data.h"

namespace cria {

// A stretch of the word that is being merged.
struct Symbol {
    int32_t id = kNoToken;  // what the kind of vocabulary calls it; kNoToken: joins with nothing
    uint32_t begin = 0;     // bytes in the word
    uint32_t n_bytes = 0;
};

inline constexpr uint32_t kNoMerge = std::numeric_limits<uint32_t>::max();

struct Merge {
    uint32_t rank = kNoMerge;  // lower is better
    int32_t id = kNoToken;     // of the symbol that comes out
};

// Holds the memory of the loop between words. One per thread and call.
class Merger {
  public:
    // The word as symbols; merge() leaves here what remains.
    std::vector<Symbol> symbols;

    // find(left, right) -> Merge of two symbols.
    template <typename Find>
    void merge(Find find) {
        if (symbols.size() < 2) return;
        if (symbols.size() <= kShortWord) {
            merge_short(find);
        } else {
            merge_long(find);
        }
    }

  private:
    // Up to here looking at all pairs again costs less than a heap.
    static constexpr size_t kShortWord = 40;
    static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

    struct Candidate {
        uint32_t rank;
        uint32_t left;     // index of the symbol
        uint32_t n_bytes;  // of both together: tells whether they are still what they were
        int32_t id;
        bool operator<(const Candidate& other) const {  // std heaps have the greatest on top
            return rank != other.rank ? rank > other.rank : left > other.left;
        }
    };

    template <typename Find>
    void merge_short(Find find) {
        Merge pairs[kShortWord];
        size_t n = symbols.size();
        for (size_t i = 0; i + 1 < n; ++i) pairs[i] = find(symbols[i], symbols[i + 1]);
        while (n > 1) {
            size_t best = 0;
            for (size_t i = 1; i + 1 < n; ++i) {
                if (pairs[i].rank < pairs[best].rank) best = i;
            }
            if (pairs[best].rank == kNoMerge) break;
            symbols[best].id = pairs[best].id;
            symbols[best].n_bytes += symbols[best + 1].n_bytes;
            std::copy(symbols.begin() + static_cast<ptrdiff_t>(best) + 2,
                      symbols.begin() + static_cast<ptrdiff_t>(n),
                      symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
            --n;
            if (best + 1 < n) {
                std::copy(pairs + best + 2, pairs + n, pairs + best + 1);
                pairs[best] = find(symbols[best], symbols[best + 1]);
            }
            if (best > 0) pairs[best - 1] = find(symbols[best - 1], symbols[best]);
        }
        symbols.resize(n);
    }

    template <typename Find>
    void merge_long(Find find) {
        const auto n = static_cast<uint32_t>(symbols.size());
        next_.resize(n);
        previous_.resize(n);
        heap_.clear();
        const auto add = [&](uint32_t left, uint32_t right) {
            const Merge found = find(symbols[left], symbols[right]);
            if (found.rank == kNoMerge) return;
            heap_.push_back({found.rank, left, symbols[left].n_bytes + symbols[right].n_bytes, found.id});
        };
        for (uint32_t i = 0; i < n; ++i) {
            next_[i] = i + 1 < n ? i + 1 : kNone;
            previous_[i] = i > 0 ? i - 1 : kNone;
            if (i + 1 < n) add(i, i + 1);
        }
        std::make_heap(heap_.begin(), heap_.end());
        while (!heap_.empty()) {
            const Candidate best = heap_.front();
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.pop_back();
            Symbol& left = symbols[best.left];
            const uint32_t right = next_[best.left];
            if (left.n_bytes == 0 || right == kNone || left.n_bytes + symbols[right].n_bytes != best.n_bytes)
                continue;
            left.id = best.id;
            left.n_bytes = best.n_bytes;
            symbols[right].n_bytes = 0;  // gone
            const uint32_t after = next_[right];
            next_[best.left] = after;
            const auto add_sorted = [&](uint32_t a, uint32_t b) {
                const size_t before = heap_.size();
                add(a, b);
                if (heap_.size() > before) std::push_heap(heap_.begin(), heap_.end());
            };
            if (after != kNone) {
                previous_[after] = best.left;
                add_sorted(best.left, after);
            }
            if (previous_[best.left] != kNone) add_sorted(previous_[best.left], best.left);
        }
        std::erase_if(symbols, [](const Symbol& symbol) { return symbol.n_bytes == 0; });
    }

    std::vector<uint32_t> next_, previous_;
    std::vector<Candidate> heap_;
};

}  // namespace cria
