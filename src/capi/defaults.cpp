// Default parameters: the values that programs of the family expect (shared/spec/interop.md 1.3 to 1.5).
// Whatever is not written here is zero, false or null.
#include <initializer_list>

#include "llama.h"

llama_model_params llama_model_default_params() {
    llama_model_params params{};
    params.split_mode = LLAMA_SPLIT_MODE_LAYER;
    params.type_k = GGML_TYPE_F16;
    params.type_v = GGML_TYPE_F16;
    params.n_seq_max = 1;
    params.n_ubatch = 512;
    params.type_k_first = GGML_TYPE_F16;
    params.type_k_last = GGML_TYPE_F16;
    params.type_v_first = GGML_TYPE_F16;
    params.type_v_last = GGML_TYPE_F16;
    params.n_k_first = -1;
    params.n_k_last = -1;
    params.n_v_first = -1;
    params.n_v_last = -1;
    params.extra_output_type = GGML_TYPE_COUNT;
    params.use_mmap = true;
    params.flash_attn = true;
    return params;
}

llama_context_params llama_context_default_params() {
    llama_context_params params{};
    params.seed = LLAMA_DEFAULT_SEED;
    params.n_ctx = 512;
    params.n_batch = 2048;
    params.n_ubatch = 512;
    params.n_seq_max = 1;
    params.n_threads = 4;
    params.n_threads_batch = 4;
    params.max_extra_alloc = 256;
    params.rope_scaling_type = LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED;
    params.pooling_type = LLAMA_POOLING_TYPE_UNSPECIFIED;
    params.attention_type = LLAMA_ATTENTION_TYPE_UNSPECIFIED;
    params.yarn_ext_factor = -1.0f;
    params.yarn_attn_factor = -1.0f;
    params.yarn_beta_fast = -1.0f;
    params.yarn_beta_slow = -1.0f;
    params.defrag_thold = -1.0f;
    params.type_k = GGML_TYPE_F16;
    params.type_v = GGML_TYPE_F16;
    params.type_reduce = GGML_TYPE_F16;
    params.type_graph_attn = GGML_TYPE_F16;
    params.type_k_first = GGML_TYPE_F16;
    params.type_k_last = GGML_TYPE_F16;
    params.type_v_first = GGML_TYPE_F16;
    params.type_v_last = GGML_TYPE_F16;
    params.n_k_first = -1;
    params.n_k_last = -1;
    params.n_v_first = -1;
    params.n_v_last = -1;
    params.offload_kqv = true;
    params.flash_attn = true;
    params.mla_attn = 3;
    params.fused_moe_up_gate = true;
    params.fused_up_gate = true;
    params.fused_mmad = true;
    params.graph_reuse = true;
    params.min_experts = -1;
    params.mtp_op_type = MTP_OP_NONE;
    return params;
}

llama_model_quantize_params llama_model_quantize_default_params() {
    llama_model_quantize_params params{};
    params.ftype = LLAMA_FTYPE_MOSTLY_Q5_1;
    for (ggml_type* type :
         {&params.output_tensor_type, &params.token_embedding_type, &params.attn_q_type, &params.attn_k_type,
          &params.attn_v_type, &params.attn_qkv_type, &params.attn_output_type, &params.ffn_gate_type,
          &params.ffn_down_type, &params.ffn_up_type, &params.ffn_gate_inp_type, &params.extra_output_type}) {
        *type = GGML_TYPE_COUNT;
    }
    params.quantize_output_tensor = true;
    return params;
}
