// LoRA adapters and control vectors.
#include <algorithm>

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
    return guard<int32_t>("llama_control_vector_apply", 1, [&] {
        cria::Context& context = context_of(lctx);
        if (data == nullptr) {
            lctx->control_vectors.clear();
            context.set_control_vectors({});
            return 0;
        }
        const cria::arch::ModelSpec& spec = context.model().spec();
        if (n_embd != spec.width) {
            cria::fail(cria::ErrorCode::invalid_argument,
                       "n_embd is {}, but the model's hidden states have {} values", n_embd, spec.width);
        }
        const auto width = static_cast<size_t>(spec.width);
        const auto n_layers = static_cast<size_t>(spec.n_layers);
        std::vector<float>& given = lctx->control_vectors;
        given.resize(n_layers * width);
        // The data begin at layer 1; layers beyond them keep what they had.
        const size_t n_rows = std::min(len / width, n_layers - 1);
        std::copy_n(data, n_rows * width, given.begin() + static_cast<std::ptrdiff_t>(width));
        std::vector<float> used = given;
        for (size_t layer = 0; layer < n_layers; ++layer) {
            const auto il = static_cast<int64_t>(layer);
            if (il >= 1 && il >= il_start && il <= il_end) continue;
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(layer * width), width, 0.0f);
        }
        context.set_control_vectors(std::move(used));
        return 0;
    });
}
