// Baichuan (Yang et al. 2023): Llama; the 13B model (40 layers) has ALiBi instead of rotation.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

constexpr int64_t kLayersOf13B = 40;

void use_alibi_in_13b(ModelSpec& spec, const Keys&) {
    if (spec.n_layers != kLayersOf13B) return;
    spec.rope_kind = RopeKind::none;
    for (LayerSpec& layer : spec.layers) {
        layer.attention.rope.kind = RopeKind::none;
        layer.attention.params.alibi_max_bias = 8.0f;
    }
}

}  // namespace

const Recipe kBaichuan{
    .names = {"baichuan"},
    .adjust = use_alibi_in_13b,
};

}  // namespace cria::arch
