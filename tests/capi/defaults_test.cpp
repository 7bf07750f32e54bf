// Default parameters. Fields that nobody set must be zero, and the others have the values programs rely on.
#include <gtest/gtest.h>

#include <cstring>

#include "llama.h"

namespace {

TEST(Defaults, ModelParametersMapWeightsAndUseNoDevice) {
    const llama_model_params p = llama_model_default_params();
    EXPECT_EQ(p.devices, nullptr);
    EXPECT_EQ(p.n_gpu_layers, 0);
    EXPECT_EQ(p.split_mode, LLAMA_SPLIT_MODE_LAYER);
    EXPECT_EQ(p.type_k, GGML_TYPE_F16);
    EXPECT_EQ(p.type_v_last, GGML_TYPE_F16);
    EXPECT_EQ(p.n_seq_max, 1);
    EXPECT_EQ(p.n_ubatch, 512);
    EXPECT_EQ(p.amb, 0);
    EXPECT_EQ(p.n_k_first, -1);
    EXPECT_EQ(p.n_v_last, -1);
    EXPECT_EQ(p.extra_output_type, GGML_TYPE_COUNT);
    EXPECT_EQ(p.kv_overrides, nullptr);
    EXPECT_TRUE(p.use_mmap);
    EXPECT_TRUE(p.flash_attn);
    EXPECT_FALSE(p.use_mlock);
    EXPECT_FALSE(p.vocab_only);
    EXPECT_FALSE(p.defer_experts);
}

TEST(Defaults, ContextParametersAreSmallAndFused) {
    const llama_context_params p = llama_context_default_params();
    EXPECT_EQ(p.seed, LLAMA_DEFAULT_SEED);
    EXPECT_EQ(p.n_ctx, 512u);
    EXPECT_EQ(p.n_batch, 2048u);
    EXPECT_EQ(p.n_ubatch, 512u);
    EXPECT_EQ(p.n_threads, 4u);
    EXPECT_EQ(p.n_threads_batch, 4u);
    EXPECT_EQ(p.max_extra_alloc, 256);
    EXPECT_EQ(p.rope_scaling_type, LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED);
    EXPECT_EQ(p.pooling_type, LLAMA_POOLING_TYPE_UNSPECIFIED);
    EXPECT_EQ(p.attention_type, LLAMA_ATTENTION_TYPE_UNSPECIFIED);
    EXPECT_EQ(p.rope_freq_base, 0.0f);
    EXPECT_EQ(p.yarn_ext_factor, -1.0f);
    EXPECT_EQ(p.yarn_beta_slow, -1.0f);
    EXPECT_EQ(p.defrag_thold, -1.0f);
    EXPECT_EQ(p.type_reduce, GGML_TYPE_F16);
    EXPECT_EQ(p.type_graph_attn, GGML_TYPE_F16);
    EXPECT_EQ(p.mla_attn, 3);
    EXPECT_EQ(p.attn_max_batch, 0);
    EXPECT_EQ(p.min_experts, -1);
    EXPECT_TRUE(p.flash_attn && p.offload_kqv && p.fused_moe_up_gate && p.fused_up_gate && p.fused_mmad &&
                p.graph_reuse);
    EXPECT_FALSE(p.logits_all || p.embeddings || p.rope_cache || p.k_cache_hadamard || p.mtp);
    EXPECT_EQ(p.abort_callback, nullptr);
}

TEST(Defaults, QuantisationOverridesNoRole) {
    const llama_model_quantize_params p = llama_model_quantize_default_params();
    EXPECT_EQ(p.nthread, 0);
    EXPECT_EQ(p.ftype, LLAMA_FTYPE_MOSTLY_Q5_1);
    // The twelve types lie one after the other.
    const ggml_type* types = &p.output_tensor_type;
    for (int i = 0; i < 12; ++i) EXPECT_EQ(types[i], GGML_TYPE_COUNT) << i;
    EXPECT_EQ(types + 11, &p.extra_output_type);
    EXPECT_TRUE(p.quantize_output_tensor);
    EXPECT_FALSE(p.allow_requantize || p.pure || p.keep_split || p.dry_run);
    EXPECT_EQ(p.imatrix, nullptr);
}

}  // namespace
