// Vocabularies: text to token ids and back, for every kind of tokenizer that GGUF files name. The ids are
// those of the model's own tokenizer (tests/vocab/conformance_test.cpp compares them).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vocab/token_table.h"
#include "vocab/vocab_data.h"

namespace cria {

// Values of llama_vocab_type.
enum class VocabType : int32_t { none = 0, spm = 1, bpe = 2, wpm = 3, ugm = 4, rwkv = 5, plamo2 = 6 };

struct TokenizeOptions {
    bool add_special = true;     // begin- and end-of-sequence tokens as the vocabulary wants them
    bool parse_special = false;  // the texts of control tokens become these tokens
};

struct PieceOptions {
    int lstrip = 0;       // leave out up to so many leading spaces
    bool special = true;  // false: control and unknown tokens are empty
};

struct DetokenizeOptions {
    bool remove_special = false;   // leave out the begin- and end-of-sequence tokens that tokenize() adds
    bool unparse_special = false;  // write control tokens as their text
};

// Immutable. Move-only. Const calls are thread-safe. Methods that take an id throw Error{invalid_argument}
// naming id and range when there is no such token.
class Vocab {
  public:
    // Throws Error{unsupported} for a model or pre-tokenizer Cria does not know, Error{invalid_file} for a
    // vocabulary that contradicts itself. What can be left out safely (ids beyond the table, merges of
    // unknown texts) is, with a warning.
    explicit Vocab(const VocabData& data);
    ~Vocab();
    Vocab(Vocab&&) noexcept;
    Vocab& operator=(Vocab&&) noexcept;

    // Any bytes are text. Time is linear in the text, up to a logarithm for one that is all one word; the
    // stack does not grow with it. Throws Error{invalid_argument} for UTF-8 beyond U+10FFFF where the kind
    // works on characters.
    std::vector<int32_t> tokenize(std::string_view text, const TokenizeOptions& options = {}) const;

    // The bytes of one token; they may be a part of a character (Utf8Assembler puts them together). Valid as
    // long as the vocabulary. Constant time.
    std::string_view token_to_piece(int32_t id, const PieceOptions& options = {}) const;
    // The text of many tokens. Not always the pieces in a row: the space that tokenize() put first is taken
    // away again, and some vocabularies have spaces removed before punctuation.
    std::string detokenize(std::span<const int32_t> ids, const DetokenizeOptions& options = {}) const;

    VocabType type() const;
    int32_t size() const;
    bool contains(int32_t id) const { return id >= 0 && id < size(); }

    // As the file spells it; a NUL follows the view.
    std::string_view text(int32_t id) const;
    float score(int32_t id) const;
    // TokenAttribute bits.
    uint32_t attributes(int32_t id) const;
    bool is_control(int32_t id) const { return (attributes(id) & kAttrControl) != 0; }
    // Whether generation ends with this token.
    bool is_end_of_generation(int32_t id) const;
    std::span<const int32_t> end_of_generation() const;  // ascending
    // The token spelled exactly so, or kNoToken.
    int32_t find(std::string_view text) const;

    // kNoToken when the vocabulary has none.
    int32_t special(SpecialToken which) const;
    int32_t bos() const { return special(SpecialToken::bos); }
    int32_t eos() const { return special(SpecialToken::eos); }
    int32_t eot() const { return special(SpecialToken::eot); }
    int32_t newline() const { return special(SpecialToken::newline); }

    // Whether tokenize() with add_special puts these around a text.
    bool adds_bos() const;
    bool adds_eos() const;
    bool adds_sep() const;
    bool adds_space_prefix() const;

  private:
    struct State;
    std::unique_ptr<const State> state_;
};

}  // namespace cria
