// Grammar objects.
#include "grammar/constraint.h"

#include <limits>

#include "capi/candidate_array.h"

using namespace cria::capi;
namespace grammar = cria::grammar;

struct llama_grammar {
    grammar::Constraint constraint;
};

namespace {

std::shared_ptr<const grammar::TokenTrie> build_trie(const cria::Vocab& vocab) {
    std::vector<grammar::TokenText> tokens;
    for (llama_token id = 0; id < vocab.size(); ++id) {
        const bool is_control = vocab.is_control(id) || (vocab.attributes(id) & cria::kAttrUnknown) != 0;
        const grammar::TokenRole role = vocab.is_end_of_generation(id) ? grammar::TokenRole::end
                                        : is_control                   ? grammar::TokenRole::control
                                                                       : grammar::TokenRole::text;
        tokens.push_back({vocab.token_to_piece(id), role});
    }
    // Programs of the family see control tokens judged by their text.
    return grammar::TokenTrie::build(tokens, {.control_as_text = true});
}

// Made once for each vocabulary: it takes longer than most grammars.
std::shared_ptr<const grammar::TokenTrie> trie_of(const llama_vocab* vocab) {
    const cria::Vocab& v = vocab_of(vocab);
    const std::lock_guard lock(vocab->trie->mutex);
    if (!vocab->trie->trie) vocab->trie->trie = build_trie(v);
    return vocab->trie->trie;
}

llama_grammar* make_grammar(const llama_vocab* vocab, const char* text, const char* root,
                            const grammar::Triggers& triggers) {
    const cria::Vocab& v = vocab_of(vocab);
    const auto find = [&](std::string_view token_text) -> std::optional<uint32_t> {
        const int32_t id = v.find(token_text);
        return id == cria::kNoToken ? std::nullopt : std::optional(static_cast<uint32_t>(id));
    };
    const grammar::GbnfTokens tokens{.find = find, .n_tokens = static_cast<uint32_t>(v.size())};
    const auto program = grammar::compile_gbnf(&required(text, "grammar_str"),
                                               {.root = &required(root, "grammar_root"), .tokens = &tokens});
    grammar::Constraint constraint(program, trie_of(vocab), triggers);
    return std::make_unique<llama_grammar>(llama_grammar{std::move(constraint)}).release();
}

std::vector<uint32_t> trigger_ids(const llama_token* tokens, size_t n_tokens) {
    if (n_tokens > 0) required(tokens, "trigger_tokens");
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < n_tokens; ++i) {
        if (tokens[i] < 0)
            cria::fail(cria::ErrorCode::invalid_argument, "trigger_tokens[{}] is {}", i, tokens[i]);
        ids.push_back(static_cast<uint32_t>(tokens[i]));
    }
    return ids;
}

std::vector<std::string> trigger_texts(const char** texts, size_t n_texts) {
    if (n_texts > 0) required(texts, "trigger texts");
    std::vector<std::string> list;
    for (size_t i = 0; i < n_texts; ++i) list.emplace_back(&required(texts[i], "a trigger text"));
    return list;
}

}  // namespace

llama_grammar* llama_sampler_init_grammar(const llama_vocab* vocab, const char* grammar_str,
                                          const char* grammar_root) {
    return guard<llama_grammar*>("llama_sampler_init_grammar", nullptr,
                                 [&] { return make_grammar(vocab, grammar_str, grammar_root, {}); });
}

llama_grammar* llama_sampler_init_grammar_lazy(const llama_vocab* vocab, const char* grammar_str,
                                               const char* grammar_root, const char** trigger_words,
                                               size_t num_trigger_words, const llama_token* trigger_tokens,
                                               size_t num_trigger_tokens) {
    return guard<llama_grammar*>("llama_sampler_init_grammar_lazy", nullptr, [&] {
        grammar::Triggers triggers{.patterns = {}, .tokens = trigger_ids(trigger_tokens, num_trigger_tokens)};
        for (const std::string& word : trigger_texts(trigger_words, num_trigger_words)) {
            triggers.patterns.push_back(grammar::regex_for_word(word));
        }
        return make_grammar(vocab, grammar_str, grammar_root, triggers);
    });
}

llama_grammar* llama_sampler_init_grammar_lazy_patterns(const llama_vocab* vocab, const char* grammar_str,
                                                        const char* grammar_root,
                                                        const char** trigger_patterns,
                                                        size_t num_trigger_patterns,
                                                        const llama_token* trigger_tokens,
                                                        size_t num_trigger_tokens) {
    return guard<llama_grammar*>("llama_sampler_init_grammar_lazy_patterns", nullptr, [&] {
        const grammar::Triggers triggers{.patterns = trigger_texts(trigger_patterns, num_trigger_patterns),
                                         .tokens = trigger_ids(trigger_tokens, num_trigger_tokens)};
        return make_grammar(vocab, grammar_str, grammar_root, triggers);
    });
}

// There is nothing to begin: lazy grammars begin with their first token.
void llama_grammar_init_lazy(llama_sampler_grammar* grammar) {}

void llama_grammar_free(llama_grammar* grammar) { delete grammar; }

llama_grammar* llama_grammar_copy(const llama_grammar* grammar) {
    return guard<llama_grammar*>("llama_grammar_copy", nullptr, [&] {
        return std::make_unique<llama_grammar>(required(grammar, "grammar")).release();
    });
}

void llama_grammar_apply(const llama_grammar* grammar, const llama_context* ctx,
                         llama_token_data_array* candidates) {
    guard("llama_grammar_apply", [&] {
        const grammar::Constraint& constraint = required(grammar, "grammar").constraint;
        auto& array = array_of(candidates);
        if (constraint.is_waiting()) return;
        const auto mask = constraint.mask();
        for (auto& candidate : array.span()) {
            if (candidate.id < 0 || !mask->allows(static_cast<uint32_t>(candidate.id))) {
                candidate.logit = -std::numeric_limits<float>::infinity();
            }
        }
        array.sorted = false;
    });
}

void llama_sample_grammar(llama_context* ctx, llama_token_data_array* candidates,
                          const llama_grammar* grammar) {
    llama_grammar_apply(grammar, ctx, candidates);
}

void llama_grammar_accept_token(llama_grammar* grammar, llama_context* ctx, llama_token token) {
    guard("llama_grammar_accept_token", [&] {
        llama_grammar& g = required(grammar, "grammar");
        if (token < 0) cria::fail(cria::ErrorCode::invalid_argument, "there is no token {}", token);
        g.constraint.accept(static_cast<uint32_t>(token));
    });
}
