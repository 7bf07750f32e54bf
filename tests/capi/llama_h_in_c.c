/* A C11 program that uses llama.h the way C programs do: it must compile without warnings, link with libllama
 * alone, and run. */
#include "llama.h"

#include <stdio.h>

static int failures = 0;

static void expect(bool condition, const char* what) {
    if (condition) return;
    fprintf(stderr, "failed: %s\n", what);
    ++failures;
}

static void use_batches(void) {
    llama_batch batch = llama_batch_init(4, 0, 2);
    expect(batch.token != NULL && batch.embd == NULL, "a token batch has ids and no vectors");
    batch.token[3] = 7;
    batch.seq_id[3][1] = 1;
    batch.n_tokens = 4;
    llama_batch_free(batch);

    llama_token tokens[2] = {1, 2};
    const struct llama_batch one = llama_batch_get_one(tokens, 2, 5, 3);
    expect(one.token == tokens && one.n_tokens == 2 && one.all_pos_0 == 5 && one.all_seq_id == 3,
           "get_one borrows");
}

static void use_parameters(void) {
    const struct llama_model_params model = llama_model_default_params();
    const struct llama_context_params context = llama_context_default_params();
    const llama_model_quantize_params quantize = llama_model_quantize_default_params();
    expect(model.use_mmap && context.seed == LLAMA_DEFAULT_SEED, "defaults");
    expect(quantize.ftype == LLAMA_FTYPE_MOSTLY_Q5_1, "default file type");

    struct llama_model_kv_override override = {.tag = LLAMA_KV_OVERRIDE_TYPE_BOOL, .key = "a.b"};
    override.val_bool = true;
    expect(override.val_bool, "members of the unnamed union are reachable");
}

static void use_errors(void) {
    expect(llama_model_load_from_file("/no/such/file.gguf", llama_model_default_params()) == NULL,
           "no such file");
    expect(llama_init_from_model(NULL, llama_context_default_params()) == NULL, "no model");
    expect(llama_token_bos(NULL) == LLAMA_TOKEN_NULL, "no vocabulary");
    llama_free(NULL);
    llama_free_model(NULL);
}

int main(void) {
    llama_backend_init();
    use_batches();
    use_parameters();
    use_errors();
    expect(llama_time_us() > 0 && llama_max_devices() >= 1, "process");
    llama_backend_free();
    return failures;
}
