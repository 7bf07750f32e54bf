// Which tensors a family has, and where they go.
#include "arch/bind.h"

#include <algorithm>

#include "arch/tensor_finder.h"
#include "base/error.h"

namespace cria::arch {
namespace {

class Binder {
  public:
    Binder(ModelSpec& spec, const Recipe& recipe, const BindSources& sources)
        : spec_(spec), recipe_(recipe), sources_(sources), find_(sources.weights, spec.ranges) {}

    void bind() {
        bind_model();
        for (int64_t i = 0; i < spec_.n_layers; ++i) {
            find_.set_prefix("blk." + std::to_string(i) + ".");
            bind_layer(i);
        }
        find_.report(spec_.architecture);
    }

  private:
    NormWeights norm(std::string_view name, Presence presence) {
        if (presence != Presence::never && recipe_.norm_weight == Presence::never)
            return {.is_weightless = true};
        return find_.norm(name, spec_.width, presence, recipe_.norm_bias);
    }

    // The same norm under the name that most files use, or another.
    NormWeights norm_of_two_names(std::string_view name, std::string_view other, Presence presence) {
        return norm(!find_.exists(name) && find_.exists(other) ? other : name, presence);
    }

    void bind_model() {
        const Weight* embedding = find_.any_shape("token_embd");
        const int64_t n_vocab = embedding == nullptr ? 1 : embedding->n_rows();
        spec_.token_embedding = find_.weight("token_embd", {spec_.width, n_vocab});
        spec_.n_vocab = n_vocab;
        if (recipe_.embedding_norm != Presence::never)
            spec_.embedding_norm = norm("token_embd_norm", recipe_.embedding_norm);
        if (const Weight* types = find_.any_shape("token_types"); types != nullptr)
            spec_.token_types =
                find_.weight("token_types", {spec_.width, types->n_rows()}, recipe_.token_types);
        if (recipe_.position_embedding != Presence::never) {
            spec_.position_embedding =
                find_.weight("position_embd", {spec_.width, spec_.n_ctx_train}, recipe_.position_embedding);
        }
        bind_rope_factors();
        if (recipe_.head != Presence::never) bind_head(n_vocab);
    }

    void bind_head(int64_t n_vocab) {
        spec_.output_norm = norm("output_norm", Presence::required);
        spec_.output = find_.part("output", spec_.width, n_vocab, Presence::optional, Presence::optional);
        if (spec_.output.weight == nullptr) spec_.output.weight = spec_.token_embedding;  // tied
        spec_.output.scale = spec_.logit_scale;
    }

    void bind_rope_factors() {
        int64_t half = 0;
        for (const LayerSpec& layer : spec_.layers)
            half = std::max<int64_t>(half, layer.attention.rope.n_rot / 2);
        if (spec_.rope_kind == RopeKind::none || half == 0) return;
        const Weight* factors = find_.weight("rope_freqs", {half}, Presence::optional);
        spec_.rope_scaling.long_factors = find_.weight("rope_factors_long", {half}, Presence::optional);
        spec_.rope_scaling.short_factors = find_.weight("rope_factors_short", {half}, Presence::optional);
        for (LayerSpec& layer : spec_.layers) {
            if (layer.attention.rope_is_scaled) layer.attention.rope.factors = factors;
        }
    }

    void bind_layer(int64_t i) {
        LayerSpec& layer = spec_.layers[static_cast<size_t>(i)];
        layer.post_attention_norm =
            norm_of_two_names("post_attention_norm", "attn_output_norm", recipe_.post_norms);
        layer.post_ffn_norm = norm_of_two_names("post_ffw_norm", "layer_output_norm", recipe_.post_norms);
        bind_attention(layer.attention);
        if (layer.attention.is_present || layer.attention.output.weight != nullptr) {
            layer.attention_norm = norm("attn_norm", recipe_.attention_norm);
            layer.attention_norm_2 = norm("attn_norm_2", recipe_.attention_norm_2);
        }
        if (!layer.ffn.is_present) return;
        layer.ffn_norm = norm(recipe_.ffn_norm_name, recipe_.ffn_norm);
        bind_feed_forward(layer.ffn, i);
        if (layer.ffn.router.weight != nullptr)
            layer.experts_norm = norm("ffn_norm_exps", recipe_.experts_norm);
    }

    void bind_attention(AttentionSpec& attention) {
        AttentionParams& p = attention.params;
        if (!attention.is_present) {
            if (p.n_heads > 0)
                attention.output = find_.part("attn_output", spec_.width, spec_.width, recipe_.output_bias);
            return;
        }
        const int64_t q_width = int64_t(p.n_heads) * p.k_dim;
        const int64_t k_width = int64_t(p.kv_heads) * p.k_dim;
        const int64_t v_width = int64_t(p.kv_heads) * p.v_dim;
        if (find_.exists("attn_qkv")) {
            const LinearPart fused =
                find_.part("attn_qkv", spec_.width, q_width + k_width + v_width, recipe_.qkv_bias);
            attention.q = find_.range(fused, 0, q_width);
            attention.k = find_.range(fused, q_width, k_width);
            attention.v = find_.range(fused, q_width + k_width, v_width);
        } else {
            attention.q = find_.part("attn_q", spec_.width, q_width, recipe_.qkv_bias);
            attention.k = find_.part("attn_k", spec_.width, k_width, recipe_.qkv_bias);
            attention.v = find_.part("attn_v", spec_.width, v_width, recipe_.qkv_bias);
        }
        const float output_scale = attention.output.scale;  // set by an adjust function
        attention.output =
            find_.part("attn_output", int64_t(p.n_heads) * p.v_dim, spec_.width, recipe_.output_bias);
        attention.output.scale *= output_scale;
        p.sinks = find_.weight("attn_sinks", {p.n_heads}, recipe_.sinks);
        attention.sub_norm =
            find_.norm("attn_sub_norm", int64_t(p.n_heads) * p.v_dim, recipe_.sub_norms, Presence::never);
        bind_attention_gate(attention);
        bind_qk_norms(attention);
    }

    // One row per head, or one per element of what attention found.
    void bind_attention_gate(AttentionSpec& attention) {
        const Weight* gate = find_.any_shape("attn_gate");
        const int64_t n_heads = attention.params.n_heads;
        const bool is_per_head = gate == nullptr || gate->n_rows() == n_heads;
        attention.gate =
            find_.part("attn_gate", spec_.width, is_per_head ? n_heads : n_heads * attention.params.v_dim,
                       Presence::optional, recipe_.attention_gate);
    }

    void bind_qk_norms(AttentionSpec& attention) {
        if (recipe_.qk_norm == Presence::never) return;
        const AttentionParams& p = attention.params;
        if (attention.qk_norm_per_head) {
            attention.q_norm =
                find_.head_norm("attn_q_norm", p.k_dim, p.n_heads, recipe_.qk_norm, Presence::optional);
            attention.k_norm =
                find_.head_norm("attn_k_norm", p.k_dim, p.kv_heads, recipe_.qk_norm, Presence::optional);
        } else {
            attention.q_norm =
                find_.norm("attn_q_norm", int64_t(p.n_heads) * p.k_dim, recipe_.qk_norm, Presence::optional);
            attention.k_norm =
                find_.norm("attn_k_norm", int64_t(p.kv_heads) * p.k_dim, recipe_.qk_norm, Presence::optional);
        }
    }

    void bind_feed_forward(FeedForwardSpec& ffn, int64_t layer) {
        // Some files do not say which layers are dense; their tensors do.
        const bool looks_dense = !find_.exists("ffn_gate_inp") && find_.exists("ffn_up");
        if (looks_dense) ffn.experts.routing.n_used = 0;
        int64_t hidden = sources_.ffn_width[static_cast<size_t>(layer)];
        if (ffn.experts.routing.n_used > 0) {
            bind_experts(ffn, layer);
            const Weight* beside = find_.any_shape("ffn_up");
            if (recipe_.dense_beside_experts == Presence::never || beside == nullptr) return;
            hidden = beside->n_rows();
        }
        bind_dense(ffn, layer, hidden);
    }

    void bind_dense(FeedForwardSpec& ffn, int64_t layer, int64_t hidden) {
        const int64_t width = spec_.width;
        if (recipe_.ffn == FeedForwardForm::gated)
            ffn.gate = find_.part("ffn_gate", width, hidden, recipe_.ffn_bias);
        ffn.up = find_.part("ffn_up", width, ffn.merged_gate_up ? 2 * hidden : hidden, recipe_.ffn_bias);
        ffn.sub_norm = find_.norm("ffn_sub_norm", hidden, recipe_.sub_norms, Presence::never);
        ffn.down = find_.part("ffn_down", hidden, width, recipe_.ffn_bias);
        const std::string scales = "blk." + std::to_string(layer) + ".ffn.act.scales";
        if (sources_.weights.find(scales) != nullptr)
            find_.note("'" + scales + "': scaled activations are not supported");
    }

    void bind_experts(FeedForwardSpec& ffn, int64_t layer) {
        const Keys& keys = sources_.keys;
        const int64_t n_experts = keys.integer("expert_count", 1, kMaxExperts);
        const int64_t width = spec_.width;
        const int64_t hidden = keys.integer("expert_feed_forward_length", 1, kMaxWidth,
                                            sources_.ffn_width[static_cast<size_t>(layer)]);
        ffn.router = find_.part("ffn_gate_inp", width, n_experts, Presence::optional);
        MoeFeedForward& experts = ffn.experts;
        experts.activation = ffn.activation;
        if (find_.exists("ffn_gate_up_exps")) {
            experts.merged_gate_up = true;
            experts.up = find_.expert_part("ffn_gate_up_exps", width, 2 * hidden, n_experts);
        } else {
            experts.gate = find_.expert_part("ffn_gate_exps", width, hidden, n_experts);
            experts.up = find_.expert_part("ffn_up_exps", width, hidden, n_experts);
        }
        experts.down = find_.expert_part("ffn_down_exps", hidden, width, n_experts);
        experts.routing.selection_bias = find_.bias("exp_probs_b", {n_experts}, Presence::optional);
        bind_shared_expert(ffn, hidden);
    }

    void bind_shared_expert(FeedForwardSpec& ffn, int64_t expert_width) {
        const Keys& keys = sources_.keys;
        const int64_t n_shared = keys.integer("expert_shared_count", 1, kMaxExperts, 1);
        const int64_t hidden =
            keys.integer("expert_shared_feed_forward_length", 1, kMaxWidth, expert_width * n_shared);
        Presence presence = recipe_.shared_expert;
        ffn.shared_up = find_.part("ffn_up_shexp", spec_.width, hidden, Presence::optional, presence);
        if (ffn.shared_up.weight != nullptr) presence = Presence::required;
        ffn.shared_gate = find_.part("ffn_gate_shexp", spec_.width, hidden, Presence::optional, presence);
        ffn.shared_down = find_.part("ffn_down_shexp", hidden, spec_.width, Presence::optional, presence);
        ffn.shared_input_gate =
            find_.part("ffn_gate_inp_shexp", spec_.width, 1, Presence::optional, Presence::optional);
    }

    ModelSpec& spec_;
    const Recipe& recipe_;
    const BindSources& sources_;
    TensorFinder find_;
};

}  // namespace

void bind_weights(ModelSpec& spec, const Recipe& recipe, const BindSources& sources) {
    Binder(spec, recipe, sources).bind();
}

}  // namespace cria::arch
