// See expiring_bias.h.
#include "sampling/expiring_bias.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "sampling/penalties.h"

namespace cria::sampling {
namespace {

// How often `word` stands in the text so that it ends within the last n_new bytes.
size_t count_new(std::string_view text, size_t n_new, std::string_view word) {
    const size_t n_seen =
        text.size() - std::min(n_new, text.size()) + 1;  // where a new match may end at the earliest
    size_t n = 0;
    size_t from = n_seen > word.size() ? n_seen - word.size() : 0;
    for (size_t at; (at = text.find(word, from)) != std::string_view::npos; from = at + 1) ++n;
    return n;
}

}  // namespace

ExpiringBias::ExpiringBias(const BiasProgram& program, BiasVocabulary vocabulary)
    : vocabulary_(std::make_shared<const BiasVocabulary>(std::move(vocabulary))) {
    std::vector<State> states;
    for (const BiasState& source : program.states) {
        State state;
        state.ends_earlier = source.ends_earlier;
        state.exit_word = source.exit_word;
        for (const BiasEntry& entry : source.entries) state.entries.push_back(compile(entry));
        for (const auto& entry : state.entries)
            for (const Phrase& phrase : entry->phrases) {
                const size_t n_before = phrase.before.empty() ? 0 : phrase.before.back().size();
                max_text_ = std::max({max_text_, phrase.text.size(), n_before});
            }
        max_text_ = std::max(max_text_, source.exit_word.size());
        states.push_back(std::move(state));
        if (!source.is_jump) continue;
        for (State& earlier : std::span(states).first(states.size() - 1)) {
            if (!earlier.jump_word.empty()) continue;
            earlier.jump_word = source.exit_word;
            earlier.jump_target = states.size();
        }
    }
    states_ = std::make_shared<const std::vector<State>>(std::move(states));
    reset();
}

std::shared_ptr<const ExpiringBias::Entry> ExpiringBias::compile(const BiasEntry& source) const {
    auto result = std::make_shared<Entry>();
    result->entry = source;
    for (const std::string& text : source.phrases) {
        Phrase phrase;
        phrase.text = text;
        phrase.tokens = vocabulary_->tokenize(text);
        std::string before;
        for (const Token token : phrase.tokens) {
            phrase.before.push_back(before);
            before += vocabulary_->piece(token);
        }
        result->phrases.push_back(std::move(phrase));
    }
    return result;
}

void ExpiringBias::reset() {
    active_.clear();
    text_.clear();
    next_state_ = -1;
    enter(0);
}

void ExpiringBias::enter(size_t state) {
    const State& entered = (*states_)[state];
    std::erase_if(active_, [&](const Active& a) { return !a.entry->entry.goes_on || entered.ends_earlier; });
    for (const auto& entry : entered.entries) active_.push_back({.entry = entry});
    state_ = state;
    n_new_ = 0;
    next_state_ = -1;
}

float ExpiringBias::bias_of(const BiasEntry& entry, size_t place, size_t n_tokens) {
    if (!entry.is_range) return entry.biases[std::min(place, entry.biases.size() - 1)];
    const float share = n_tokens > 1 ? static_cast<float>(place) / static_cast<float>(n_tokens - 1) : 0.0f;
    return entry.biases[0] + (entry.biases[1] - entry.biases[0]) * share;
}

void ExpiringBias::apply(CandidateArray& candidates) {
    std::vector<TokenBias> biases;
    for (const Active& active : active_) {
        const BiasEntry& entry = active.entry->entry;
        if (entry.biases.empty() || active.is_over()) continue;
        for (const Phrase& phrase : active.entry->phrases)
            for (size_t i = 0; i < phrase.tokens.size(); ++i) {
                const bool is_begun = i == 0 && phrase.tokens.size() > 1 && text_.ends_with(phrase.before[1]);
                const bool is_next = i == 0 ? !is_begun : text_.ends_with(phrase.before[i]);
                if (is_next) biases.push_back({phrase.tokens[i], bias_of(entry, i, phrase.tokens.size())});
            }
    }
    add_bias(candidates, biases);
}

bool ExpiringBias::is_writing_wanted_phrase() const {
    for (const Active& active : active_) {
        const BiasEntry& entry = active.entry->entry;
        if (entry.biases.empty() || active.is_over()) continue;
        for (const Phrase& phrase : active.entry->phrases)
            for (size_t i = 1; i < phrase.tokens.size(); ++i)
                if (bias_of(entry, i, phrase.tokens.size()) > 0 && !phrase.before[i].empty() &&
                    text_.ends_with(phrase.before[i]))
                    return true;
    }
    return false;
}

void ExpiringBias::accept(Token token) {
    const std::string piece = vocabulary_->piece(token);
    text_ += piece;
    n_new_ += piece.size();
    const auto since_entry = std::string_view(text_).substr(text_.size() - std::min(n_new_, text_.size()));
    const auto count_word = [&](std::string_view word) { return count_new(since_entry, piece.size(), word); };
    for (Active& active : active_) {
        ++active.n_tokens;
        if (active.entry->entry.changes.empty()) continue;
        for (const Phrase& phrase : active.entry->phrases) active.n_seen += count_word(phrase.text);
    }
    const State& state = (*states_)[state_];
    if (!state.exit_word.empty() && count_word(state.exit_word) > 0)
        next_state_ = static_cast<int64_t>(state_ + 1);
    else if (!state.jump_word.empty() && count_word(state.jump_word) > 0)
        next_state_ = static_cast<int64_t>(state.jump_target);
    if (text_.size() > 4 * max_text_ + 4096) text_.erase(0, text_.size() - max_text_);
    if (next_state_ >= 0 && !is_writing_wanted_phrase()) enter(static_cast<size_t>(next_state_));
}

std::vector<OptionChange> ExpiringBias::option_changes() const {
    std::vector<OptionChange> changes;
    for (const Active& active : active_) {
        const BiasEntry& entry = active.entry->entry;
        const bool is_on = entry.phrases.empty() || active.n_seen % 2 == 1;
        if (!active.is_over() && is_on)
            changes.insert(changes.end(), entry.changes.begin(), entry.changes.end());
    }
    return changes;
}

std::string ExpiringBias::describe() const {
    return fmt::format("expiring bias (state {} of {})", state_ + 1, states_->size());
}

}  // namespace cria::sampling
