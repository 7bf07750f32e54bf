// What a model is, once its metadata and tensors have been read: plain data, with every default resolved and
// every weight bound. The graph is built from it, the context's memory is sized by it. Made by load_spec() in
// recipe.h.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/graph.h"
#include "tensor/weight.h"

namespace cria::arch {

// Bounds on hyper-parameters. Real models stay far below; beyond them a file is damaged or hostile.
inline constexpr int64_t kMaxLayers = 512;
inline constexpr int64_t kMaxWidth = 1 << 20;
inline constexpr int64_t kMaxHeads = 4096;
inline constexpr int64_t kMaxExperts = 512;

enum class Presence : uint8_t { never, optional, required };

// How a layer's attention and feed-forward join the residual stream x.
enum class Residual : uint8_t {
    sequential,  // x += attention(norm(x)); x += ffn(norm(x))
    parallel,    // x += attention(norm(x)) + ffn(norm'(x)); one norm for both when there is no second
    post_norm,   // x = norm(x + attention(x)); x = norm(x + ffn(x))   (BERT)
};

struct NormWeights {
    const Weight* weight = nullptr;
    const Weight* bias = nullptr;
    bool is_weightless = false;  // normalises, but multiplies by nothing
    bool is_present() const { return weight != nullptr || is_weightless; }
};

struct AttentionSpec {
    bool is_present = false;
    AttentionParams params;  // heads, widths, scale, window
    RopeParams rope;         // kind none: no rotation
    bool rope_is_scaled =
        true;  // false: the model's scaling (and a context's overrides) do not touch this layer
    // k and v without weights: another layer's cache is read. Output alone (is_present false): a product
    // takes the place of attention.
    LinearPart q, k, v, output;
    NormWeights q_norm, k_norm;
    NormKind qk_norm_kind = NormKind::rms;
    bool qk_norm_per_head = true;  // else over the whole row
    bool qk_norm_after_rope = false;
    float clamp_qkv = 0.0f;
    // What attention found is multiplied by activation(gate(x)), one value per head or per element.
    LinearPart gate;
    Activation gate_activation = Activation::sigmoid;
    NormWeights sub_norm;  // before the output product
};

struct FeedForwardSpec {
    bool is_present = false;
    Activation activation = Activation::silu;
    GateLimits limits;  // of dense and shared experts; `experts` has its own
    // Dense: gate may be missing (plain) or merged into up (gate rows first).
    LinearPart gate, up, down;
    bool merged_gate_up = false;
    NormWeights sub_norm;  // before the down product
    // Experts: router set. With dense weights too, both are summed and the sum scaled.
    LinearPart router;
    MoeFeedForward experts;
    LinearPart shared_gate, shared_up, shared_down;  // an expert every token uses
    LinearPart shared_input_gate;                    // [width, 1]: its sigmoid scales the shared expert
    float sum_scale = 1.0f;
};

struct LayerSpec {
    NormWeights attention_norm;    // missing: the stream itself
    NormWeights attention_norm_2;  // Falcon 40B: the attention's own; attention_norm then is the FFN's
    NormWeights post_attention_norm;
    NormWeights ffn_norm;
    NormWeights experts_norm;  // Arctic: experts read the layer's input through this norm, beside all else
    NormWeights post_ffn_norm;
    AttentionSpec attention;
    FeedForwardSpec ffn;
};

// Rope settings shared by the layers, as read from the file; a context may override them.
struct RopeScaling {
    enum class Kind : uint8_t { none, linear, yarn, longrope } kind = Kind::none;
    float factor = 1.0f;
    float attn_factor = 1.0f;
    float ext_factor = -1.0f;  // < 0: 1 for YaRN, else 0
    float beta_fast = 32.0f;
    float beta_slow = 1.0f;
    int32_t original_context = 0;
    const Weight* long_factors = nullptr;  // for contexts beyond the original one
    const Weight* short_factors = nullptr;
};

struct ModelSpec {
    std::string architecture;
    int64_t width = 0;  // embedding length
    int64_t n_layers = 0;
    int64_t n_vocab = 0;
    int64_t n_ctx_train = 0;
    NormKind norm_kind = NormKind::rms;
    float norm_eps = 1e-5f;
    float post_norm_eps = 1e-5f;  // of the norms after a block
    Residual residual = Residual::sequential;
    bool is_causal = true;
    int32_t pooling_type = 0;  // as in the file: 0 none, 1 mean, 2 cls, 3 last, 4 rank
    RopeKind rope_kind = RopeKind::none;
    RopeScaling rope_scaling;

    const Weight* token_embedding = nullptr;
    float embedding_scale = 1.0f;
    const Weight* position_embedding = nullptr;
    const Weight* token_types = nullptr;
    NormWeights embedding_norm;
    NormWeights output_norm;
    LinearPart output;  // weight null: no logits (embedding models)
    float logit_scale = 1.0f;
    float logit_softcap = 0.0f;
    float residual_scale = 1.0f;  // of each branch before it is added

    std::vector<LayerSpec> layers;

    // Ranges of fused tensors that layers point at. A deque keeps their addresses.
    std::deque<Weight> ranges;
};

}  // namespace cria::arch
