// From metadata to a spec: the keys that all families share, then what the recipe says. Keys:
// spec/interop.md 2.4, defaults 2.3.
#include <cmath>

#include "arch/bind.h"
#include "arch/recipe.h"
#include "base/error.h"

namespace cria::arch {
namespace {

constexpr int64_t kMaxContext = int64_t(1) << 30;

// Counts per layer that are needed while the layers are filled in.
struct LayerCounts {
    std::vector<int64_t> heads, kv_heads, ffn_width;
};

void read_sizes(ModelSpec& spec, const Keys& keys) {
    spec.n_layers = keys.integer("block_count", 1, kMaxLayers);
    spec.width = keys.integer("embedding_length", 1, kMaxWidth);
    spec.n_ctx_train = keys.integer("context_length", 1, kMaxContext);
    spec.layers.resize(static_cast<size_t>(spec.n_layers));
}

void read_norm(ModelSpec& spec, const Recipe& recipe, const Keys& keys) {
    spec.norm_kind = recipe.norm;
    const char* key =
        recipe.norm == NormKind::rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
    spec.norm_eps = keys.required_real(key);
    if (spec.norm_eps < 0)
        fail(ErrorCode::invalid_file, "{} is {}, expected 0 or more", keys.full(key), spec.norm_eps);
}

LayerCounts read_counts(const ModelSpec& spec, const Keys& keys) {
    LayerCounts counts;
    const int64_t n = spec.n_layers;
    counts.heads = keys.per_layer("attention.head_count", n, 1, kMaxHeads);
    counts.kv_heads = counts.heads;
    if (keys.has("attention.head_count_kv"))
        counts.kv_heads = keys.per_layer("attention.head_count_kv", n, 1, kMaxHeads);
    for (int64_t i = 0; i < n; ++i) {
        const auto layer = static_cast<size_t>(i);
        if (counts.heads[layer] % counts.kv_heads[layer] != 0) {
            fail(ErrorCode::invalid_file, "{} is {}, which does not divide {} {} (layer {})",
                 keys.full("attention.head_count_kv"), counts.kv_heads[layer],
                 keys.full("attention.head_count"), counts.heads[layer], i);
        }
    }
    const bool is_needed = !keys.has("expert_feed_forward_length");
    counts.ffn_width.assign(static_cast<size_t>(n), 1);
    if (is_needed || keys.has("feed_forward_length"))
        counts.ffn_width = keys.per_layer("feed_forward_length", n, 1, kMaxWidth);
    return counts;
}

int64_t head_width(const ModelSpec& spec, const Keys& keys, const char* key, int64_t n_heads) {
    if (keys.has(key)) return keys.integer(key, 1, kMaxWidth);
    if (spec.width % n_heads != 0) {
        fail(ErrorCode::invalid_file, "{} is {}, which {} {} does not divide, and there is no {}",
             keys.full("embedding_length"), spec.width, keys.full("attention.head_count"), n_heads,
             keys.full(key));
    }
    return spec.width / n_heads;
}

float score_scale(ScoreScale kind, const ModelSpec& spec, const AttentionParams& params) {
    switch (kind) {
        case ScoreScale::head_dim:
            return 1.0f / std::sqrt(static_cast<float>(params.k_dim));
        case ScoreScale::width_per_head:
            return 1.0f / std::sqrt(static_cast<float>(spec.width / params.n_heads));
        case ScoreScale::one:
            return 1.0f;
        case ScoreScale::inverse_head_dim:
            return 1.0f / static_cast<float>(params.k_dim);
    }
    return 1.0f;
}

bool layer_has_window(const WindowRecipe& window, int64_t layer) {
    if (window.period <= 0) return false;
    if (window.period == 1) return true;
    return layer % window.period != (window.first_of_period_is_full ? 0 : window.period - 1);
}

int32_t window_size(const WindowRecipe& window, const Keys& keys) {
    if (window.period <= 0) return 0;
    constexpr const char* kKey = "attention.sliding_window";
    if (window.default_size > 0 && !keys.has(kKey)) return window.default_size;
    return static_cast<int32_t>(keys.integer(kKey, 0, kMaxContext));
}

RopeScaling read_rope_scaling(const ModelSpec& spec, const Keys& keys) {
    RopeScaling scaling;
    const auto type = keys.get<std::string>("rope.scaling.type", "linear");
    if (type == "none") {
        scaling.kind = RopeScaling::Kind::none;
    } else if (type == "linear") {
        scaling.kind = RopeScaling::Kind::linear;
    } else if (type == "yarn") {
        scaling.kind = RopeScaling::Kind::yarn;
    } else if (type == "longrope") {
        scaling.kind = RopeScaling::Kind::longrope;
    } else {
        fail(ErrorCode::unsupported, "{} is '{}', expected none, linear, yarn or longrope",
             keys.full("rope.scaling.type"), type);
    }
    scaling.factor = keys.real("rope.scaling.factor", keys.real("rope.scale_linear", 1.0f));
    if (scaling.factor < 0)
        fail(ErrorCode::invalid_file, "{} is {}, expected 0 or more", keys.full("rope.scaling.factor"),
             scaling.factor);
    if (scaling.factor == 0) scaling.factor = 1.0f;
    scaling.attn_factor =
        keys.real("rope.scaling.attn_factor", keys.real("rope.scaling.yarn_attn_factor", 1.0f));
    scaling.ext_factor = keys.real("rope.scaling.yarn_ext_factor", -1.0f);
    scaling.beta_fast = keys.real("rope.scaling.yarn_beta_fast", 32.0f);
    scaling.beta_slow = keys.real("rope.scaling.yarn_beta_slow", 1.0f);
    scaling.original_context = static_cast<int32_t>(
        keys.integer("rope.scaling.original_context_length", 0, kMaxContext, spec.n_ctx_train));
    return scaling;
}

RopeParams layer_rope_defaults(const ModelSpec& spec, const Recipe& recipe, const Keys& keys,
                               const AttentionParams& attention) {
    RopeParams rope;
    rope.kind = recipe.rope;
    if (rope.kind == RopeKind::none) return rope;
    rope.n_rot =
        static_cast<int32_t>(keys.integer("rope.dimension_count", 0, attention.k_dim, attention.k_dim));
    if (rope.n_rot % 2 != 0) {
        fail(ErrorCode::invalid_file, "{} is {}, expected an even number", keys.full("rope.dimension_count"),
             rope.n_rot);
    }
    if (rope.n_rot == 0) rope.kind = RopeKind::none;
    rope.base = keys.real("rope.freq_base", 10000.0f);
    if (rope.base <= 0)
        fail(ErrorCode::invalid_file, "{} is {}, expected more than 0", keys.full("rope.freq_base"),
             rope.base);
    return rope;
}

void read_attention(ModelSpec& spec, const Recipe& recipe, const Keys& keys, const LayerCounts& counts) {
    const int32_t window = window_size(recipe.window, keys);
    const float softcap = keys.real("attn_logit_softcapping", 0.0f);
    const float alibi = keys.real("attention.max_alibi_bias", recipe.alibi_max_bias);
    const float clamp = keys.real("attention.clamp_kqv", 0.0f);
    const float scale = keys.real("attention.scale", 0.0f);
    for (int64_t i = 0; i < spec.n_layers; ++i) {
        AttentionSpec& attention = spec.layers[static_cast<size_t>(i)].attention;
        AttentionParams& params = attention.params;
        attention.is_present = true;
        params.cache_layer = static_cast<int32_t>(i);
        params.n_heads = static_cast<int32_t>(counts.heads[static_cast<size_t>(i)]);
        params.kv_heads = static_cast<int32_t>(counts.kv_heads[static_cast<size_t>(i)]);
        params.k_dim = static_cast<int32_t>(head_width(spec, keys, "attention.key_length", params.n_heads));
        params.v_dim = static_cast<int32_t>(head_width(spec, keys, "attention.value_length", params.n_heads));
        params.scale = scale > 0 ? scale : score_scale(recipe.score_scale, spec, params);
        params.softcap = softcap;
        params.alibi_max_bias = alibi;
        params.is_causal = spec.is_causal;
        attention.qk_norm_kind = recipe.qk_norm_kind;
        attention.qk_norm_per_head = recipe.qk_norm_per_head;
        attention.clamp_qkv = clamp;
        attention.rope = layer_rope_defaults(spec, recipe, keys, params);
        const bool has_window = layer_has_window(recipe.window, i) && window > 0;
        if (has_window) {
            params.window_kind = WindowKind::sliding;
            params.window = window;
            if (recipe.window.rope_base > 0) {
                attention.rope.base = recipe.window.rope_base;
                attention.rope_is_scaled = false;
            }
        } else if (recipe.window.rope_only_in_window) {
            attention.rope.kind = RopeKind::none;
        }
    }
}

Routing read_routing(const Recipe& recipe, const Keys& keys, int64_t n_experts) {
    Routing routing;
    routing.n_used = static_cast<int32_t>(keys.integer("expert_used_count", 1, n_experts));
    routing.kind = recipe.router;
    constexpr std::array kKinds{RouterKind::softmax, RouterKind::sigmoid, RouterKind::softmax_selected,
                                RouterKind::sqrt_softplus};
    const int64_t kind = keys.integer("expert_gating_func", 0, kKinds.size(), 0);
    if (kind > 0) routing.kind = kKinds[static_cast<size_t>(kind - 1)];
    routing.normalise = keys.get<bool>("expert_weights_norm", recipe.normalises_expert_weights);
    const float scale = keys.real("expert_weights_scale", 1.0f);
    routing.scale = scale == 0 ? 1.0f : scale;
    return routing;
}

void read_feed_forward(ModelSpec& spec, const Recipe& recipe, const Keys& keys) {
    const int64_t n_experts = keys.integer("expert_count", 0, kMaxExperts, 0);
    const int64_t n_dense =
        n_experts == 0 ? spec.n_layers : keys.integer("leading_dense_block_count", 0, spec.n_layers, 0);
    for (int64_t i = 0; i < spec.n_layers; ++i) {
        FeedForwardSpec& ffn = spec.layers[static_cast<size_t>(i)].ffn;
        ffn.is_present = true;
        ffn.activation = recipe.activation;
        ffn.merged_gate_up = recipe.ffn == FeedForwardForm::merged;
        if (i >= n_dense) ffn.experts.routing = read_routing(recipe, keys, n_experts);
    }
}

}  // namespace

ModelSpec load_spec(const gguf::Metadata& metadata, const WeightTable& weights) {
    ModelSpec spec;
    spec.architecture = metadata.get<std::string>("general.architecture");
    const Recipe& recipe = find_recipe(spec.architecture);
    const Keys keys(metadata, spec.architecture);
    read_sizes(spec, keys);
    read_norm(spec, recipe, keys);
    spec.residual = recipe.residual;
    spec.is_causal = keys.get<bool>("attention.causal", true);
    spec.pooling_type = static_cast<int32_t>(keys.integer("pooling_type", 0, 4, 0));
    spec.embedding_scale =
        recipe.scales_embedding_by_width ? std::sqrt(static_cast<float>(spec.width)) : 1.0f;
    spec.logit_softcap = keys.real("final_logit_softcapping", 0.0f);
    spec.rope_kind = recipe.rope;
    spec.rope_scaling = read_rope_scaling(spec, keys);
    const LayerCounts counts = read_counts(spec, keys);
    read_attention(spec, recipe, keys, counts);
    read_feed_forward(spec, recipe, keys);
    if (recipe.adjust != nullptr) recipe.adjust(spec, keys);

    bind_weights(spec, recipe, {.keys = keys, .weights = weights, .ffn_width = counts.ffn_width});
    return spec;
}

}  // namespace cria::arch
