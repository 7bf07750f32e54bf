// Command A with experts (Cohere 2025): RMS norm, attention and feed-forward in parallel, windows by layer;
// rotated are windowed layers and the dense ones at the start.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

void rotate_dense_layers(ModelSpec& spec, const Keys& keys) {
    read_logit_scale(spec, keys);
    for (LayerSpec& layer : spec.layers) {
        if (layer.ffn.experts.routing.n_used == 0) layer.attention.rope.kind = spec.rope_kind;
    }
}

}  // namespace

const Recipe kCohere2Moe{
    .names = {"cohere2_moe"},
    .residual = Residual::parallel,
    .ffn_norm = Presence::never,
    .window = {.period = 4, .rope_only_in_window = true},
    .router = RouterKind::sigmoid,
    .adjust = rotate_dense_layers,
};

}  // namespace cria::arch
