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
    const int64_t n_blocks = keys.integer("block_count", 1, kMaxLayers);
    // Layers that guess further tokens come last; they are no part of the model proper.
    spec.n_layers = n_blocks - keys.integer("nextn_predict_layers", 0, n_blocks - 1, 0);
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
    spec.post_norm_eps = spec.norm_eps;
}

LayerCounts read_counts(const ModelSpec& spec, const Recipe& recipe, const Keys& keys) {
    LayerCounts counts;
    const int64_t n = spec.n_layers;
    const int64_t least = recipe.may_skip_blocks ? 0 : 1;
    counts.heads = keys.per_layer("attention.head_count", n, least, kMaxHeads);
    counts.kv_heads = counts.heads;
    if (keys.has("attention.head_count_kv"))
        counts.kv_heads = keys.per_layer("attention.head_count_kv", n, least, kMaxHeads);
    for (int64_t i = 0; i < n; ++i) {
        const auto layer = static_cast<size_t>(i);
        if (counts.kv_heads[layer] == 0) continue;
        if (counts.heads[layer] % counts.kv_heads[layer] != 0) {
            fail(ErrorCode::invalid_file, "{} is {}, which does not divide {} {} (layer {})",
                 keys.full("attention.head_count_kv"), counts.kv_heads[layer],
                 keys.full("attention.head_count"), counts.heads[layer], i);
        }
    }
    const bool is_needed = !keys.has("expert_feed_forward_length");
    counts.ffn_width.assign(static_cast<size_t>(n), 1);
    if (is_needed || keys.has("feed_forward_length"))
        counts.ffn_width =
            keys.per_layer("feed_forward_length", n, least * recipe.ffn_width_divisor, kMaxWidth);
    for (int64_t& width : counts.ffn_width) width /= recipe.ffn_width_divisor;
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

// Which layers see only a window: the file says so with one flag per layer or with the length of a period, or
// the recipe does.
std::vector<bool> windowed_layers(const ModelSpec& spec, const WindowRecipe& window, const Keys& keys) {
    constexpr const char* kKey = "attention.sliding_window_pattern";
    std::vector<bool> result(static_cast<size_t>(spec.n_layers), false);
    if (window.period <= 0) return result;
    int64_t period = window.period;
    if (keys.is_array(kKey) || window.needs_pattern) {
        const std::vector<int64_t> flags = keys.per_layer(kKey, spec.n_layers, 0, 1);
        std::copy(flags.begin(), flags.end(), result.begin());
        return result;
    }
    period = keys.integer(kKey, 1, kMaxLayers, period);
    for (int64_t i = 0; i < spec.n_layers; ++i) {
        const int64_t full = window.first_of_period_is_full ? 0 : period - 1;
        result[static_cast<size_t>(i)] = period == 1 || i % period != full;
    }
    return result;
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
    // YaRN turns with a magnitude of 1 + 0.1 ln(factor); a model trained without it says so here.
    const float log_multiplier = keys.real("rope.scaling.yarn_log_multiplier", 0.0f);
    if (log_multiplier != 0) scaling.attn_factor /= 1.0f + 0.1f * log_multiplier * std::log(scaling.factor);
    scaling.ext_factor = keys.real("rope.scaling.yarn_ext_factor", -1.0f);
    scaling.beta_fast = keys.real("rope.scaling.yarn_beta_fast", 32.0f);
    scaling.beta_slow = keys.real("rope.scaling.yarn_beta_slow", 1.0f);
    scaling.original_context = static_cast<int32_t>(
        keys.integer("rope.scaling.original_context_length", 0, kMaxContext, spec.n_ctx_train));
    return scaling;
}

// What a layer's rotation depends on besides the file.
struct RopeLayer {
    int64_t index = 0;
    int64_t k_dim = 0;
    bool has_window = false;
};

int64_t rotated_width(const ModelSpec& spec, const Keys& keys, const RopeLayer& layer) {
    constexpr const char* kPerLayer = "rope.dimension_count_per_layer";
    if (keys.has(kPerLayer))
        return keys.per_layer(kPerLayer, spec.n_layers, 0, layer.k_dim)[static_cast<size_t>(layer.index)];
    constexpr const char* kWindow = "rope.dimension_count_swa";
    if (layer.has_window && keys.has(kWindow)) return keys.integer(kWindow, 0, layer.k_dim);
    return keys.integer("rope.dimension_count", 0, layer.k_dim, layer.k_dim);
}

float rope_base(const Recipe& recipe, const Keys& keys, const RopeLayer& layer) {
    constexpr const char* kPerLayer = "rope.freq_base_per_layer";
    if (keys.has(kPerLayer)) {
        const auto bases = keys.get<std::vector<float>>(kPerLayer);
        const auto i = static_cast<size_t>(layer.index);
        if (i >= bases.size())
            fail(ErrorCode::invalid_file, "{} has {} values, but there is a layer {}", keys.full(kPerLayer),
                 bases.size(), i);
        return bases[i];
    }
    const float base = keys.real("rope.freq_base", 10000.0f);
    if (!layer.has_window) return base;
    return keys.real("rope.freq_base_swa", recipe.window.rope_base > 0 ? recipe.window.rope_base : base);
}

RopeParams layer_rope_defaults(const ModelSpec& spec, const Recipe& recipe, const Keys& keys,
                               const RopeLayer& layer) {
    RopeParams rope;
    rope.kind = recipe.rope;
    if (rope.kind == RopeKind::none) return rope;
    rope.n_rot = static_cast<int32_t>(rotated_width(spec, keys, layer));
    if (rope.n_rot % 2 != 0) {
        fail(ErrorCode::invalid_file, "{} is {}, expected an even number", keys.full("rope.dimension_count"),
             rope.n_rot);
    }
    if (rope.n_rot == 0) rope.kind = RopeKind::none;
    rope.base = rope_base(recipe, keys, layer);
    if (!(rope.base > 0))
        fail(ErrorCode::invalid_file, "{} is {}, expected more than 0", keys.full("rope.freq_base"),
             rope.base);
    constexpr const char* kSections = "rope.dimension_sections";
    if (rope.kind != RopeKind::multi && rope.kind != RopeKind::interleaved_multi) return rope;
    const auto sections = keys.get<std::vector<int64_t>>(kSections);
    for (size_t i = 0; i < std::min(sections.size(), rope.sections.size()); ++i)
        rope.sections[i] = static_cast<int32_t>(keys.checked(kSections, sections[i], 0, layer.k_dim));
    return rope;
}

// What all layers' attention has in common.
struct AttentionKeys {
    int32_t window = 0;
    std::vector<bool> has_window;
    float softcap, alibi, clamp, scale;

    AttentionKeys(const ModelSpec& spec, const Recipe& recipe, const Keys& keys)
        : window(window_size(recipe.window, keys)),
          has_window(windowed_layers(spec, recipe.window, keys)),
          softcap(keys.real("attn_logit_softcapping", 0.0f)),
          alibi(keys.real("attention.max_alibi_bias", recipe.alibi_max_bias)),
          clamp(keys.real("attention.clamp_kqv", 0.0f)),
          scale(keys.real("attention.scale", 0.0f)) {}
};

void set_window(AttentionSpec& attention, const WindowRecipe& recipe, bool has_window, int32_t size) {
    if (has_window && size > 0) {
        attention.params.window_kind = recipe.kind;
        attention.params.window = size;
        attention.rope_is_scaled = recipe.rope_is_scaled;
    } else if (recipe.rope_only_in_window) {
        attention.rope.kind = RopeKind::none;
    }
}

void read_attention(ModelSpec& spec, const Recipe& recipe, const Keys& keys, const LayerCounts& counts) {
    const AttentionKeys common(spec, recipe, keys);
    constexpr const char* kTemperature = "attention.temperature_scale";
    if (keys.real(kTemperature, 0.0f) != 0)
        fail(ErrorCode::unsupported, "{} is not 0: queries scaled by position are not supported yet",
             keys.full(kTemperature));
    for (int64_t i = 0; i < spec.n_layers; ++i) {
        const auto layer = static_cast<size_t>(i);
        AttentionSpec& attention = spec.layers[layer].attention;
        AttentionParams& params = attention.params;
        params.cache_layer = static_cast<int32_t>(i);
        params.n_heads = static_cast<int32_t>(counts.heads[layer]);
        params.kv_heads = static_cast<int32_t>(counts.kv_heads[layer]);
        attention.is_present = params.n_heads > 0 && params.kv_heads > 0;
        if (!attention.is_present) {
            attention.rope.kind = RopeKind::none;
            continue;
        }
        params.k_dim = static_cast<int32_t>(head_width(spec, keys, "attention.key_length", params.n_heads));
        params.v_dim = static_cast<int32_t>(head_width(spec, keys, "attention.value_length", params.n_heads));
        params.scale = common.scale > 0 ? common.scale : score_scale(recipe.score_scale, spec, params);
        params.softcap = common.softcap;
        params.alibi_max_bias = common.alibi;
        params.is_causal = spec.is_causal;
        attention.qk_norm_kind = recipe.qk_norm_kind;
        attention.qk_norm_per_head = recipe.qk_norm_per_head;
        attention.qk_norm_after_rope = recipe.qk_norm_after_rope;
        attention.gate_activation = recipe.gate_activation;
        attention.clamp_qkv = common.clamp;
        attention.rope = layer_rope_defaults(
            spec, recipe, keys, {.index = i, .k_dim = params.k_dim, .has_window = common.has_window[layer]});
        set_window(attention, recipe.window, common.has_window[layer], common.window);
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
    routing.normalise_floor = recipe.expert_weights_floor;
    routing.weight_before = recipe.weighs_expert_inputs;
    routing.n_groups = static_cast<int32_t>(keys.integer("expert_group_count", 0, n_experts, 0));
    if (routing.n_groups <= 1) return routing;
    if (n_experts % routing.n_groups != 0)
        fail(ErrorCode::invalid_file, "{} is {}, which does not divide {} {}",
             keys.full("expert_group_count"), routing.n_groups, keys.full("expert_count"), n_experts);
    routing.n_groups_used =
        static_cast<int32_t>(keys.integer("expert_group_used_count", 1, routing.n_groups, routing.n_groups));
    if (routing.n_groups_used * (n_experts / routing.n_groups) < routing.n_used)
        fail(ErrorCode::invalid_file, "{} is {}, but {} groups of {} experts hold fewer",
             keys.full("expert_used_count"), routing.n_used, routing.n_groups_used,
             n_experts / routing.n_groups);
    return routing;
}

void read_feed_forward(ModelSpec& spec, const Recipe& recipe, const Keys& keys, const LayerCounts& counts) {
    const int64_t n_experts = keys.integer("expert_count", 0, kMaxExperts, 0);
    const int64_t n_dense =
        n_experts == 0 ? spec.n_layers : keys.integer("leading_dense_block_count", 0, spec.n_layers, 0);
    const int64_t step = keys.integer("interleave_moe_layer_step", 1, kMaxLayers, 1);
    for (int64_t i = 0; i < spec.n_layers; ++i) {
        FeedForwardSpec& ffn = spec.layers[static_cast<size_t>(i)].ffn;
        ffn.is_present = counts.ffn_width[static_cast<size_t>(i)] > 0;
        ffn.activation = recipe.activation;
        ffn.merged_gate_up = recipe.ffn == FeedForwardForm::merged;
        ffn.limits = ffn.experts.limits = recipe.gate_limits;
        if (i >= n_dense && (i + 1) % step == 0) ffn.experts.routing = read_routing(recipe, keys, n_experts);
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
    if (keys.get<bool>("use_parallel_residual", false)) spec.residual = Residual::parallel;
    spec.is_causal = keys.get<bool>("attention.causal", true);
    spec.pooling_type = static_cast<int32_t>(keys.integer("pooling_type", 0, 4, 0));
    const float scale = keys.real("embedding_scale", 0.0f);
    if (scale != 0) spec.embedding_scale = scale;
    if (recipe.scales_embedding_by_width) spec.embedding_scale = std::sqrt(static_cast<float>(spec.width));
    const float branch_scale = keys.real("residual_scale", 0.0f);
    if (branch_scale != 0) spec.residual_scale = branch_scale;
    spec.logit_softcap = keys.real("final_logit_softcapping", 0.0f);
    spec.rope_kind = recipe.rope;
    spec.rope_scaling = read_rope_scaling(spec, keys);
    const LayerCounts counts = read_counts(spec, recipe, keys);
    read_attention(spec, recipe, keys, counts);
    read_feed_forward(spec, recipe, keys, counts);
    if (recipe.adjust != nullptr) recipe.adjust(spec, keys);

    bind_weights(spec, recipe, {.keys = keys, .weights = weights, .ffn_width = counts.ffn_width});
    return spec;
}

}  // namespace cria::arch
