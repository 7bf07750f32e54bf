// Sentencepiece-style BPE ("llama"): characters are joined to the token of the best score, and what is no
// token becomes bytes. Spaces are U+2581 inside.
#include <algorithm>
#include <bit>

#include "vocab/merge.h"
#include "vocab/tokenizer.h"
#include "vocab/utf8.h"
#include "vocab/word_cache.h"

namespace cria {
namespace {

// Ranks order like scores from high to low; equal scores have equal ranks.
uint32_t rank_of_score(float score) {
    const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // makes -0 a 0
    const uint32_t ascending = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
    return ~ascending;
}

class SpmTokenizer final : public Tokenizer {
  public:
    SpmTokenizer(const TokenTable& table, const TokenizerOptions& options)
        : table_(table), unknown_(options.unknown), byte_ids_(byte_token_ids(table)), boundaries_(table) {
        ranks_.reserve(static_cast<size_t>(table.size()));
        for (int32_t id = 0; id < table.size(); ++id) {
            ranks_.push_back(rank_of_score(table.score(id)));
            longest_ = std::max(longest_, table.text(id).size());
        }
    }

    void encode(std::string_view text, Output& output) const override {
        const std::string marked = spaces_to_space_marks(text);
        size_t begin = 0;
        bool after_mark = true;
        for (size_t at = 0; at < marked.size();) {
            const size_t n_bytes = std::min<size_t>(utf8::claimed_bytes(marked[at]), marked.size() - at);
            const bool is_mark = std::string_view(marked).substr(at, n_bytes) == kSpaceMark;
            if (is_mark && !after_mark && boundaries_.splits_after(marked[at - 1])) {
                encode_word({marked.data() + begin, at - begin}, output);
                begin = at;
            }
            after_mark = is_mark;
            at += n_bytes;
        }
        if (begin < marked.size()) encode_word(std::string_view(marked).substr(begin), output);
    }

    std::string piece(int32_t id) const override {
        if (table_.has(id, kAttrByte)) return {static_cast<char>(parse_byte_token(table_.text(id)))};
        return space_marks_to_spaces(table_.text(id));
    }

  private:
    void encode_word(std::string_view word, Output& output) const {
        std::vector<int32_t>& ids = output.ids;
        const uint64_t hash = TextIndex::hash(word);
        if (const WordCache::Place* known = output.words.find(word, hash)) return repeat_tokens(ids, *known);
        Merger& merger = output.merger;
        merger.symbols.clear();
        for (size_t at = 0; at < word.size();) {
            const size_t n_bytes = std::min<size_t>(utf8::claimed_bytes(word[at]), word.size() - at);
            merger.symbols.push_back({kNoToken, static_cast<uint32_t>(at), static_cast<uint32_t>(n_bytes)});
            at += n_bytes;
        }
        merger.merge([&](const Symbol& left, const Symbol& right) -> Merge {
            const size_t n_bytes = left.n_bytes + right.n_bytes;
            if (n_bytes > longest_) return {};
            const int32_t id = table_.find(word.substr(left.begin, n_bytes));
            return id == kNoToken ? Merge{} : Merge{ranks_[static_cast<size_t>(id)], id};
        });
        const size_t first = ids.size();
        for (const Symbol& symbol : merger.symbols)
            emit(word.substr(symbol.begin, symbol.n_bytes), symbol.id, ids);
        output.words.insert(word, hash, {first, static_cast<uint32_t>(ids.size() - first)});
    }

    void emit(std::string_view text, int32_t id, std::vector<int32_t>& ids) const {
        if (id == kNoToken) id = table_.find(text);
        if (id != kNoToken) {
            ids.push_back(id);
            return;
        }
        for (const char byte : text) {
            const int32_t byte_id = byte_ids_[static_cast<unsigned char>(byte)];
            if (byte_id != kNoToken || unknown_ != kNoToken)
                ids.push_back(byte_id != kNoToken ? byte_id : unknown_);
        }
    }

    const TokenTable& table_;
    int32_t unknown_;
    std::vector<int32_t> byte_ids_;
    SpaceBoundaries boundaries_;
    std::vector<uint32_t> ranks_;  // by id
    size_t longest_ = 0;           // bytes of a token
};

}  // namespace

std::unique_ptr<Tokenizer> make_spm_tokenizer(const TokenTable& table, const TokenizerOptions& options) {
    return std::make_unique<SpmTokenizer>(table, options);
}

}  // namespace cria
