// RWKV world: the longest token at every place. Texts are written with escapes, \n, \x00 and so on.
#include <algorithm>

#include "base/error.h"
#include "vocab/tokenizer.h"
#include "vocab/trie.h"

namespace cria {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// A backslash before anything but t, n, r and two hexadecimal digits stands for that character itself.
std::string unescape(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            out += text[at];
            continue;
        }
        const char kind = text[++at];
        const int high = kind == 'x' && at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
        if (low >= 0) {
            out += static_cast<char>(high * 16 + low);
            at += 2;
        } else {
            out += kind == 't' ? '\t' : kind == 'n' ? '\n' : kind == 'r' ? '\r' : kind;
        }
    }
    return out;
}

class RwkvTokenizer final : public Tokenizer {
  public:
    RwkvTokenizer(const TokenTable& table, const TokenizerOptions& options)
        : table_(table), unknown_(options.unknown) {
        std::vector<std::string> pieces;
        for (int32_t id = 0; id < table.size(); ++id) pieces.push_back(unescape(table.text(id)));
        std::vector<Trie::Entry> entries;
        for (int32_t id = 0; id < table.size(); ++id) {
            // The text of a control token is plain text like any other.
            if (!table.has(id, kAttrControl)) entries.emplace_back(pieces[static_cast<size_t>(id)], id);
        }
        trie_ = Trie(std::move(entries));
    }

    void encode(std::string_view text, Output& output) const override {
        std::vector<int32_t>& ids = output.ids;
        while (!text.empty()) {
            const Trie::Match match = trie_.longest_prefix(text);
            if (match.n_bytes > 0) {
                ids.push_back(match.value);
            } else if (unknown_ != kNoToken) {
                ids.push_back(unknown_);
            }
            text.remove_prefix(std::max<size_t>(match.n_bytes, 1));
        }
    }

    std::string piece(int32_t id) const override { return unescape(table_.text(id)); }

  private:
    const TokenTable& table_;
    int32_t unknown_;
    Trie trie_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_rwkv_tokenizer(const TokenTable& table, const TokenizerOptions& options) {
    return std::make_unique<RwkvTokenizer>(table, options);
}

}  // namespace cria
