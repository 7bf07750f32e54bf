// Calls every function wrongly, without and with a live model, and lives. The model is the program's
// argument.
#include "call_everything.h"

#include <cstdio>

namespace {

int n_calls = 0;
int n_log_lines = 0;
bool is_verbose = false;

void count_line(ggml_log_level level, const char*, void*) {
    if (level == GGML_LOG_LEVEL_ERROR) ++n_log_lines;
}

bool answers(const Handles& handles) {
    llama_token tokens[] = {1, 5, 6, 7};
    llama_decode_reset();
    llama_kv_cache_clear(handles.ctx);
    return llama_decode(handles.ctx, llama_batch_get_one(tokens, 4, 0, 0)) == 0 &&
           llama_get_logits_ith(handles.ctx, -1) != nullptr;
}

}  // namespace

void before_call(const char* function, const Handles& handles) {
    ++n_calls;
    if (is_verbose) std::fprintf(stderr, "%s\n", function);
    llama_log_set(count_line, nullptr);  // one of the functions takes the callback away
    if (handles.ctx != nullptr) answers(handles);
}

int main(int n_arguments, char** arguments) {
    is_verbose = n_arguments > 2;
    for (int round = 0; round < 3; ++round) call_everything({}, round);
    Handles handles;
    llama_log_set(count_line, nullptr);
    handles.model =
        n_arguments > 1 ? llama_model_load_from_file(arguments[1], llama_model_default_params()) : nullptr;
    if (handles.model == nullptr) {
        std::printf("%d calls without a model, %d lines in the log; there is no model here\n", n_calls,
                    n_log_lines);
        return 0;
    }
    llama_context_params params = llama_context_default_params();
    params.n_threads = params.n_threads_batch = 1;
    handles.ctx = llama_init_from_model(handles.model, params);
    handles.vocab = llama_model_get_vocab(handles.model);
    if (!answers(handles)) return 1;
    for (int round = 0; round < 3; ++round) call_everything(handles, round);
    // What the calls set on purpose (embeddings instead of logits) is set back; nothing else may be broken.
    llama_set_embeddings(handles.ctx, false);
    llama_set_causal_attn(handles.ctx, true);
    const bool is_alive = answers(handles);
    llama_free(handles.ctx);
    llama_free_model(handles.model);
    std::printf("%d calls, %d lines in the log\n", n_calls, n_log_lines);
    return is_alive ? 0 : 1;
}
