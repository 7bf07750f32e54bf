// See vocab.h.
#include "vocab/vocab.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "vocab/clean_spaces.h"
#include "vocab/special_matcher.h"
#include "vocab/vocab_kinds.h"

namespace cria {
namespace {

// The pieces of all tokens, decoded once.
class PieceTable {
  public:
    PieceTable(const TokenTable& table, const Tokenizer* tokenizer) {
        starts_.reserve(static_cast<size_t>(table.size()) + 1);
        for (int32_t id = 0; id < table.size(); ++id) {
            starts_.push_back(pieces_.size());
            if (tokenizer == nullptr || table.has(id, kAttrControl | kAttrUserDefined | kAttrUnknown)) {
                pieces_ += table.text(id);
            } else if (!table.has(id, kAttrUnused)) {  // fillers say nothing
                pieces_ += tokenizer->piece(id);
            }
        }
        starts_.push_back(pieces_.size());
    }
    std::string_view operator[](int32_t id) const {
        const auto i = static_cast<size_t>(id);
        return {pieces_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }

  private:
    std::string pieces_;
    std::vector<size_t> starts_;
};

VocabData dummy_tokens(const VocabData& data) {
    if (data.n_dummy_tokens < 0 || static_cast<size_t>(data.n_dummy_tokens) > kMaxTokens) {
        fail(ErrorCode::invalid_file, "the vocabulary size {} is not between 0 and {}", data.n_dummy_tokens,
             kMaxTokens);
    }
    VocabData dummy = data;
    dummy.tokens.assign(static_cast<size_t>(data.n_dummy_tokens), "");
    dummy.scores.clear();
    dummy.types.clear();
    return dummy;
}

TokenTable make_table(const VocabData& data, VocabType type) {
    if (type == VocabType::none) return TokenTable(dummy_tokens(data));
    if (data.tokens.empty()) {
        fail(ErrorCode::invalid_file,
             "the file has no tokenizer.ggml.tokens, so there is no vocabulary; convert the model again");
    }
    return TokenTable(data);
}

// "\n" as a token; the default padding where a kind does not know it.
int32_t find_newline(const VocabTraits& traits, const TokenTable& table, const Tokenizer* tokenizer) {
    const int32_t padding = traits.default_ids[static_cast<size_t>(SpecialToken::pad)];
    if (traits.type == VocabType::none || traits.type == VocabType::wpm) return padding;
    if (traits.type == VocabType::spm) {
        const int32_t id = table.find_byte('\n');
        return id != kNoToken ? id : padding;
    }
    Output output(1);
    tokenizer->encode("\n", output);
    return output.ids.empty() ? padding : output.ids[0];
}

// Tokens that only their text makes control tokens, while a merge makes them of plain text: a word like
// "</s>" in a vocabulary whose model ends answers otherwise.
std::vector<int32_t> ordinary_tokens(const TokenTable& table, const std::vector<std::string>& merges) {
    std::vector<int32_t> candidates;
    for (int32_t id = 0; id < table.size(); ++id) {
        if (table.has(id, kAttrNormal) && table.has(id, kAttrControl)) candidates.push_back(id);
    }
    if (candidates.empty()) return candidates;
    std::vector<int32_t> ordinary;
    for (const std::string_view merge : merges) {
        const size_t space = merge.find(' ', 1);
        if (space == std::string_view::npos) continue;
        for (const int32_t id : candidates) {
            const std::string_view text = table.text(id);
            if (text.size() + 1 == merge.size() && text.starts_with(merge.substr(0, space)) &&
                text.ends_with(merge.substr(space + 1))) {
                ordinary.push_back(id);
            }
        }
    }
    std::sort(ordinary.begin(), ordinary.end());
    return ordinary;
}

// Templates that write the begin token themselves are a common mistake, and it costs quality.
void warn_about_repeated(std::span<const int32_t> ids, const VocabTraits& traits,
                         const SpecialTokens& special) {
    if (ids.size() < 2) return;
    const int32_t bos = special[SpecialToken::bos], eos = special[SpecialToken::eos];
    if (traits.add_bos && bos != kNoToken && ids[0] == bos && ids[1] == bos) {
        log_warning("the text begins with a begin-of-sequence token ({}), and another was added before it",
                    bos);
    }
    if (traits.add_eos && eos != kNoToken && ids[ids.size() - 1] == eos && ids[ids.size() - 2] == eos) {
        log_warning("the text ends with an end-of-sequence token ({}), and another was added after it", eos);
    }
}

[[noreturn]] void fail_bad_id(int32_t id, int32_t size) {
    fail(ErrorCode::invalid_argument, "there is no token {}; the vocabulary's ids go from 0 to {}", id,
         size - 1);
}

}  // namespace

struct Vocab::State {
    explicit State(const VocabData& data)
        : traits(settle_traits(data)),
          table(make_table(data, traits.type)),
          special(find_special_tokens(data, traits.default_ids, table)),
          tokenizer(make_tokenizer(data, traits, table, special[SpecialToken::unk])),
          matcher(table, ordinary_tokens(table, data.merges)),
          pieces(table, tokenizer.get()) {
        special[SpecialToken::newline] = find_newline(traits, table, tokenizer.get());
    }

    // The id as given, when there is such a token.
    int32_t checked(int32_t id) const {
        if (!table.contains(id)) fail_bad_id(id, table.size());
        return id;
    }

    VocabTraits traits;
    TokenTable table;
    SpecialTokens special;
    std::unique_ptr<Tokenizer> tokenizer;  // null for kind "none"
    SpecialMatcher matcher;
    PieceTable pieces;
};

Vocab::Vocab(const VocabData& data) : state_(std::make_unique<const State>(data)) {}
Vocab::~Vocab() = default;
Vocab::Vocab(Vocab&&) noexcept = default;
Vocab& Vocab::operator=(Vocab&&) noexcept = default;

std::vector<int32_t> Vocab::tokenize(std::string_view text, const TokenizeOptions& options) const {
    const State& state = *state_;
    if (state.tokenizer == nullptr) {
        fail(ErrorCode::unsupported, "this model has no tokenizer; it takes and gives token ids only");
    }
    Output output(text.size());
    std::vector<int32_t>& ids = output.ids;
    const auto add = [&](bool wanted, SpecialToken which) {
        if (options.add_special && wanted && special(which) != kNoToken) ids.push_back(special(which));
    };
    add(state.traits.add_bos, SpecialToken::bos);
    const bool prefixes = state.traits.type == VocabType::spm && state.traits.add_space_prefix;
    bool after_special = true;
    for (const Fragment& fragment : state.matcher.partition(text, options.parse_special)) {
        if (fragment.id != kNoToken) {
            ids.push_back(fragment.id);
        } else if (prefixes && after_special) {
            state.tokenizer->encode(" " + std::string(fragment.text), output);
        } else {
            state.tokenizer->encode(fragment.text, output);
        }
        after_special = fragment.id != kNoToken;
    }
    add(state.traits.add_sep, SpecialToken::sep);
    // WordPiece ends with its separator whatever the file says about an end token.
    add(state.traits.add_eos && state.traits.type != VocabType::wpm, SpecialToken::eos);
    if (options.add_special) warn_about_repeated(ids, state.traits, state.special);
    return std::move(ids);
}

std::string_view Vocab::token_to_piece(int32_t id, const PieceOptions& options) const {
    const State& state = *state_;
    if (!options.special && state.table.has(state.checked(id), kAttrControl | kAttrUnknown)) return {};
    std::string_view piece = state.pieces[state.checked(id)];
    for (int i = 0; i < options.lstrip && piece.starts_with(' '); ++i) piece.remove_prefix(1);
    return piece;
}

std::string Vocab::detokenize(std::span<const int32_t> ids, const DetokenizeOptions& options) const {
    const State& state = *state_;
    bool remove_space = state.traits.add_space_prefix;
    if (options.remove_special) {
        if (state.traits.add_bos && !ids.empty() && ids.front() == bos()) {
            ids = ids.subspan(1);
            remove_space = false;
        }
        if (state.traits.add_eos && !ids.empty() && ids.back() == eos()) ids = ids.first(ids.size() - 1);
    }
    std::string text;
    for (const int32_t id : ids) {
        text += token_to_piece(id, {.lstrip = remove_space ? 1 : 0, .special = options.unparse_special});
        remove_space = false;
    }
    return state.traits.clean_spaces ? clean_spaces(text) : text;
}

VocabType Vocab::type() const { return state_->traits.type; }
int32_t Vocab::size() const { return state_->table.size(); }
std::string_view Vocab::text(int32_t id) const { return state_->table.text(state_->checked(id)); }
float Vocab::score(int32_t id) const { return state_->table.score(state_->checked(id)); }
uint32_t Vocab::attributes(int32_t id) const { return state_->table.attributes(state_->checked(id)); }
int32_t Vocab::find(std::string_view text) const { return state_->table.find(text); }

bool Vocab::is_end_of_generation(int32_t id) const {
    const std::span<const int32_t> ends = end_of_generation();
    return std::binary_search(ends.begin(), ends.end(), state_->checked(id));
}
std::span<const int32_t> Vocab::end_of_generation() const { return state_->special.end_of_generation; }

int32_t Vocab::special(SpecialToken which) const { return state_->special[which]; }
bool Vocab::adds_bos() const { return state_->traits.add_bos; }
bool Vocab::adds_eos() const { return state_->traits.add_eos; }
bool Vocab::adds_sep() const { return state_->traits.add_sep; }
bool Vocab::adds_space_prefix() const { return state_->traits.add_space_prefix; }

}  // namespace cria
