// What the kinds of tokenizers have in common inside this room: text that holds no special tokens goes in,
// ids come out, and an id has a piece of text. One file per kind.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vocab/merge.h"
#include "vocab/token_table.h"
#include "vocab/vocab_data.h"
#include "vocab/word_cache.h"

namespace cria {

struct PreTokenizer;

// What one call of tokenize() writes, with the memory that its stretches of text share.
struct Output {
    explicit Output(size_t n_text_bytes) : words(n_text_bytes) { ids.reserve(n_text_bytes / 4 + 2); }

    std::vector<int32_t> ids;
    WordCache words;  // places are in ids
    Merger merger;
};

// Immutable; keeps a reference to the token table it was made with. Const calls are thread-safe.
class Tokenizer {
  public:
    virtual ~Tokenizer() = default;

    // Appends the ids of a stretch of plain text (any bytes). Throws Error{invalid_argument} for text no
    // Unicode has.
    // `output` is one call's: what it holds from earlier stretches is used again.
    virtual void encode(std::string_view text, Output& output) const = 0;

    // The bytes that an ordinary token stands for. (Those of special tokens are their text.)
    virtual std::string piece(int32_t id) const = 0;
};

// What a kind needs to know besides the tokens.
struct TokenizerOptions {
    int32_t unknown = kNoToken;
    bool add_space_prefix = false;
    bool remove_extra_whitespaces = false;
};

// All throw Error{invalid_file} for vocabularies that cannot be what they say, naming the token or merge.
std::unique_ptr<Tokenizer> make_spm_tokenizer(const TokenTable& table, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> make_bpe_tokenizer(const TokenTable& table, const std::vector<std::string>& merges,
                                              const PreTokenizer& pre, const TokenizerOptions& options);
// BPE whose symbols are characters rather than bytes, with spaces as U+2581 (gemma4).
std::unique_ptr<Tokenizer> make_character_bpe_tokenizer(const TokenTable& table,
                                                        const std::vector<std::string>& merges,
                                                        const TokenizerOptions& options);
std::unique_ptr<Tokenizer> make_wpm_tokenizer(const TokenTable& table, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> make_ugm_tokenizer(const TokenTable& table, std::string charsmap,
                                              const TokenizerOptions& options);
std::unique_ptr<Tokenizer> make_rwkv_tokenizer(const TokenTable& table, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> make_plamo2_tokenizer(const TokenTable& table, const TokenizerOptions& options);

// U+2581, which stands for a space in sentencepiece vocabularies.
inline constexpr std::string_view kSpaceMark = "\xe2\x96\x81";
std::string space_marks_to_spaces(std::string_view text);
std::string spaces_to_space_marks(std::string_view text);

// Where no token can reach from one word into the next: before a space mark after a byte that no token has
// there. Merging such words one by one gives the same ids as merging the whole text, and lets a cache know
// them.
class SpaceBoundaries {
  public:
    explicit SpaceBoundaries(const TokenTable& table);
    // Whether a word may end with this byte when a space mark follows, and no other mark stood before it.
    bool splits_after(char last_byte) const { return !joins_[static_cast<unsigned char>(last_byte)]; }

  private:
    std::array<bool, 256> joins_{};
};

// The ids of "<0x00>" to "<0xFF>" (kNoToken for missing ones). Throws Error{invalid_file} when a token of
// type byte has another form.
std::vector<int32_t> byte_token_ids(const TokenTable& table);

}  // namespace cria
