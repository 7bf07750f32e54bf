// See token_table.h.
#include "vocab/token_table.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/log.h"

namespace cria {
namespace {

constexpr uint64_t kMix = 0x9e3779b97f4a7c15u;

uint64_t load(const char* at, size_t n_bytes) {
    uint64_t value = 0;
    std::memcpy(&value, at, n_bytes);
    return value;
}

uint64_t mix(uint64_t value) {
    value *= kMix;
    return value ^ value >> 32;
}

uint32_t attributes_of(int32_t type) {
    switch (static_cast<TokenType>(type)) {
        case TokenType::normal:
            return kAttrNormal;
        case TokenType::unknown:
            return kAttrUnknown;
        case TokenType::control:
            return kAttrControl;
        case TokenType::user_defined:
            return kAttrUserDefined;
        case TokenType::unused:
            return kAttrUnused;
        case TokenType::byte:
            return kAttrByte;
        default:
            return kAttrUndefined;
    }
}

void check_lengths(const VocabData& data) {
    const size_t n = data.tokens.size();
    if (n > kMaxTokens) {
        fail(ErrorCode::invalid_file, "the vocabulary has {} tokens, more than the {} that are possible", n,
             kMaxTokens);
    }
    const auto check = [n](const char* key, size_t length) {
        if (length == 0 || length == n) return;
        fail(ErrorCode::invalid_file,
             "the vocabulary's tokenizer.ggml.{} has {} entries for {} tokens; the file is damaged or was "
             "converted "
             "wrongly",
             key, length, n);
    };
    check("scores", data.scores.size());
    check("token_type", data.types.size());
    for (size_t id = 0; id < data.scores.size(); ++id) {
        if (std::isnan(data.scores[id])) {
            fail(ErrorCode::invalid_file, "the vocabulary's score of token {} is not a number", id);
        }
    }
}

}  // namespace

TextIndex::TextIndex(size_t n_expected) : slots_(std::bit_ceil(n_expected + n_expected / 2 + 1)) {}

uint64_t TextIndex::hash(std::string_view text) {
    uint64_t state = text.size() * kMix;
    const char* at = text.data();
    size_t left = text.size();
    for (; left >= 8; at += 8, left -= 8) state = mix(state ^ load(at, 8));
    if (left > 0) state = mix(state ^ load(at, left) ^ left << 56);
    return mix(state);
}

bool TextIndex::insert(std::string_view text, int32_t id) {
    const uint64_t h = hash(text);
    const auto tag = static_cast<uint32_t>(h >> 32);
    for (size_t i = h & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
        Slot& slot = slots_[i];
        if (slot.id == kNoToken) {
            slot = {text.data(), static_cast<uint32_t>(text.size()), tag, id};
            return true;
        }
        if (slot.tag == tag && std::string_view(slot.text, slot.n_bytes) == text) return false;
    }
}

int32_t TextIndex::find(std::string_view text, uint64_t h) const {
    if (slots_.empty()) return kNoToken;
    const auto tag = static_cast<uint32_t>(h >> 32);
    for (size_t i = h & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
        const Slot& slot = slots_[i];
        if (slot.id == kNoToken) return kNoToken;
        if (slot.tag == tag && slot.n_bytes == text.size() &&
            std::memcmp(slot.text, text.data(), text.size()) == 0) {
            return slot.id;
        }
    }
}

TokenTable::TokenTable(const VocabData& data) : index_(data.tokens.size()) {
    check_lengths(data);
    const size_t n = data.tokens.size();
    size_t n_bytes = 0;
    for (const std::string& token : data.tokens) n_bytes += token.size() + 1;
    n_bytes += n * 24;  // room for names of empty tokens
    if (n_bytes > std::numeric_limits<uint32_t>::max()) {
        fail(ErrorCode::invalid_file, "the vocabulary's texts take {} bytes, more than 4 GiB", n_bytes);
    }
    texts_.reserve(n_bytes);
    starts_.reserve(n + 1);
    starts_.push_back(0);
    for (size_t id = 0; id < n; ++id) {
        texts_ += data.tokens[id].empty() ? fmt::format("[EMPTY_{}]", id) : data.tokens[id];
        texts_ += '\0';
        starts_.push_back(static_cast<uint32_t>(texts_.size()));
    }
    scores_ = data.scores;
    attributes_.resize(n, kAttrNormal);
    for (size_t id = 0; id < data.types.size(); ++id) attributes_[id] = attributes_of(data.types[id]);
    size_t n_repeated = 0;
    for (int32_t id = 0; id < size(); ++id) n_repeated += index_.insert(text(id), id) ? 0 : 1;
    if (n_repeated > 0) {
        log_warning("vocabulary: {} tokens have the text of an earlier one and will never be produced",
                    n_repeated);
    }
}

int32_t TokenTable::find_byte(uint8_t byte) const {
    const int32_t id = find(fmt::format("<0x{:02X}>", byte));
    if (id != kNoToken) return id;
    const char raw = static_cast<char>(byte);
    return find({&raw, 1});
}

int parse_byte_token(std::string_view text) {
    if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return -1;
    int value = 0;
    for (const char c : text.substr(3, 2)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : -1;
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

}  // namespace cria
