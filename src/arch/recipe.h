// Recipes: what is special about each model family. A recipe is a value whose defaults are the plain Llama
// choice, so it holds only differences; what no field can say is done by its `adjust` function. Two recipes
// that agree are one recipe with two names. Adding a family: a file in recipes/, a row in recipes/list.cpp, a
// case in the conformance data (docs/architectures.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/keys.h"
#include "arch/spec.h"
#include "gguf/metadata.h"
#include "tensor/weight_table.h"

namespace cria::arch {

enum class FeedForwardForm : uint8_t {
    gated,   // down(activation(gate(x)) * up(x)), gate and up apart
    merged,  // the same with gate and up in one tensor, ffn_up, gate rows first
    plain,   // down(activation(up(x)))
};

enum class ScoreScale : uint8_t {
    head_dim,        // 1 / sqrt(k_dim)
    width_per_head,  // 1 / sqrt(width / n_heads)
    one,
    inverse_head_dim,  // 1 / k_dim
};

// Which layers see only a window, and what that changes.
struct WindowRecipe {
    int32_t period = 0;  // 0: no windows; 1: every layer; n: all but each n-th layer (i % n == n - 1)
    bool first_of_period_is_full = false;  // the full layer comes first in its period instead of last
    int32_t default_size = 0;    // when the key attention.sliding_window is missing; 0: the key is required
    bool needs_pattern = false;  // the file must say which layers have windows
    WindowKind kind = WindowKind::sliding;
    bool rope_only_in_window = false;  // full layers are not rotated
    bool rope_is_scaled = true;        // false: the model's rope scaling leaves window layers alone
    float rope_base = 0.0f;            // of window layers, when the file has none; 0: as the others
};

struct Recipe {
    std::vector<std::string_view> names;  // values of general.architecture

    NormKind norm = NormKind::rms;
    Presence norm_bias = Presence::never;
    Presence norm_weight = Presence::required;  // never: norms have no weights
    Residual residual = Residual::sequential;
    Presence attention_norm = Presence::required;
    std::string_view ffn_norm_name = "ffn_norm";
    Presence ffn_norm = Presence::required;
    Presence attention_norm_2 = Presence::never;
    Presence experts_norm = Presence::never;    // ffn_norm_exps
    Presence post_norms = Presence::never;      // post_attention_norm and post_ffw_norm, under any name
    Presence sub_norms = Presence::never;       // attn_sub_norm and ffn_sub_norm, before the last products
    Presence embedding_norm = Presence::never;  // token_embd_norm
    Presence position_embedding = Presence::never;
    Presence token_types = Presence::never;
    Presence head = Presence::required;      // output_norm and logits
    bool scales_embedding_by_width = false;  // embeddings * sqrt(width)
    bool may_skip_blocks = false;            // heads or widths of 0: layers without that block

    RopeKind rope = RopeKind::normal;
    Presence qkv_bias = Presence::optional;
    Presence output_bias = Presence::optional;
    Presence qk_norm = Presence::never;
    NormKind qk_norm_kind = NormKind::rms;
    bool qk_norm_per_head = true;
    bool qk_norm_after_rope = false;
    Presence attention_gate = Presence::never;  // attn_gate
    Activation gate_activation = Activation::sigmoid;
    Presence sinks = Presence::never;  // attn_sinks
    ScoreScale score_scale = ScoreScale::head_dim;
    float alibi_max_bias = 0.0f;
    WindowRecipe window;

    Activation activation = Activation::silu;
    FeedForwardForm ffn = FeedForwardForm::gated;
    GateLimits gate_limits;
    int32_t ffn_width_divisor = 1;  // feed_forward_length counts this many times the rows
    Presence ffn_bias = Presence::optional;
    Presence dense_beside_experts = Presence::never;  // a dense block added to the experts
    Presence shared_expert = Presence::optional;
    RouterKind router = RouterKind::softmax;
    bool normalises_expert_weights = true;
    float expert_weights_floor = 0.0f;  // least sum that weights are divided by
    bool weighs_expert_inputs = false;  // the weight multiplies what an expert reads

    // After the common keys are read, before tensors are bound: for what the fields above cannot say.
    void (*adjust)(ModelSpec& spec, const Keys& keys) = nullptr;
};

// All recipes, sorted by first name.
std::span<const Recipe* const> all_recipes();
// Throws Error{unsupported} naming the architecture and those that are known.
const Recipe& find_recipe(std::string_view architecture);

// Reads hyper-parameters and binds tensors by the recipe of general.architecture. Throws Error{invalid_file}
// naming the key and its bounds, or listing all missing tensors and all wrong shapes (expected and found) at
// once. The spec points into `weights`, which must outlive it.
ModelSpec load_spec(const gguf::Metadata& metadata, const WeightTable& weights);

}  // namespace cria::arch
