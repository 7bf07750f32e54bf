// Unigram models ("t5"): text is normalised with the model's character map, then cut so that the sum of the
// tokens' scores is the greatest (Viterbi).
#include <algorithm>
#include <limits>

#include "vocab/charsmap.h"
#include "vocab/tokenizer.h"
#include "vocab/trie.h"
#include "vocab/utf8.h"

namespace cria {
namespace {

// How much worse than the worst token a character is that no token has.
constexpr double kUnknownPenalty = 10.0;

// One character at the start of the text, or one byte that belongs to none.
size_t character_bytes(std::string_view text) {
    const size_t claimed = utf8::claimed_bytes(text[0]);
    return claimed <= text.size() && utf8::is_well_formed(text.substr(0, claimed)) ? claimed : 1;
}

class UgmTokenizer final : public Tokenizer {
  public:
    UgmTokenizer(const TokenTable& table, std::string charsmap, const TokenizerOptions& options)
        : table_(table), options_(options), charsmap_(std::move(charsmap)) {
        std::vector<Trie::Entry> tokens, user_defined;
        double lowest = std::numeric_limits<double>::max();
        for (int32_t id = 0; id < table.size(); ++id) {
            if (table.has(id, kAttrNormal)) lowest = std::min<double>(lowest, table.score(id));
            if (table.has(id, kAttrNormal | kAttrUserDefined | kAttrUnused))
                tokens.emplace_back(table.text(id), id);
            if (table.has(id, kAttrUserDefined)) user_defined.emplace_back(table.text(id), id);
        }
        unknown_score_ = (lowest == std::numeric_limits<double>::max() ? 0.0 : lowest) - kUnknownPenalty;
        tokens_ = Trie(std::move(tokens));
        user_defined_ = Trie(std::move(user_defined));
    }

    void encode(std::string_view text, Output& output) const override {
        std::vector<int32_t>& ids = output.ids;
        const std::string normalized = normalize(text);
        const std::vector<Arrival> arrivals = best_arrivals(normalized);
        const size_t first = ids.size();
        bool after_unknown = false;  // neighbouring unknown characters are one token
        for (size_t at = normalized.size(); at > 0; at = arrivals[at].from) {
            const int32_t id = arrivals[at].id;
            const bool is_unknown = id == options_.unknown;
            if (id != kNoToken && !(is_unknown && after_unknown)) ids.push_back(id);
            after_unknown = is_unknown;
        }
        std::reverse(ids.begin() + static_cast<ptrdiff_t>(first), ids.end());
    }

    std::string piece(int32_t id) const override {
        const int byte = table_.has(id, kAttrByte) ? parse_byte_token(table_.text(id)) : -1;
        return byte >= 0 ? std::string(1, static_cast<char>(byte)) : space_marks_to_spaces(table_.text(id));
    }

  private:
    struct Arrival {  // the best way to a place
        double score = -std::numeric_limits<double>::max();
        size_t from = 0;
        int32_t id = kNoToken;
    };

    struct Normalized {
        size_t n_bytes;  // of the text
        std::string_view as;
    };
    Normalized normalize_prefix(std::string_view text) const {
        const Trie::Match user = user_defined_.longest_prefix(text);
        if (user.n_bytes > 0) return {user.n_bytes, text.substr(0, user.n_bytes)};
        const Charsmap::Match match = charsmap_.longest_prefix(text);
        if (match.n_bytes > 0) return {match.n_bytes, match.replacement};
        const size_t n_bytes = character_bytes(text);
        const bool is_stray = n_bytes == 1 && static_cast<unsigned char>(text[0]) >= 0x80;
        return {n_bytes, is_stray ? "\xef\xbf\xbd" : text.substr(0, n_bytes)};
    }

    // Spaces become U+2581; those in front, at the end and repeated ones go when the vocabulary wants it.
    std::string normalize(std::string_view text) const {
        std::string out;
        out.reserve(text.size() * 2);
        bool in_word = false, has_prefix = false;
        while (!text.empty()) {
            const Normalized part = normalize_prefix(text);
            text.remove_prefix(part.n_bytes);
            for (const char c : part.as) {
                if (c == ' ') {
                    in_word = false;
                    if (!options_.remove_extra_whitespaces) out += kSpaceMark;
                    continue;
                }
                const bool wants_mark =
                    options_.remove_extra_whitespaces || (options_.add_space_prefix && !has_prefix);
                if (!in_word && wants_mark) {
                    out += kSpaceMark;
                    has_prefix = true;
                }
                in_word = true;
                out += c;
            }
        }
        return out;
    }

    std::vector<Arrival> best_arrivals(std::string_view text) const {
        std::vector<Arrival> arrivals(text.size() + 1);
        arrivals[0].score = 0;
        for (size_t at = 0; at < text.size();) {
            const double score = arrivals[at].score;
            const auto arrive = [&](size_t n_bytes, int32_t id, double token_score) {
                Arrival& arrival = arrivals[at + n_bytes];
                if (score + token_score > arrival.score) arrival = {score + token_score, at, id};
            };
            const size_t n_char = character_bytes(text.substr(at));
            bool has_single = false;
            tokens_.for_each_prefix(text.substr(at), [&](size_t n_bytes, int32_t id) {
                has_single |= n_bytes == n_char;
                arrive(n_bytes, id, table_.has(id, kAttrUserDefined) ? 0.0 : table_.score(id));
            });
            if (!has_single) arrive(n_char, options_.unknown, unknown_score_);
            at += n_char;
        }
        return arrivals;
    }

    const TokenTable& table_;
    TokenizerOptions options_;
    Charsmap charsmap_;
    Trie tokens_;
    Trie user_defined_;
    double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<Tokenizer> make_ugm_tokenizer(const TokenTable& table, std::string charsmap,
                                              const TokenizerOptions& options) {
    return std::make_unique<UgmTokenizer>(table, std::move(charsmap), options);
}

}  // namespace cria
