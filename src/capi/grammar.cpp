// Grammar objects.
#include "capi/handles.h"

using namespace cria::capi;

llama_grammar* llama_sampler_init_grammar(const llama_vocab* vocab, const char* grammar_str,
                                          const char* grammar_root) {
    return not_available("llama_sampler_init_grammar", static_cast<llama_grammar*>(nullptr));
}

llama_grammar* llama_sampler_init_grammar_lazy(const llama_vocab* vocab, const char* grammar_str,
                                               const char* grammar_root, const char** trigger_words,
                                               size_t num_trigger_words, const llama_token* trigger_tokens,
                                               size_t num_trigger_tokens) {
    return not_available("llama_sampler_init_grammar_lazy", static_cast<llama_grammar*>(nullptr));
}

llama_grammar* llama_sampler_init_grammar_lazy_patterns(const llama_vocab* vocab, const char* grammar_str,
                                                        const char* grammar_root,
                                                        const char** trigger_patterns,
                                                        size_t num_trigger_patterns,
                                                        const llama_token* trigger_tokens,
                                                        size_t num_trigger_tokens) {
    return not_available("llama_sampler_init_grammar_lazy_patterns", static_cast<llama_grammar*>(nullptr));
}

void llama_grammar_free(llama_grammar* grammar) {
    if (grammar != nullptr) log_not_available("llama_grammar_free");
}

llama_grammar* llama_grammar_copy(const llama_grammar* grammar) {
    return not_available("llama_grammar_copy", static_cast<llama_grammar*>(nullptr));
}

void llama_grammar_apply(const llama_grammar* grammar, const llama_context* ctx,
                         llama_token_data_array* candidates) {
    log_not_available("llama_grammar_apply");
}

void llama_grammar_accept_token(llama_grammar* grammar, llama_context* ctx, llama_token token) {
    log_not_available("llama_grammar_accept_token");
}

// There is nothing to begin: lazy grammars begin with their first token.
void llama_grammar_init_lazy(llama_sampler_grammar* grammar) {}

void llama_sample_grammar(llama_context* ctx, llama_token_data_array* candidates,
                          const llama_grammar* grammar) {
    llama_grammar_apply(grammar, ctx, candidates);
}
