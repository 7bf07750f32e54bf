// See charsmap.h. The units are those of the Darts-clone library: label in the low byte (with the top bit,
// which leaves have set), bit 8 for "a value follows", the offset to the children in the upper bits.
#include "vocab/charsmap.h"

#include <cstring>

#include "base/error.h"

namespace cria {
namespace {

bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t label(uint32_t unit) { return unit & (1u << 31 | 0xff); }
uint32_t children_offset(uint32_t unit) { return unit >> 10 << (unit >> 6 & 8); }
uint32_t value(uint32_t unit) { return unit & ~(1u << 31); }

}  // namespace

Charsmap::Charsmap(std::string blob) : blob_(std::move(blob)) {
    if (blob_.empty()) return;
    uint32_t trie_bytes = 0;
    if (blob_.size() >= 4) std::memcpy(&trie_bytes, blob_.data(), 4);
    if (blob_.size() < 4 || trie_bytes % 4 != 0 || trie_bytes == 0 || trie_bytes > blob_.size() - 4) {
        fail(ErrorCode::invalid_file,
             "the vocabulary's precompiled_charsmap of {} bytes says that its trie takes {}; the file is "
             "damaged",
             blob_.size(), trie_bytes);
    }
    n_units_ = trie_bytes / 4;
}

uint32_t Charsmap::unit(size_t index) const {
    if (index >= n_units_) return 0;
    uint32_t value = 0;
    std::memcpy(&value, blob_.data() + 4 + index * 4, 4);
    return value;
}

Charsmap::Match Charsmap::longest_prefix(std::string_view text) const {
    Match longest;
    if (n_units_ == 0) return longest;
    const std::string_view replacements = std::string_view(blob_).substr(4 + n_units_ * 4);
    size_t node = children_offset(unit(0));
    for (size_t n = 0; n < text.size(); ++n) {
        const auto byte = static_cast<unsigned char>(text[n]);
        if (byte == 0) break;
        node ^= byte;
        const uint32_t here = unit(node);
        if (node >= n_units_ || label(here) != byte) break;
        node ^= children_offset(here);
        if (!has_leaf(here)) continue;
        const size_t begin = value(unit(node));
        if (begin >= replacements.size()) break;
        longest = {n + 1, replacements.substr(begin, replacements.substr(begin).find('\0'))};
    }
    return longest;
}

}  // namespace cria
