// Decompresses and decodes: byte-level BPE, sentencepiece and RWKV spell their tokens differently.
#include "grammar/vocabulary.h"

#include <cstdio>
#include <map>

#include "gguf/reader.h"
#include "grammar/code_points.h"
#include "grammar/conformance.h"

namespace cria::grammar::testing {
namespace {

std::string decompress(const std::string& path) {
    std::string bytes;
    std::FILE* pipe = popen(("xz -dc '" + path + "' 2>/dev/null").c_str(), "r");
    if (pipe == nullptr) return bytes;
    char buffer[1 << 16];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) bytes.append(buffer, n);
    pclose(pipe);
    return bytes;
}

// GPT-2's printable alphabet: bytes that are no printable Latin-1 character stand at U+0100 and after.
std::string decode_byte_level(const std::string& text) {
    static const std::map<uint32_t, char> alphabet = [] {
        std::map<uint32_t, char> bytes;
        uint32_t next = 0x100;
        for (uint32_t b = 0; b < 256; ++b) {
            const bool is_printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
            bytes[is_printable ? b : next++] = static_cast<char>(b);
        }
        return bytes;
    }();
    std::string bytes;
    for (size_t i = 0; i < text.size();) {
        const DecodedCodePoint next = decode_utf8(text, i);
        bytes += alphabet.at(next.code_point);
        i += next.n_bytes;
    }
    return bytes;
}

std::string decode_sentencepiece(const std::string& text, bool is_byte) {
    if (is_byte) return std::string(1, static_cast<char>(std::stoi(text.substr(3, 2), nullptr, 16)));
    static const std::string kSpaceMark = "\xe2\x96\x81";
    std::string bytes;
    for (size_t i = 0; i < text.size();) {
        const bool is_space = text.compare(i, kSpaceMark.size(), kSpaceMark) == 0;
        bytes += is_space ? ' ' : text[i];
        i += is_space ? kSpaceMark.size() : 1;
    }
    return bytes;
}

std::string decode_rwkv(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 >= text.size()) {
            bytes += text[i];
            continue;
        }
        const char c = text[++i];
        if (c == 'x') {
            bytes += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            bytes += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
        }
    }
    return bytes;
}

std::unique_ptr<Vocabulary> read_vocabulary(const std::string& name) {
    const auto golden = read_conformance("tokenizers/" + name + ".json");
    const std::string file = decompress(kConformanceDir + "tokenizers/" + name + ".gguf.xz");
    if (!golden || file.empty()) return nullptr;
    const auto reader = gguf::Reader::from_bytes(std::as_bytes(std::span(file)), name);
    const auto texts = reader.metadata<std::vector<std::string>>("tokenizer.ggml.tokens");
    const auto types = reader.metadata<std::vector<int32_t>>("tokenizer.ggml.token_type");
    const auto model = reader.metadata<std::string>("tokenizer.ggml.model");
    auto vocabulary = std::make_unique<Vocabulary>();
    for (size_t id = 0; id < texts.size(); ++id) {
        const bool is_special = types[id] != 1 && types[id] != 6;
        const std::string& text = texts[id];
        vocabulary->pieces.push_back(is_special         ? text
                                     : model == "gpt2"  ? decode_byte_level(text)
                                     : model == "llama" ? decode_sentencepiece(text, types[id] == 6)
                                                        : decode_rwkv(text));
        vocabulary->roles.push_back(types[id] == 3 || types[id] == 2 ? TokenRole::control : TokenRole::text);
    }
    for (const auto& id : (*golden)["meta"]["eog"]) vocabulary->roles[id.get<size_t>()] = TokenRole::end;
    return vocabulary;
}

}  // namespace

std::shared_ptr<const TokenTrie> Vocabulary::trie(TokenTrieOptions options) const {
    std::vector<TokenText> tokens;
    for (size_t id = 0; id < pieces.size(); ++id) tokens.push_back({pieces[id], roles[id]});
    return TokenTrie::build(tokens, options);
}

const Vocabulary* load_vocabulary(const std::string& name) {
    static std::map<std::string, std::unique_ptr<Vocabulary>> known;
    const auto [entry, is_new] = known.try_emplace(name);
    if (is_new) entry->second = read_vocabulary(name);
    return entry->second.get();
}

std::string fnv_of_ids(const std::vector<uint32_t>& ids) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const uint32_t id : ids) {
        for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (id >> shift & 0xFF)) * 0x100000001b3u;
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

}  // namespace cria::grammar::testing
