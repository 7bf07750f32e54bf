// The transformer, written once: every family is this with other choices.
#include "arch/build.h"

#include <cmath>

#include "base/error.h"

namespace cria::arch {
namespace {

class TransformerBuilder {
  public:
    TransformerBuilder(const ModelSpec& spec, const GraphOptions& options) : spec_(spec), options_(options) {}

    Graph build() {
        ValueId x = embed();
        for (int64_t i = 0; i < spec_.n_layers; ++i) {
            graph_.set_layer(static_cast<int32_t>(i));
            x = layer(x, i);
        }
        graph_.set_layer(-1);
        return head(x);
    }

  private:
    ValueId norm(ValueId x, const NormWeights& weights, const char* name) {
        return norm(x, weights, spec_.norm_eps, name);
    }

    ValueId norm(ValueId x, const NormWeights& weights, float eps, const char* name) {
        if (!weights.is_present()) return x;
        return graph_.norm(
            {.kind = spec_.norm_kind, .eps = eps, .weight = weights.weight, .bias = weights.bias}, x, name);
    }

    ValueId embed() {
        ValueId x = graph_.embed({.table = spec_.token_embedding, .scale = spec_.embedding_scale},
                                 spec_.width, "inp_embd");
        if (spec_.token_types != nullptr)
            x = graph_.add_embedding({.table = spec_.token_types, .fixed_row = 0}, x, "inp_type");
        if (spec_.position_embedding != nullptr)
            x = graph_.add_embedding({.table = spec_.position_embedding}, x, "inp_pos");
        return norm(x, spec_.embedding_norm, "inp_norm");
    }

    // In the last layer only the rows that somebody asked for go on.
    ValueId select_in_last_layer(ValueId x, int64_t i, const char* name) {
        return i == spec_.n_layers - 1 ? graph_.select_outputs(x, name) : x;
    }

    ValueId layer(ValueId x, int64_t i) {
        const LayerSpec& layer = spec_.layers[static_cast<size_t>(i)];
        ValueId out;
        switch (spec_.residual) {
            case Residual::sequential:
                out = sequential_layer(x, layer, i);
                break;
            case Residual::parallel:
                out = parallel_layer(x, layer, i);
                break;
            case Residual::post_norm:
                out = post_norm_layer(x, layer, i);
                break;
        }
        if (options_.has_control_vectors)
            out = graph_.add_control_vector({.layer = static_cast<int32_t>(i)}, out, "l_out_cvec");
        return out;
    }

    ValueId sequential_layer(ValueId x, const LayerSpec& layer, int64_t i) {
        ValueId input = x;
        if (layer.attention.is_present || layer.attention.output.weight != nullptr) {
            const ValueId h = attention(norm(x, layer.attention_norm, "attn_norm"), layer.attention, i);
            input = select_in_last_layer(x, i, "inp_sel");
            x = join(input, h, layer.post_attention_norm, "attn_post_norm", "ffn_inp");
        } else {
            x = input = select_in_last_layer(x, i, "inp_sel");
        }
        if (!layer.ffn.is_present) return x;
        const ValueId ffn_in = norm(x, layer.ffn_norm, "ffn_norm");
        const ValueId experts_in =
            layer.experts_norm.is_present() ? norm(input, layer.experts_norm, "ffn_norm_exps") : ffn_in;
        const ValueId h = feed_forward(ffn_in, experts_in, layer.ffn);
        return join(x, h, layer.post_ffn_norm, "ffn_post_norm", "l_out");
    }

    ValueId parallel_layer(ValueId x, const LayerSpec& layer, int64_t i) {
        const ValueId shared = norm(x, layer.attention_norm, "attn_norm");
        const ValueId attention_in =
            layer.attention_norm_2.is_present() ? norm(x, layer.attention_norm_2, "attn_norm_2") : shared;
        const ValueId a = attention(attention_in, layer.attention, i);
        x = select_in_last_layer(x, i, "inp_sel");
        const ValueId ffn_in = layer.ffn_norm.is_present() ? norm(x, layer.ffn_norm, "ffn_norm")
                                                           : select_in_last_layer(shared, i, "attn_norm_sel");
        const ValueId f = feed_forward(ffn_in, ffn_in, layer.ffn);
        return graph_.add(graph_.add(x, a, "attn_res"), f, "l_out");
    }

    ValueId post_norm_layer(ValueId x, const LayerSpec& layer, int64_t i) {
        const ValueId a = attention(x, layer.attention, i);
        x = norm(graph_.add(select_in_last_layer(x, i, "inp_sel"), a, "attn_res"), layer.post_attention_norm,
                 "attn_post_norm");
        const ValueId f = feed_forward(x, x, layer.ffn);
        return norm(graph_.add(x, f, "ffn_res"), layer.post_ffn_norm, "l_out");
    }

    // x + residual_scale * norm(branch)
    ValueId join(ValueId x, ValueId branch, const NormWeights& post_norm, const char* norm_name,
                 const char* name) {
        branch = norm(branch, post_norm, spec_.post_norm_eps, norm_name);
        if (spec_.residual_scale != 1.0f)
            branch = graph_.unary({.scale = spec_.residual_scale}, branch, "branch_scaled");
        return graph_.add(x, branch, name);
    }

    ValueId attention(ValueId x, const AttentionSpec& spec, int64_t i) {
        if (!spec.is_present)
            return graph_.linear(spec.output, select_in_last_layer(x, i, "attn_sel"), "attn_out");
        ValueId q, k, v;
        project(x, spec, q, k, v);
        if (!spec.qk_norm_after_rope) norm_heads(q, k, spec);
        rotate(q, k, spec, i);
        if (spec.qk_norm_after_rope) norm_heads(q, k, spec);
        ValueId out = graph_.attention({spec.params}, q, k, v, "kqv_out");
        out = select_in_last_layer(out, i, "kqv_sel");
        if (spec.gate.weight != nullptr) {
            const ValueId gate_in = select_in_last_layer(x, i, "attn_gate_sel");
            const ValueId gate = graph_.linear(spec.gate, gate_in, "attn_gate", spec.gate_activation);
            out = graph_.binary({.kind = BinaryKind::multiply, .per_group = true}, out, gate, "kqv_gated");
        }
        return graph_.linear(spec.output, norm(out, spec.sub_norm, "attn_sub_norm"), "attn_out");
    }

    void project(ValueId x, const AttentionSpec& spec, ValueId& q, ValueId& k, ValueId& v) {
        if (spec.k.weight != nullptr) {
            const auto qkv = graph_.linear(Linear{{spec.q, spec.k, spec.v}}, x, {"Qcur", "Kcur", "Vcur"});
            q = qkv[0];
            k = qkv[1];
            v = qkv[2];
        } else {
            q = graph_.linear(spec.q, x, "Qcur");
        }
        if (spec.clamp_qkv <= 0) return;
        for (ValueId* value : {&q, &k, &v}) {
            if (value->is_valid()) *value = graph_.unary({.clamp = spec.clamp_qkv}, *value, "qkv_clamped");
        }
    }

    void norm_heads(ValueId& q, ValueId& k, const AttentionSpec& spec) {
        q = head_norm(q, spec.q_norm, spec, "Qcur_normed");
        if (k.is_valid()) k = head_norm(k, spec.k_norm, spec, "Kcur_normed");
    }

    ValueId head_norm(ValueId x, const NormWeights& weights, const AttentionSpec& spec, const char* name) {
        if (!weights.is_present()) return x;
        return graph_.norm({.kind = spec.qk_norm_kind,
                            .eps = spec_.norm_eps,
                            .weight = weights.weight,
                            .bias = weights.bias,
                            .group_width = spec.qk_norm_per_head ? spec.params.k_dim : 0},
                           x, name);
    }

    void rotate(ValueId& q, ValueId& k, const AttentionSpec& spec, int64_t i) {
        const RopeParams rope = layer_rope(spec_, i, options_);
        if (rope.kind == RopeKind::none) return;
        if (!k.is_valid()) {
            q = graph_.rope({rope, {spec.params.n_heads}}, {q}, {"Qcur_rope"})[0];
            return;
        }
        const auto rotated = graph_.rope({rope, {spec.params.n_heads, spec.params.kv_heads}}, {q, k},
                                         {"Qcur_rope", "Kcur_rope"});
        q = rotated[0];
        k = rotated[1];
    }

    // experts_in: what router and experts read where both they and a dense block exist.
    ValueId feed_forward(ValueId x, ValueId experts_in, const FeedForwardSpec& spec) {
        if (spec.router.weight == nullptr) return dense(x, spec);
        const ValueId routed = experts(experts_in, spec);
        if (spec.up.weight == nullptr) return routed;
        const ValueId sum = graph_.add(routed, dense(x, spec), "ffn_moe_dense");
        return spec.sum_scale == 1.0f ? sum : graph_.unary({.scale = spec.sum_scale}, sum, "ffn_scaled");
    }

    ValueId dense(ValueId x, const FeedForwardSpec& spec) {
        ValueId hidden;
        if (spec.gate.weight != nullptr || spec.merged_gate_up) {
            hidden = graph_.gated_linear(
                {.gate = spec.gate, .up = spec.up, .activation = spec.activation, .limits = spec.limits}, x,
                "ffn_hidden");
        } else {
            hidden = graph_.linear(spec.up, x, "ffn_hidden", spec.activation);
        }
        return graph_.linear(spec.down, norm(hidden, spec.sub_norm, "ffn_sub_norm"), "ffn_out");
    }

    ValueId experts(ValueId x, const FeedForwardSpec& spec) {
        const ValueId logits = graph_.linear(spec.router, x, "ffn_moe_logits");
        ValueId out = graph_.moe_feed_forward(spec.experts, x, logits, "ffn_moe_out");
        if (spec.shared_up.weight == nullptr) return out;
        const ValueId hidden = graph_.gated_linear({.gate = spec.shared_gate,
                                                    .up = spec.shared_up,
                                                    .activation = spec.activation,
                                                    .limits = spec.limits},
                                                   x, "ffn_shexp_hidden");
        ValueId shared = graph_.linear(spec.shared_down, hidden, "ffn_shexp");
        if (spec.shared_input_gate.weight != nullptr) {
            const ValueId gate = graph_.linear(spec.shared_input_gate, x, "shexp_gate", Activation::sigmoid);
            shared = graph_.binary({.kind = BinaryKind::multiply}, shared, gate, "ffn_shexp_gated");
        }
        return graph_.add(out, shared, "ffn_out");
    }

    Graph head(ValueId x) {
        const ValueId embeddings = norm(x, spec_.output_norm, "result_norm");
        if (options_.output == GraphOutput::embeddings || spec_.output.weight == nullptr)
            return graph_.finish({}, embeddings);
        ValueId logits = graph_.linear(spec_.output, embeddings, "result_output");
        if (spec_.logit_softcap > 0)
            logits = graph_.unary({.softcap = spec_.logit_softcap}, logits, "result_softcap");
        return graph_.finish(logits, {});
    }

    const ModelSpec& spec_;
    const GraphOptions& options_;
    GraphBuilder graph_;
};

}  // namespace

RopeParams layer_rope(const ModelSpec& spec, int64_t layer, const GraphOptions& options) {
    const AttentionSpec& attention = spec.layers[static_cast<size_t>(layer)].attention;
    RopeParams rope = attention.rope;
    if (rope.kind == RopeKind::none || !attention.rope_is_scaled) return rope;
    const RopeScaling& scaling = spec.rope_scaling;
    const RopeOverrides& overrides = options.rope;
    const RopeScaling::Kind kind = overrides.kind.value_or(scaling.kind);
    rope.base = overrides.base.value_or(rope.base);
    rope.scale = overrides.scale.value_or(kind == RopeScaling::Kind::none ? 1.0f : 1.0f / scaling.factor);
    const float default_ext = kind == RopeScaling::Kind::yarn ? 1.0f : 0.0f;
    rope.ext_factor =
        overrides.ext_factor.value_or(scaling.ext_factor >= 0 ? scaling.ext_factor : default_ext);
    rope.attn_factor = overrides.attn_factor.value_or(scaling.attn_factor);
    rope.beta_fast = overrides.beta_fast.value_or(scaling.beta_fast);
    rope.beta_slow = overrides.beta_slow.value_or(scaling.beta_slow);
    rope.original_context = overrides.original_context.value_or(scaling.original_context);
    if (scaling.long_factors != nullptr && options.n_ctx_per_sequence > rope.original_context) {
        rope.factors = scaling.long_factors;
    } else if (scaling.short_factors != nullptr) {
        rope.factors = scaling.short_factors;
    }
    return rope;
}

namespace {

// Models with chunks also scale queries by position beyond the first chunk, which no operation does yet.
void require_one_chunk(const ModelSpec& spec, const GraphOptions& options) {
    for (const LayerSpec& layer : spec.layers) {
        const AttentionParams& p = layer.attention.params;
        if (p.window_kind == WindowKind::chunked && options.n_ctx_per_sequence > p.window)
            fail(ErrorCode::unsupported,
                 "a context of {} is longer than one chunk of {}, which is not supported for {} models yet; "
                 "use a context of at most {} per sequence",
                 options.n_ctx_per_sequence, p.window, spec.architecture, p.window);
    }
}

}  // namespace

Graph build_graph(const ModelSpec& spec, const GraphOptions& options) {
    require_one_chunk(spec, options);
    return TransformerBuilder(spec, options).build();
}

}  // namespace cria::arch
