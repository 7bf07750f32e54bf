// A vocabulary as a trie over bytes, so that tokens with a common beginning are judged together. Built once
// per vocabulary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cria::grammar {

enum class TokenRole : uint8_t {
    text,     // stands for its bytes
    control,  // has a meaning instead of a text; only token terminals match it, unless control_as_text
    end,      // ends generation: allowed where the grammar may end, or where a terminal names it
};

struct TokenText {
    std::string_view bytes;
    TokenRole role = TokenRole::text;
};

struct TokenTrieOptions {
    // Judge control tokens by their text too, as the llama.cpp family does: "<s>" is then allowed inside a
    // JSON string.
    bool control_as_text = false;
};

// Immutable after build(); const calls are thread-safe. Copies what it needs; about 12 bytes per trie node
// and 16 per token.
class TokenTrie {
  public:
    // One trie node in preorder. Nodes below node i are i + 1 .. skip - 1.
    struct Node {
        uint32_t skip;         // the next node that is not below this one
        uint32_t first_token;  // index into tokens(); those of the node end where the next node's begin
        uint16_t depth;        // bytes from the root, minus 1
        uint8_t byte;
    };

    // Token ids are indexes into `tokens`. Throws Error{invalid_argument} for a token longer than 65535
    // bytes.
    static std::shared_ptr<const TokenTrie> build(std::span<const TokenText> tokens,
                                                  TokenTrieOptions options = {});

    uint32_t n_tokens() const { return static_cast<uint32_t>(roles_.size()); }
    std::string_view bytes(uint32_t id) const {
        return std::string_view(text_).substr(begins_[id], begins_[id + 1] - begins_[id]);
    }
    TokenRole role(uint32_t id) const { return roles_[id]; }
    // Whether the token's text counts. Not when it is empty or begins with NUL, which C interfaces take for
    // empty, and not when its role (with the options) stands above it.
    bool judged_by_text(uint32_t id) const {
        return begins_[id] != begins_[id + 1] && text_[begins_[id]] != '\0' &&
               (role(id) == TokenRole::text || (role(id) == TokenRole::control && options_.control_as_text));
    }

    // One more than there are nodes: the last is a sentinel that only holds first_token.
    std::span<const Node> nodes() const { return nodes_; }
    // Ids sorted by text: those judged by it, that is.
    std::span<const uint32_t> tokens() const { return sorted_; }
    uint32_t max_depth() const { return max_depth_; }
    // Ids with role end, ascending.
    std::span<const uint32_t> end_tokens() const { return end_tokens_; }
    // Ids that a negated terminal !<[id]> matches, ascending: not ending generation, and with at least one
    // whole character other than NUL, as the llama.cpp family has it.
    std::span<const uint32_t> whole_tokens() const { return whole_tokens_; }

  private:
    void build_nodes();

    TokenTrieOptions options_;
    std::string text_;
    std::vector<uint32_t> begins_;
    std::vector<TokenRole> roles_;
    std::vector<uint32_t> sorted_;
    std::vector<uint32_t> end_tokens_;
    std::vector<uint32_t> whole_tokens_;
    std::vector<Node> nodes_;
    uint32_t max_depth_ = 0;
};

}  // namespace cria::grammar
