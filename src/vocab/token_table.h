// The tokens of a vocabulary with text, score and attributes, and the index from text to id. Built once, then
// read only; the tokenizers stand on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vocab/vocab_data.h"

namespace cria {

// Bits of a token's attributes (llama_token_attr).
enum TokenAttribute : uint32_t {
    kAttrUndefined = 0,
    kAttrUnknown = 1,
    kAttrUnused = 2,
    kAttrNormal = 4,
    kAttrControl = 8,
    kAttrUserDefined = 16,
    kAttrByte = 32,
    kAttrNormalized = 64,
    kAttrLeftStrip = 128,   // swallows white space before it
    kAttrRightStrip = 256,  // swallows white space after it
    kAttrSingleWord = 512,
};

// More tokens than any model has; keeps sizes and ids far from overflow.
inline constexpr size_t kMaxTokens = 1u << 24;

// Strings to their numbers, by hash. The strings themselves live elsewhere and must outlive the index.
class TextIndex {
  public:
    TextIndex() = default;
    explicit TextIndex(size_t n_expected);

    // False when the text is there already.
    bool insert(std::string_view text, int32_t id);
    // kNoToken when it is not there.
    int32_t find(std::string_view text) const { return find(text, hash(text)); }
    int32_t find(std::string_view text, uint64_t hash_of_text) const;
    static uint64_t hash(std::string_view text);
    // Tells the processor that this hash will be looked up soon.
    void prefetch(uint64_t hash_of_text) const {
        if (!slots_.empty()) __builtin_prefetch(&slots_[hash_of_text & (slots_.size() - 1)]);
    }

  private:
    struct Slot {
        const char* text = nullptr;
        uint32_t n_bytes = 0;
        uint32_t tag = 0;  // upper half of the hash
        int32_t id = kNoToken;
    };
    std::vector<Slot> slots_;
};

// Move-only. Const calls are thread-safe.
class TokenTable {
  public:
    // Takes tokens, scores and types. Throws Error{invalid_file} for lists of different lengths, scores that
    // are no numbers, or texts over 4 GiB. Empty texts become "[EMPTY_<id>]"; of equal texts the index knows
    // the first.
    explicit TokenTable(const VocabData& data);
    TokenTable(TokenTable&&) noexcept = default;
    TokenTable& operator=(TokenTable&&) noexcept = default;

    int32_t size() const { return static_cast<int32_t>(attributes_.size()); }
    bool contains(int32_t id) const { return id >= 0 && id < size(); }

    // The text ends with a NUL that the view does not count.
    std::string_view text(int32_t id) const {
        const size_t i = static_cast<size_t>(id);
        return {texts_.data() + starts_[i], starts_[i + 1] - starts_[i] - 1};
    }
    float score(int32_t id) const { return scores_.empty() ? 0.0f : scores_[static_cast<size_t>(id)]; }
    uint32_t attributes(int32_t id) const { return attributes_[static_cast<size_t>(id)]; }
    bool has(int32_t id, uint32_t any_of) const { return (attributes(id) & any_of) != 0; }
    void set_attributes(int32_t id, uint32_t bits) { attributes_[static_cast<size_t>(id)] = bits; }
    void add_attributes(int32_t id, uint32_t bits) { set_attributes(id, attributes(id) | bits); }

    // The token with exactly this text, or kNoToken.
    int32_t find(std::string_view text) const { return index_.find(text); }
    int32_t find(std::string_view text, uint64_t hash) const { return index_.find(text, hash); }
    void prefetch(uint64_t hash) const { index_.prefetch(hash); }
    // The token "<0xXX>" of a byte, or the token that is the byte itself, or kNoToken.
    int32_t find_byte(uint8_t byte) const;

  private:
    std::string texts_;
    std::vector<uint32_t> starts_;
    std::vector<float> scores_;
    std::vector<uint32_t> attributes_;
    TextIndex index_;
};

// The byte that a token like "<0x0A>" stands for, or -1 when the text is not of this form.
int parse_byte_token(std::string_view text);

}  // namespace cria
