// LoRA adapters and control vectors.
#include "capi/handles.h"

using namespace cria::capi;

llama_lora_adapter* llama_lora_adapter_init(llama_model* model, const char* path_lora) {
    return not_available("llama_lora_adapter_init", static_cast<llama_lora_adapter*>(nullptr));
}

void llama_lora_adapter_free(llama_lora_adapter* adapter) {
    if (adapter != nullptr) log_not_available("llama_lora_adapter_free");
}

int32_t llama_lora_adapter_set(llama_context* ctx, llama_lora_adapter* adapter, float scale) {
    return not_available("llama_lora_adapter_set", -1);
}

int32_t llama_lora_adapter_remove(llama_context* ctx, llama_lora_adapter* adapter) {
    return not_available("llama_lora_adapter_remove", -1);
}

void llama_lora_adapter_clear(llama_context* ctx) { log_not_available("llama_lora_adapter_clear"); }

int32_t llama_control_vector_apply(llama_context* lctx, const float* data, size_t len, int32_t n_embd,
                                   int32_t il_start, int32_t il_end) {
    return not_available("llama_control_vector_apply", 1);
}
