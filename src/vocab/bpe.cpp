// Byte-pair encoding with a list of merges: over bytes after a pre-tokenizer ("gpt2"), or over characters
// ("gemma4").
#include <bit>

#include "base/error.h"
#include "base/log.h"
#include "vocab/byte_alphabet.h"
#include "vocab/merge.h"
#include "vocab/pre_tokenizer.h"
#include "vocab/tokenizer.h"
#include "vocab/utf8.h"
#include "vocab/word_cache.h"

namespace cria {
namespace {

// From two neighbouring token ids to the token they make and its rank.
class MergeTable {
  public:
    MergeTable(const TokenTable& table, const std::vector<std::string>& merges)
        : slots_(std::bit_ceil(merges.size() * 2 + 1)) {
        size_t n_unknown = 0;
        std::string joined;
        for (size_t rank = 0; rank < merges.size(); ++rank) {
            const std::string_view merge = merges[rank];
            const size_t space = merge.find(' ', 1);
            if (space == std::string_view::npos) {
                fail(ErrorCode::invalid_file,
                     "merge {} of the vocabulary is not two tokens with a space between them", rank);
            }
            joined.assign(merge, 0, space);
            joined += merge.substr(space + 1);
            const int32_t left = table.find(merge.substr(0, space));
            const int32_t right = table.find(merge.substr(space + 1));
            const int32_t both = table.find(joined);
            if (left == kNoToken || right == kNoToken || both == kNoToken) {
                ++n_unknown;
            } else {
                insert(left, right, {static_cast<uint32_t>(rank), both});
            }
        }
        if (n_unknown > 0) {
            log_warning("vocabulary: {} of {} merges name texts that are no tokens; they are left out",
                        n_unknown, merges.size());
        }
    }

    Merge find(int32_t left, int32_t right) const {
        if (left < 0 || right < 0) return {};
        const uint64_t key = key_of(left, right);
        for (size_t i = place_of(key);; i = (i + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[i];
            if (slot.merge.rank == kNoMerge || slot.key == key) return slot.merge;
        }
    }

  private:
    struct Slot {
        uint64_t key = 0;
        Merge merge;
    };

    static uint64_t key_of(int32_t left, int32_t right) {
        return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
    }
    size_t place_of(uint64_t key) const {
        const uint64_t mixed = key * 0x9e3779b97f4a7c15u;
        return (mixed ^ mixed >> 32) & (slots_.size() - 1);
    }
    // Of equal pairs the first, which has the better rank, stays.
    void insert(int32_t left, int32_t right, Merge merge) {
        const uint64_t key = key_of(left, right);
        for (size_t i = place_of(key);; i = (i + 1) & (slots_.size() - 1)) {
            if (slots_[i].merge.rank == kNoMerge) {
                slots_[i] = {key, merge};
                return;
            }
            if (slots_[i].key == key) return;
        }
    }

    std::vector<Slot> slots_;
};

// Merges for a vocabulary that lists none: any two tokens that make a third, better the lower its id.
std::vector<std::string> merges_by_id(const TokenTable& table) {
    std::vector<std::string> merges;
    for (int32_t id = 0; id < table.size(); ++id) {
        const std::string_view text = table.text(id);
        if (!table.has(id, kAttrNormal) || text.size() > 512) continue;
        for (size_t cut = 1; cut < text.size(); ++cut) {
            if (table.find(text.substr(0, cut)) == kNoToken || table.find(text.substr(cut)) == kNoToken)
                continue;
            merges.push_back(std::string(text.substr(0, cut)) + ' ' + std::string(text.substr(cut)));
        }
    }
    return merges;
}

class BpeTokenizer final : public Tokenizer {
  public:
    BpeTokenizer(const TokenTable& table, const std::vector<std::string>& merges, const PreTokenizer& pre,
                 const TokenizerOptions& options)
        : table_(table), pre_(pre), unknown_(options.unknown), merges_(table, merges) {
        for (int byte = 0; byte < 256; ++byte) {
            const char raw = static_cast<char>(byte);
            byte_ids_[static_cast<size_t>(byte)] = table.find(byte_alphabet::encode({&raw, 1}));
        }
        if (pre.ignore_merges) index_pieces();
    }

    void encode(std::string_view text, std::vector<int32_t>& ids) const override {
        std::string repaired, composed;
        text = utf8::repair(text, repaired);
        if (pre_.normalize_nfc) text = unicode::nfc(text, composed);
        WordCache cache(text.size());
        Merger merger;
        split::cascade(pre_.passes, text,
                       [&](std::string_view word) { encode_word(word, cache, merger, ids); });
    }

    std::string piece(int32_t id) const override { return byte_alphabet::decode(table_.text(id)); }

  private:
    void index_pieces() {
        std::vector<size_t> starts;
        for (int32_t id = 0; id < table_.size(); ++id) {
            starts.push_back(pieces_.size());
            pieces_ += piece(id);
        }
        starts.push_back(pieces_.size());
        whole_words_ = TextIndex(static_cast<size_t>(table_.size()));
        for (size_t id = 0; id + 1 < starts.size(); ++id) {
            whole_words_.insert({pieces_.data() + starts[id], starts[id + 1] - starts[id]},
                                static_cast<int32_t>(id));
        }
    }

    void encode_word(std::string_view word, WordCache& cache, Merger& merger,
                     std::vector<int32_t>& ids) const {
        if (word.size() == 1) return emit(byte_ids_[static_cast<unsigned char>(word[0])], ids);
        const uint64_t hash = TextIndex::hash(word);
        if (pre_.ignore_merges) {
            const int32_t id = whole_words_.find(word, hash);
            if (id != kNoToken) return ids.push_back(id);
        }
        if (const WordCache::Place* known = cache.find(word, hash)) return repeat_tokens(ids, *known);
        merger.symbols.resize(word.size());
        for (uint32_t i = 0; i < word.size(); ++i) {
            merger.symbols[i] = {byte_ids_[static_cast<unsigned char>(word[i])], i, 1};
        }
        merger.merge(
            [this](const Symbol& left, const Symbol& right) { return merges_.find(left.id, right.id); });
        const size_t first = ids.size();
        for (const Symbol& symbol : merger.symbols) emit(symbol.id, ids);
        cache.insert(word, hash, {first, static_cast<uint32_t>(ids.size() - first)});
    }

    void emit(int32_t id, std::vector<int32_t>& ids) const {
        if (id == kNoToken) id = unknown_;  // a byte that the vocabulary lacks
        if (id != kNoToken) ids.push_back(id);
    }

    const TokenTable& table_;
    const PreTokenizer& pre_;
    int32_t unknown_;
    MergeTable merges_;
    std::array<int32_t, 256> byte_ids_{};
    std::string pieces_;     // decoded texts of all tokens, for whole_words_
    TextIndex whole_words_;  // only with ignore_merges
};

class CharacterBpeTokenizer final : public Tokenizer {
  public:
    CharacterBpeTokenizer(const TokenTable& table, const std::vector<std::string>& merges,
                          const TokenizerOptions& options)
        : table_(table),
          unknown_(options.unknown),
          merges_(table, merges),
          byte_ids_(byte_token_ids(table)),
          boundaries_(table) {}

    void encode(std::string_view text, std::vector<int32_t>& ids) const override {
        std::string repaired;
        const std::string marked = spaces_to_space_marks(utf8::repair(text, repaired));
        WordCache cache(marked.size());
        Merger merger;
        split::newline_runs(marked, [&](std::string_view line) {
            size_t begin = 0;
            for (size_t at = line.find(kSpaceMark); at != std::string_view::npos;
                 at = line.find(kSpaceMark, at + 1)) {
                if (at == begin || line.substr(begin, at - begin).ends_with(kSpaceMark) ||
                    !boundaries_.splits_after(line[at - 1])) {
                    continue;
                }
                encode_word(line.substr(begin, at - begin), cache, merger, ids);
                begin = at;
            }
            encode_word(line.substr(begin), cache, merger, ids);
        });
    }

    std::string piece(int32_t id) const override {
        if (table_.has(id, kAttrByte)) return {static_cast<char>(parse_byte_token(table_.text(id)))};
        return space_marks_to_spaces(table_.text(id));
    }

  private:
    void encode_word(std::string_view word, WordCache& cache, Merger& merger,
                     std::vector<int32_t>& ids) const {
        const uint64_t hash = TextIndex::hash(word);
        if (const WordCache::Place* known = cache.find(word, hash)) return repeat_tokens(ids, *known);
        merger.symbols.clear();
        for (size_t at = 0; at < word.size();) {
            const uint32_t n_bytes = utf8::claimed_bytes(word[at]);
            merger.symbols.push_back(
                {table_.find(word.substr(at, n_bytes)), static_cast<uint32_t>(at), n_bytes});
            at += n_bytes;
        }
        merger.merge(
            [this](const Symbol& left, const Symbol& right) { return merges_.find(left.id, right.id); });
        const size_t first = ids.size();
        for (const Symbol& symbol : merger.symbols) {
            if (symbol.id != kNoToken) {
                ids.push_back(symbol.id);
            } else {
                emit_bytes(word.substr(symbol.begin, symbol.n_bytes), ids);
            }
        }
        cache.insert(word, hash, {first, static_cast<uint32_t>(ids.size() - first)});
    }

    void emit_bytes(std::string_view bytes, std::vector<int32_t>& ids) const {
        for (const char byte : bytes) {
            const int32_t id = byte_ids_[static_cast<unsigned char>(byte)];
            if (id != kNoToken || unknown_ != kNoToken) ids.push_back(id != kNoToken ? id : unknown_);
        }
    }

    const TokenTable& table_;
    int32_t unknown_;
    MergeTable merges_;
    std::vector<int32_t> byte_ids_;
    SpaceBoundaries boundaries_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_bpe_tokenizer(const TokenTable& table, const std::vector<std::string>& merges,
                                              const PreTokenizer& pre, const TokenizerOptions& options) {
    if (!merges.empty()) return std::make_unique<BpeTokenizer>(table, merges, pre, options);
    if (!pre.merges_optional) {
        fail(ErrorCode::invalid_file,
             "the vocabulary has no tokenizer.ggml.merges, without which text cannot be tokenized; convert "
             "the model "
             "again");
    }
    return std::make_unique<BpeTokenizer>(table, merges_by_id(table), pre, options);
}

std::unique_ptr<Tokenizer> make_character_bpe_tokenizer(const TokenTable& table,
                                                        const std::vector<std::string>& merges,
                                                        const TokenizerOptions& options) {
    if (merges.empty()) {
        fail(ErrorCode::invalid_file,
             "the vocabulary has no tokenizer.ggml.merges, without which text cannot be tokenized; convert "
             "the model "
             "again");
    }
    return std::make_unique<CharacterBpeTokenizer>(table, merges, options);
}

}  // namespace cria
