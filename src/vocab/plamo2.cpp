// PLaMo-2: the segmentation of the whole text with the best sum of scores, found from the end. A character
// that no token begins with becomes its UTF-8 bytes. After the tokenizer published with PLaMo-2, which counts
// scores in units of 1e-4.
#include <cmath>
#include <limits>

#include "base/error.h"
#include "vocab/tokenizer.h"
#include "vocab/trie.h"
#include "vocab/utf8.h"

namespace cria {
namespace {

constexpr int64_t kUnknownCost = 10'000'000;
constexpr double kUnitsPerScore = 1e4;

class Plamo2Tokenizer final : public Tokenizer {
  public:
    Plamo2Tokenizer(const TokenTable& table, const TokenizerOptions& options)
        : table_(table), unknown_(options.unknown), byte_ids_(byte_token_ids(table)) {
        std::vector<Trie::Entry> entries;
        costs_.resize(static_cast<size_t>(table.size()));
        for (int32_t id = 0; id < table.size(); ++id) {
            if (!table.has(id, kAttrNormal | kAttrUserDefined) || !std::isfinite(table.score(id))) continue;
            // Within a range where a text of a terabyte would not overflow the sum.
            const double cost = std::nearbyint(-static_cast<double>(table.score(id)) * kUnitsPerScore);
            costs_[static_cast<size_t>(id)] =
                static_cast<int64_t>(std::fmin(std::fmax(cost, -1e6), 1e6 * kUnitsPerScore));
            entries.emplace_back(table.text(id), id);
        }
        trie_ = Trie(std::move(entries));
    }

    void encode(std::string_view text, Output& output) const override {
        std::vector<int32_t>& ids = output.ids;
        std::string repaired;
        text = utf8::repair(text, repaired);
        const std::vector<Step> steps = best_steps(text);
        for (size_t at = 0; at < text.size(); at += steps[at].n_bytes) {
            if (steps[at].id != kNoToken) {
                ids.push_back(steps[at].id);
                continue;
            }
            for (const char byte : text.substr(at, steps[at].n_bytes)) {
                const int32_t id = byte_ids_[static_cast<unsigned char>(byte)];
                if (id != kNoToken || unknown_ != kNoToken) ids.push_back(id != kNoToken ? id : unknown_);
            }
        }
    }

    std::string piece(int32_t id) const override {
        if (table_.has(id, kAttrByte)) return {static_cast<char>(parse_byte_token(table_.text(id)))};
        return std::string(table_.text(id));
    }

  private:
    struct Step {
        int64_t cost = 0;  // of everything from here to the end
        uint32_t n_bytes = 0;
        int32_t id = kNoToken;
    };

    // The best first step from every character; of equal ones the longest.
    std::vector<Step> best_steps(std::string_view text) const {
        std::vector<Step> steps(text.size() + 1);
        for (size_t at = text.size(); at-- > 0;) {
            if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
            const uint32_t n_char = utf8::claimed_bytes(text[at]);
            Step best{kUnknownCost + steps[at + n_char].cost, n_char, kNoToken};
            trie_.for_each_prefix(text.substr(at), [&](size_t n_bytes, int32_t id) {
                const int64_t cost = costs_[static_cast<size_t>(id)] + steps[at + n_bytes].cost;
                if (cost <= best.cost) best = {cost, static_cast<uint32_t>(n_bytes), id};
            });
            steps[at] = best;
        }
        return steps;
    }

    const TokenTable& table_;
    int32_t unknown_;
    std::vector<int32_t> byte_ids_;
    std::vector<int64_t> costs_;  // by id
    Trie trie_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_plamo2_tokenizer(const TokenTable& table, const TokenizerOptions& options) {
    return std::make_unique<Plamo2Tokenizer>(table, options);
}

}  // namespace cria
