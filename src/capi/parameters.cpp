// One place for the meaning of every parameter; the order is that of the structs.
#include "capi/parameters.h"

#include <algorithm>

#include "base/log.h"
#include "capi/kv_overrides.h"

namespace cria::capi {
namespace {

// Fields that differ from their default without effect, gathered for one log line each.
class Unused {
  public:
    // Nothing to choose on this machine or in Cria's design; results are the same.
    template <typename T>
    void needless(const char* name, T value, T usual) {
        add(needless_, name, value, usual);
    }
    // Would have an effect that this version does not have.
    template <typename T>
    void missing(const char* name, T value, T usual) {
        add(missing_, name, value, usual);
    }
    void report(const char* function) const {
        if (!needless_.empty()) log_info("{}: makes no difference here: {}", function, needless_);
        if (!missing_.empty())
            log_warning("{}: has no effect in this version of Cria: {}", function, missing_);
    }

  private:
    template <typename T>
    static void add(std::string& list, const char* name, T value, T usual) {
        if (value == usual) return;
        if (!list.empty()) list += ", ";
        if constexpr (std::is_pointer_v<T>) {
            list += name;
        } else {
            list += fmt::format("{} = {}", name, value);
        }
    }

    std::string needless_, missing_;
};

void report_unused(const llama_model_params& p) {
    const llama_model_params usual = llama_model_default_params();
    Unused unused;
    unused.needless("devices", p.devices, usual.devices);
    unused.needless("n_gpu_layers", p.n_gpu_layers, usual.n_gpu_layers);
    unused.needless("split_mode", raw_value(p.split_mode), raw_value(usual.split_mode));
    unused.needless("main_gpu", p.main_gpu, usual.main_gpu);
    unused.needless("max_gpu", p.max_gpu, usual.max_gpu);
    unused.needless("ncmoe", p.ncmoe, usual.ncmoe);
    unused.needless("fit_margin", p.fit_margin, usual.fit_margin);
    unused.needless("fit", p.fit, usual.fit);
    unused.needless("tensor_split", p.tensor_split, usual.tensor_split);
    unused.needless("fit_margin_array", p.fit_margin_array, usual.fit_margin_array);
    unused.needless("tensor_buft_overrides", p.tensor_buft_overrides, usual.tensor_buft_overrides);
    unused.needless("repack_tensors", p.repack_tensors, usual.repack_tensors);
    unused.needless("merge_qkv", p.merge_qkv, usual.merge_qkv);
    unused.needless("merge_up_gate_exps", p.merge_up_gate_exps, usual.merge_up_gate_exps);
    unused.missing("extra_output_type", raw_value(p.extra_output_type), raw_value(usual.extra_output_type));
    unused.missing("rpc_servers", p.rpc_servers, usual.rpc_servers);
    unused.missing("use_thp", p.use_thp, usual.use_thp);
    unused.missing("mtp", p.mtp, usual.mtp);
    unused.missing("dry_run", p.dry_run, usual.dry_run);
    unused.missing("defer_experts", p.defer_experts, usual.defer_experts);
    unused.report("llama_model_load_from_file");
}

void report_unused(const llama_context_params& p) {
    const llama_context_params usual = llama_context_default_params();
    Unused unused;
    unused.needless("max_extra_alloc", p.max_extra_alloc, usual.max_extra_alloc);
    unused.needless("worst_case_tokens", p.worst_case_tokens, usual.worst_case_tokens);
    unused.needless("type_reduce", raw_value(p.type_reduce), raw_value(usual.type_reduce));
    unused.needless("offload_kqv", p.offload_kqv, usual.offload_kqv);
    unused.needless("flash_attn", p.flash_attn, usual.flash_attn);
    unused.needless("mla_attn", p.mla_attn, usual.mla_attn);
    unused.needless("attn_max_batch", p.attn_max_batch, usual.attn_max_batch);
    unused.needless("fused_moe_up_gate", p.fused_moe_up_gate, usual.fused_moe_up_gate);
    unused.needless("fused_up_gate", p.fused_up_gate, usual.fused_up_gate);
    unused.needless("fused_mmad", p.fused_mmad, usual.fused_mmad);
    unused.needless("rope_cache", p.rope_cache, usual.rope_cache);
    unused.needless("graph_reuse", p.graph_reuse, usual.graph_reuse);
    unused.needless("only_active_experts", p.only_active_experts, usual.only_active_experts);
    unused.needless("split_mode_graph_scheduling", p.split_mode_graph_scheduling,
                    usual.split_mode_graph_scheduling);
    unused.needless("scheduler_async", p.scheduler_async, usual.scheduler_async);
    unused.needless("offload_policy", p.offload_policy, usual.offload_policy);
    unused.needless("cuda_params", p.cuda_params, usual.cuda_params);
    unused.missing("n_k_first", p.n_k_first, usual.n_k_first);
    unused.missing("n_k_last", p.n_k_last, usual.n_k_last);
    unused.missing("n_v_first", p.n_v_first, usual.n_v_first);
    unused.missing("n_v_last", p.n_v_last, usual.n_v_last);
    unused.missing("grouped_expert_routing", p.grouped_expert_routing, usual.grouped_expert_routing);
    unused.missing("min_experts", p.min_experts, usual.min_experts);
    unused.missing("thresh_experts", p.thresh_experts, usual.thresh_experts);
    unused.missing("k_cache_hadamard", p.k_cache_hadamard, usual.k_cache_hadamard);
    unused.missing("v_cache_hadamard", p.v_cache_hadamard, usual.v_cache_hadamard);
    unused.missing("mtp", p.mtp, usual.mtp);
    unused.missing("mtp_op_type", raw_value(p.mtp_op_type), raw_value(usual.mtp_op_type));
    unused.report("llama_init_from_model");
}

int32_t small(const char* name, uint32_t value) {
    if (value > INT32_MAX)
        fail(ErrorCode::invalid_argument, "{} is {}, which is more than {}", name, value, INT32_MAX);
    return static_cast<int32_t>(value);
}

ElementType cache_type(const char* name, const ggml_type& type) {
    const TypeInfo* info = find_type(raw_value(type));
    if (info == nullptr || !info->is_cache_type) {
        fail(ErrorCode::invalid_argument, "{} is {} ({}), which cannot hold a cache; try f16 or q8_0", name,
             raw_value(type), info != nullptr ? info->name : "unknown");
    }
    return info->type;
}

// n_ctx is rounded up to what programs of the family get.
constexpr uint32_t kContextStep = 32;
constexpr uint32_t kContextStepFlash = 256;
constexpr int32_t kLeastBatch = 16;

void set_sizes(const Model& model, const llama_context_params& p, ContextOptions& options) {
    const arch::ModelSpec& spec = model.spec();
    if (p.n_batch == 0 && p.n_ubatch == 0)
        fail(ErrorCode::invalid_argument, "n_batch and n_ubatch are both 0");
    const auto trained = static_cast<uint32_t>(std::clamp<int64_t>(spec.n_ctx_train, 0, INT32_MAX));
    const uint64_t wanted = p.n_ctx != 0 ? p.n_ctx : trained;
    if (wanted == 0)
        fail(ErrorCode::invalid_argument, "n_ctx is 0, and the model does not say what it was trained with");
    const uint64_t step = p.flash_attn ? kContextStepFlash : kContextStep;
    const uint64_t rounded = (wanted + step - 1) / step * step;
    options.n_ctx = small("n_ctx", static_cast<uint32_t>(std::min<uint64_t>(rounded, UINT32_MAX)));
    options.n_batch = small("n_batch", p.n_batch != 0 ? p.n_batch : p.n_ubatch);
    if (options.is_causal.value_or(spec.is_causal))
        options.n_batch = std::min(options.n_batch, options.n_ctx);
    options.n_batch = std::max(options.n_batch, kLeastBatch);
    options.n_ubatch = std::min(options.n_batch, small("n_ubatch", p.n_ubatch != 0 ? p.n_ubatch : p.n_batch));
    options.n_seq_max = std::max(1, small("n_seq_max", p.n_seq_max));
    options.n_threads = small("n_threads", p.n_threads);
    options.n_threads_batch = small("n_threads_batch", p.n_threads_batch);
}

void set_rope(const llama_context_params& p, arch::RopeOverrides& rope) {
    const int32_t kind = raw_value(p.rope_scaling_type);
    if (kind < LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED || kind > LLAMA_ROPE_SCALING_TYPE_MAX_VALUE) {
        fail(ErrorCode::invalid_argument, "rope_scaling_type is {}, expected -1 to 3", kind);
    }
    if (kind != LLAMA_ROPE_SCALING_TYPE_UNSPECIFIED) rope.kind = static_cast<arch::RopeScaling::Kind>(kind);
    const auto unless = [](float value, bool is_default) {
        return is_default ? std::nullopt : std::optional(value);
    };
    rope.base = unless(p.rope_freq_base, p.rope_freq_base == 0.0f);
    rope.scale = unless(p.rope_freq_scale, p.rope_freq_scale == 0.0f);
    rope.ext_factor = unless(p.yarn_ext_factor, p.yarn_ext_factor < 0.0f);
    rope.attn_factor = unless(p.yarn_attn_factor, p.yarn_attn_factor < 0.0f);
    rope.beta_fast = unless(p.yarn_beta_fast, p.yarn_beta_fast < 0.0f);
    rope.beta_slow = unless(p.yarn_beta_slow, p.yarn_beta_slow < 0.0f);
    if (p.yarn_orig_ctx != 0) rope.original_context = small("yarn_orig_ctx", p.yarn_orig_ctx);
}

void set_types(const llama_context_params& p, ContextOptions& options) {
    options.k_type = cache_type("type_k", p.type_k);
    options.v_type = cache_type("type_v", p.type_v);
    const bool is_plain = !type_info(options.v_type).is_quantized;
    if (!is_plain && !p.flash_attn) {
        fail(ErrorCode::invalid_argument, "type_v is {}, which needs flash_attn",
             type_info(options.v_type).name);
    }
    const int32_t graph_type = raw_value(p.type_graph_attn);
    if (graph_type != GGML_TYPE_F16 && graph_type != GGML_TYPE_F32) {
        fail(ErrorCode::invalid_argument, "type_graph_attn is {}, expected f16 or f32", graph_type);
    }
}

}  // namespace

ModelOptions model_options(const llama_model_params& params) {
    report_unused(params);
    ModelOptions options;
    options.access = params.use_mmap ? FileAccess::mapped : FileAccess::copied;
    options.lock_in_memory = params.use_mlock;
    options.check_tensors = params.check_tensors || params.validate_quants;
    options.vocab_only = params.vocab_only;
    options.overrides = read_kv_overrides(params.kv_overrides);
    if (params.progress_callback != nullptr) {
        options.progress = [callback = params.progress_callback, data = params.progress_callback_user_data](
                               float share) { return callback(share, data); };
    }
    return options;
}

ContextOptions context_options(const Model& model, const llama_context_params& params) {
    report_unused(params);
    ContextOptions options;
    const int32_t attention = raw_value(params.attention_type);
    if (attention != LLAMA_ATTENTION_TYPE_UNSPECIFIED)
        options.is_causal = attention == LLAMA_ATTENTION_TYPE_CAUSAL;
    const int32_t pooling = raw_value(params.pooling_type);
    if (pooling < LLAMA_POOLING_TYPE_UNSPECIFIED || pooling > LLAMA_POOLING_TYPE_LAST) {
        fail(ErrorCode::invalid_argument, "pooling_type is {}, expected -1 to 3", pooling);
    }
    options.pooling = static_cast<Pooling>(pooling);
    options.embeddings = params.embeddings;
    set_sizes(model, params, options);
    set_rope(params, options.rope);
    set_types(params, options);
    return options;
}

}  // namespace cria::capi
