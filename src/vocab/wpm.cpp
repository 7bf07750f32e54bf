// WordPiece ("bert"): lower-cased words without accents, cut into the longest tokens from the left. Tokens
// that begin a word are written with U+2581 in front.
#include <algorithm>

#include "vocab/tokenizer.h"
#include "vocab/unicode.h"
#include "vocab/utf8.h"

namespace cria {
namespace {

using namespace unicode;

// BERT gives up on longer words, so that the unknown token, not a hundred pieces, stands for a base64 block.
constexpr size_t kLongestWord = 100;

// The ranges BERT takes for Chinese characters, which are words of their own.
bool is_chinese(uint32_t c) {
    return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df) ||
           (c >= 0x2a700 && c <= 0x2b81f) || (c >= 0x2b820 && c <= 0x2ceaf) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x2f800 && c <= 0x2fa1f);
}

bool is_punctuation(uint32_t c) {
    return (classes(c) & kPunctuation) != 0 || (c < 0x80 && (classes(c) & kSymbol) != 0);
}

// Not what BERT counts as text: control, format and private characters, except tab and newlines. Code points
// without meaning stay, and make their word unknown.
bool is_dropped(uint32_t c) {
    if (c == '\t' || c == '\n' || c == '\r') return false;
    return c == 0 || c == 0xfffd || ((classes(c) & kOther) != 0 && is_assigned(c));
}

class WpmTokenizer final : public Tokenizer {
  public:
    WpmTokenizer(const TokenTable& table, const TokenizerOptions& options)
        : table_(table), unknown_(options.unknown) {
        for (int32_t id = 0; id < table.size(); ++id) longest_ = std::max(longest_, table.text(id).size());
    }

    void encode(std::string_view text, Output& output) const override {
        std::vector<int32_t>& ids = output.ids;
        std::string repaired;
        Word word;
        const std::string kept = without_dropped(utf8::repair(text, repaired));
        for (const char32_t c : nfd(kept)) {
            if ((classes(c) & kSpace) != 0) {
                finish(word, ids);
            } else if (is_punctuation(c) || is_chinese(c)) {
                finish(word, ids);
                word.add(to_lower(c));
                finish(word, ids);
            } else if (!is_nonspacing_mark(c)) {
                word.add(to_lower(c));
            }
        }
        finish(word, ids);
    }

    std::string piece(int32_t id) const override { return space_marks_to_spaces(table_.text(id)); }

  private:
    struct Word {
        std::string text{kSpaceMark};
        size_t n_chars = 0;

        void add(uint32_t c) {
            // Keeps what is needed to see that the word is too long.
            if (++n_chars <= kLongestWord) utf8::append(text, c);
        }
    };

    static std::string without_dropped(std::string_view text) {
        std::string kept;
        kept.reserve(text.size());
        for (size_t at = 0; at < text.size();) {
            const utf8::Decoded c = utf8::decode(text.data() + at);
            if (!is_dropped(c.code_point)) kept += text.substr(at, c.n_bytes);
            at += c.n_bytes;
        }
        return kept;
    }

    // Appends the pieces of a word and starts the next. A word that is not all made of tokens is unknown as a
    // whole.
    void finish(Word& word, std::vector<int32_t>& ids) const {
        if (word.n_chars > 0 && !(word.n_chars <= kLongestWord && cut(word.text, ids)) &&
            unknown_ != kNoToken) {
            ids.push_back(unknown_);
        }
        word = {};
    }

    bool cut(std::string_view rest, std::vector<int32_t>& ids) const {
        const size_t size_before = ids.size();
        while (!rest.empty()) {
            size_t n_bytes = std::min(longest_, rest.size());
            int32_t id = kNoToken;
            while (n_bytes > 0 && (id = table_.find(rest.substr(0, n_bytes))) == kNoToken) --n_bytes;
            if (id == kNoToken) {
                ids.resize(size_before);
                return false;
            }
            ids.push_back(id);
            rest.remove_prefix(n_bytes);
        }
        return true;
    }

    const TokenTable& table_;
    int32_t unknown_;
    size_t longest_ = 0;  // bytes of a token
};

}  // namespace

std::unique_ptr<Tokenizer> make_wpm_tokenizer(const TokenTable& table, const TokenizerOptions& options) {
    return std::make_unique<WpmTokenizer>(table, options);
}

}  // namespace cria
