// Byte-pair encoding with a list of merges: over bytes after a pre-tokenizer ("gpt2"), or over characters
// ("gemma4").
#include <algorithm>
#include <array>
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
        : slots_(std::bit_ceil(merges.size() + merges.size() / 2 + 1)) {
        // In blocks: the texts of one are hashed, then found, while memory brings what the hashes point at.
        constexpr size_t kBlock = 32;
        std::array<Parts, kBlock> block;
        size_t n_unknown = 0;
        for (size_t begin = 0; begin < merges.size(); begin += kBlock) {
            const size_t n = std::min(kBlock, merges.size() - begin);
            for (size_t i = 0; i < n; ++i) block[i].set(table, merges[begin + i], begin + i);
            for (size_t i = 0; i < n; ++i) n_unknown += add(table, block[i], begin + i) ? 0 : 1;
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

    // The three texts of a merge.
    struct Parts {
        std::string_view left, right;
        std::string both;
        uint64_t left_hash, right_hash, both_hash;

        void set(const TokenTable& table, std::string_view merge, size_t rank) {
            const size_t space = merge.find(' ', 1);
            if (space == std::string_view::npos) {
                fail(ErrorCode::invalid_file,
                     "merge {} of the vocabulary is not two tokens with a space between them", rank);
            }
            left = merge.substr(0, space);
            right = merge.substr(space + 1);
            both.assign(left);
            both += right;
            for (const uint64_t hash :
                 {left_hash = TextIndex::hash(left), right_hash = TextIndex::hash(right),
                 both_hash = TextIndex::hash(both)}) {
                table.prefetch(hash);
            }
        }
    };

    // False when one of the texts is no token.
    bool add(const TokenTable& table, const Parts& parts, size_t rank) {
        const int32_t left = table.find(parts.left, parts.left_hash);
        const int32_t right = table.find(parts.right, parts.right_hash);
        const int32_t both = table.find(parts.both, parts.both_hash);
        if (left == kNoToken || right == kNoToken || both == kNoToken) return false;
        insert(left, right, {static_cast<uint32_t>(rank), both});
        return true;
    }

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
        byte_pairs_.reserve(256 * 256);
        for (const int32_t left : byte_ids_) {
            for (const int32_t right : byte_ids_) byte_pairs_.push_back(merges_.find(left, right));
        }
        if (pre.ignore_merges) index_pieces();
    }

    void encode(std::string_view text, Output& output) const override {
        std::string repaired, composed;
        text = utf8::repair(text, repaired);
        if (pre_.normalize_nfc) text = unicode::nfc(text, composed);
        split::cascade(pre_.passes, text, [&](std::string_view word) { encode_word(word, output); });
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

    void encode_word(std::string_view word, Output& output) const {
        std::vector<int32_t>& ids = output.ids;
        if (word.size() == 1) return emit(byte_ids_[static_cast<unsigned char>(word[0])], ids);
        const uint64_t hash = TextIndex::hash(word);
        if (pre_.ignore_merges) {
            const int32_t id = whole_words_.find(word, hash);
            if (id != kNoToken) return ids.push_back(id);
        }
        if (const WordCache::Place* known = output.words.find(word, hash)) return repeat_tokens(ids, *known);
        Merger& merger = output.merger;
        merger.symbols.resize(word.size());
        for (uint32_t i = 0; i < word.size(); ++i) {
            merger.symbols[i] = {byte_ids_[static_cast<unsigned char>(word[i])], i, 1};
        }
        merger.merge([&](const Symbol& left, const Symbol& right) {
            if (left.n_bytes + right.n_bytes > 2) return merges_.find(left.id, right.id);
            const auto byte_at = [&](uint32_t at) { return static_cast<unsigned char>(word[at]); };
            return byte_pairs_[byte_at(left.begin) * 256u + byte_at(right.begin)];
        });
        const size_t first = ids.size();
        for (const Symbol& symbol : merger.symbols) emit(symbol.id, ids);
        output.words.insert(word, hash, {first, static_cast<uint32_t>(ids.size() - first)});
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
    std::vector<Merge> byte_pairs_;  // merges of two bytes, which are asked for most, without a search
    std::string pieces_;             // decoded texts of all tokens, for whole_words_
    TextIndex whole_words_;          // only with ignore_merges
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

    void encode(std::string_view text, Output& output) const override {
        std::string repaired;
        const std::string marked = spaces_to_space_marks(utf8::repair(text, repaired));
        split::newline_runs(marked, [&](std::string_view line) {
            size_t begin = 0;
            for (size_t at = line.find(kSpaceMark); at != std::string_view::npos;
                 at = line.find(kSpaceMark, at + 1)) {
                if (at == begin || line.substr(begin, at - begin).ends_with(kSpaceMark) ||
                    !boundaries_.splits_after(line[at - 1])) {
                    continue;
                }
                encode_word(line.substr(begin, at - begin), output);
                begin = at;
            }
            encode_word(line.substr(begin), output);
        });
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
        output.words.insert(word, hash, {first, static_cast<uint32_t>(ids.size() - first)});
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
