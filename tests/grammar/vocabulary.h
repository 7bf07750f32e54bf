// Token texts of the vocabularies under conformance/text/tokenizers, for tests of masks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "grammar/token_trie.h"

namespace cria::grammar::testing {

struct Vocabulary {
    std::vector<std::string> pieces;
    std::vector<TokenRole> roles;

    std::shared_ptr<const TokenTrie> trie(TokenTrieOptions options = {}) const;
};

// `name` as in tokenizers/NAME.gguf.xz: one of gpt-2, qwen2, llama-spm, rwkv. Read once per process; null
// when the file or xz is missing.
const Vocabulary* load_vocabulary(const std::string& name);

// 64-bit FNV-1a over ids as four little-endian bytes, in hex.
std::string fnv_of_ids(const std::vector<uint32_t>& ids);

}  // namespace cria::grammar::testing
