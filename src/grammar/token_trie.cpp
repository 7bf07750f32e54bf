// Sorting the vocabulary and laying the trie out in preorder.
#include "grammar/token_trie.h"

#include <algorithm>

#include "base/error.h"
#include "grammar/code_points.h"

namespace cria::grammar {
namespace {

constexpr size_t kMaxTokenBytes = 65535;  // TokenTrie::Node::depth

bool begins_with_character(std::string_view bytes) {
    return !bytes.empty() && bytes[0] != '\0' &&
           decode_utf8(bytes, 0).code_point != DecodedCodePoint::kInvalid;
}

}  // namespace

std::shared_ptr<const TokenTrie> TokenTrie::build(std::span<const TokenText> tokens,
                                                  TokenTrieOptions options) {
    auto trie = std::make_shared<TokenTrie>();
    trie->options_ = options;
    trie->begins_.push_back(0);
    for (uint32_t id = 0; id < tokens.size(); ++id) {
        const TokenText& token = tokens[id];
        if (token.bytes.size() > kMaxTokenBytes || trie->text_.size() > UINT32_MAX - kMaxTokenBytes) {
            fail(ErrorCode::invalid_argument,
                 "token {} has {} bytes, or the vocabulary is too large for constraints", id,
                 token.bytes.size());
        }
        trie->text_ += token.bytes;
        trie->begins_.push_back(static_cast<uint32_t>(trie->text_.size()));
        trie->roles_.push_back(token.role);
        if (token.role == TokenRole::end) {
            trie->end_tokens_.push_back(id);
            continue;
        }
        if (begins_with_character(token.bytes)) trie->whole_tokens_.push_back(id);
        if (trie->judged_by_text(id)) trie->sorted_.push_back(id);
    }
    std::sort(trie->sorted_.begin(), trie->sorted_.end(),
              [&](uint32_t a, uint32_t b) { return trie->bytes(a) < trie->bytes(b); });
    trie->build_nodes();
    return trie;
}

// Every token shares a prefix with its predecessor in sorted order; what is longer becomes new nodes.
void TokenTrie::build_nodes() {
    std::vector<uint32_t> path;  // node at each depth of the current token
    const auto close = [&](size_t depth) {
        for (; path.size() > depth; path.pop_back())
            nodes_[path.back()].skip = static_cast<uint32_t>(nodes_.size());
    };
    std::string_view previous;
    for (uint32_t i = 0; i < sorted_.size(); ++i) {
        const std::string_view text = bytes(sorted_[i]);
        const size_t common =
            std::mismatch(text.begin(), text.end(), previous.begin(), previous.end()).first - text.begin();
        close(common);
        for (size_t depth = common; depth < text.size(); ++depth) {
            path.push_back(static_cast<uint32_t>(nodes_.size()));
            nodes_.push_back({0, i, static_cast<uint16_t>(depth), static_cast<uint8_t>(text[depth])});
        }
        max_depth_ = std::max(max_depth_, static_cast<uint32_t>(text.size()));
        previous = text;
    }
    close(0);
    nodes_.push_back({static_cast<uint32_t>(nodes_.size() + 1), static_cast<uint32_t>(sorted_.size()), 0, 0});
}

}  // namespace cria::grammar
