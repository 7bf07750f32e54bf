// Waiting for triggers, waking, and turning refusals into errors.
#include "grammar/constraint.h"

#include <algorithm>

#include "base/error.h"

namespace cria::grammar {
namespace {

std::shared_ptr<const TokenMask> everything(uint32_t n_tokens) {
    auto mask = std::make_shared<TokenMask>();
    mask->words.assign((size_t{n_tokens} + 63) / 64, UINT64_MAX);
    if (n_tokens % 64 != 0) mask->words.back() = (uint64_t{1} << (n_tokens % 64)) - 1;
    mask->n_allowed = n_tokens;
    return mask;
}

}  // namespace

std::shared_ptr<const Program> compile_gbnf(std::string_view text, const GbnfOptions& options) {
    return Program::compile(parse_gbnf(text, options));
}

std::shared_ptr<const Program> compile_regex(std::string_view pattern) {
    Grammar grammar;
    const RuleId root = grammar.add_rule("root");
    grammar.define(root,
                   grammar.strings(Regex::compile(pattern).language(RegexUse::whole), StringEncoding::plain));
    grammar.set_root(root);
    return Program::compile(grammar, {.prune_dead_ends = true});
}

std::string regex_for_word(std::string_view word) {
    static constexpr std::string_view kSpecial = "\\^$.*+?()[]{}|/-";
    std::string pattern;
    for (const char c : word) {
        if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

Constraint::Constraint(std::shared_ptr<const Program> program, std::shared_ptr<const TokenTrie> vocabulary,
                       const Triggers& triggers)
    : matcher_(std::move(program)), vocabulary_(std::move(vocabulary)), trigger_tokens_(triggers.tokens) {
    for (const uint32_t id : trigger_tokens_) check_id(id);
    for (const std::string& pattern : triggers.patterns) scanners_.emplace_back(Regex::compile(pattern));
    is_waiting_ = !trigger_tokens_.empty() || !scanners_.empty();
}

void Constraint::check_id(uint32_t id) const {
    if (id < vocabulary_->n_tokens()) return;
    fail(ErrorCode::invalid_argument, "token {} is beyond the vocabulary of {} tokens", id,
         vocabulary_->n_tokens());
}

void Constraint::accept(uint32_t id) {
    check_id(id);
    is_waiting_ ? accept_waiting(id) : accept_awake(id);
    ++n_accepted_;
}

bool Constraint::allows(uint32_t id) const {
    return id < vocabulary_->n_tokens() && (is_waiting_ || token_allowed(matcher_, *vocabulary_, id));
}

std::shared_ptr<const TokenMask> Constraint::mask() const {
    return is_waiting_ ? everything(vocabulary_->n_tokens()) : token_mask(matcher_, vocabulary_);
}

// A token that ends generation leaves the grammar where it is, unless a terminal names it.
bool Constraint::advance(Matcher& matcher, uint32_t id) const {
    const std::string_view text =
        vocabulary_->judged_by_text(id) ? vocabulary_->bytes(id) : std::string_view();
    if (matcher.accept_token(id, text)) return true;
    return vocabulary_->role(id) == TokenRole::end && matcher.may_end();
}

void Constraint::accept_awake(uint32_t id) {
    if (advance(matcher_, id)) return;
    const std::string_view why =
        vocabulary_->role(id) == TokenRole::end ? ": the text is not complete yet" : "";
    fail(ErrorCode::invalid_argument, "the grammar refuses token {} ('{}') after {} tokens{}", id,
         vocabulary_->bytes(id), n_accepted_, why);
}

void Constraint::accept_waiting(uint32_t id) {
    if (std::ranges::find(trigger_tokens_, id) != trigger_tokens_.end()) {
        accept_awake(id);
        is_waiting_ = false;
        return;
    }
    const size_t begin = text_.size();
    seen_.push_back({id, begin});
    text_ += vocabulary_->bytes(id);
    const std::vector<RegexScanner> scanners = scanners_;
    for (RegexScanner& scanner : scanners_) scanner.feed(vocabulary_->bytes(id));
    const std::optional<size_t> trigger = find_trigger();
    if (!trigger) return;
    try {
        replay_from(*trigger);
    } catch (...) {
        seen_.pop_back();
        text_.resize(begin);
        scanners_ = scanners;
        throw;
    }
    is_waiting_ = false;
    text_.clear();
    seen_.clear();
    scanners_.clear();
}

std::optional<size_t> Constraint::find_trigger() const {
    for (const RegexScanner& scanner : scanners_) {
        if (!scanner.found()) continue;
        const std::optional<RegexMatch> match = scanner.regex().search(text_);
        if (!match) continue;
        for (size_t group = 1; group < match->groups.size(); ++group) {
            const auto& span = match->groups[group];
            if (span && span->end > span->begin) return span->begin;
        }
        return match->groups[0]->begin;
    }
    return std::nullopt;
}

// The first token may lie only partly behind the trigger: its rest is fed as text, what follows as tokens.
void Constraint::replay_from(size_t begin) {
    Matcher matcher = matcher_;
    for (size_t i = 0; i < seen_.size(); ++i) {
        const size_t end = i + 1 < seen_.size() ? seen_[i + 1].begin : text_.size();
        if (end <= begin) continue;
        const bool is_cut = seen_[i].begin < begin;
        const bool accepted = is_cut ? matcher.accept(std::string_view(text_).substr(begin, end - begin))
                                     : advance(matcher, seen_[i].id);
        if (!accepted) {
            fail(ErrorCode::invalid_argument,
                 "the grammar refuses token {} ('{}') when its trigger at byte {} wakes it", seen_[i].id,
                 vocabulary_->bytes(seen_[i].id), begin);
        }
    }
    matcher_ = std::move(matcher);
}

}  // namespace cria::grammar
