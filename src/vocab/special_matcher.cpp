// See special_matcher.h.
#include "vocab/special_matcher.h"

#include <algorithm>
#include <functional>
#include <map>

namespace cria {
namespace {

struct Claim {
    size_t begin, end;
    int32_t id;
};

bool is_c_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Gives the text to tokens, the longest first.
class Claimer {
  public:
    Claimer(const TokenTable& table, const Trie& trie, std::string_view text)
        : table_(table), trie_(trie), text_(text) {}

    std::vector<Claim> run() {
        for (size_t at = 0; at < text_.size(); ++at) {
            if (trie_.has_first_byte(text_[at])) offer(at, SIZE_MAX);
        }
        if (offers_.empty()) return {};
        taken_.resize(text_.size());
        while (!offers_.empty()) {
            auto longest = offers_.begin();
            std::vector<Offer> offers = std::move(longest->second);
            const size_t n_bytes = longest->first;
            offers_.erase(longest);
            std::sort(offers.begin(), offers.end());
            for (const Offer& one : offers) decide(one, n_bytes);
        }
        std::sort(claims_.begin(), claims_.end(),
                  [](const Claim& a, const Claim& b) { return a.begin < b.begin; });
        return std::move(claims_);
    }

  private:
    struct Offer {
        int32_t id;
        size_t at;
        bool operator<(const Offer& other) const { return id != other.id ? id < other.id : at < other.at; }
    };

    void offer(size_t at, size_t limit) {
        const Trie::Match match = trie_.longest_prefix(text_.substr(at), limit);
        if (match.n_bytes > 0) offers_[match.n_bytes].push_back({match.value, at});
    }

    // What is taken so far is at least n_bytes long each, so a conflict shows at the first or the last byte.
    void decide(const Offer& one, size_t n_bytes) {
        if (taken_[one.at]) return;
        if (taken_[one.at + n_bytes - 1]) return offer(one.at, n_bytes - 1);
        Claim claim{one.at, one.at + n_bytes, one.id};
        if (table_.has(one.id, kAttrLeftStrip)) {
            while (claim.begin > 0 && is_c_space(text_[claim.begin - 1]) && !taken_[claim.begin - 1])
                --claim.begin;
        }
        if (table_.has(one.id, kAttrRightStrip)) {
            while (claim.end < text_.size() && is_c_space(text_[claim.end]) && !taken_[claim.end])
                ++claim.end;
        }
        std::fill(taken_.begin() + static_cast<ptrdiff_t>(claim.begin),
                  taken_.begin() + static_cast<ptrdiff_t>(claim.end), true);
        claims_.push_back(claim);
    }

    const TokenTable& table_;
    const Trie& trie_;
    std::string_view text_;
    std::map<size_t, std::vector<Offer>, std::greater<>> offers_;  // by length
    std::vector<bool> taken_;
    std::vector<Claim> claims_;
};

}  // namespace

SpecialMatcher::SpecialMatcher(const TokenTable& table, const std::vector<int32_t>& ordinary)
    : table_(&table) {
    std::vector<Trie::Entry> all, always;
    for (int32_t id = 0; id < table.size(); ++id) {
        if (!table.has(id, kAttrControl | kAttrUserDefined | kAttrUnknown)) continue;
        if (std::binary_search(ordinary.begin(), ordinary.end(), id)) continue;
        all.emplace_back(table.text(id), id);
        if (!table.has(id, kAttrControl | kAttrUnknown)) always.emplace_back(table.text(id), id);
    }
    all_ = Trie(std::move(all));
    always_ = Trie(std::move(always));
}

std::vector<Fragment> SpecialMatcher::partition(std::string_view text, bool parse_special) const {
    std::vector<Fragment> fragments;
    const Trie& trie = parse_special ? all_ : always_;
    size_t at = 0;
    if (!trie.empty()) {
        for (const Claim& claim : Claimer(*table_, trie, text).run()) {
            if (claim.begin > at) fragments.push_back({kNoToken, text.substr(at, claim.begin - at)});
            fragments.push_back({claim.id, text.substr(claim.begin, claim.end - claim.begin)});
            at = claim.end;
        }
    }
    if (at < text.size()) fragments.push_back({kNoToken, text.substr(at)});
    return fragments;
}

}  // namespace cria
