// SmolLM3 (Hugging Face 2025): Llama whose every fourth layer is not rotated.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {
namespace {

void leave_fourth_layers_unrotated(ModelSpec& spec, const Keys&) {
    for (size_t i = 3; i < spec.layers.size(); i += 4) spec.layers[i].attention.rope.kind = RopeKind::none;
}

}  // namespace

const Recipe kSmolLm3{
    .names = {"smollm3"},
    .adjust = leave_fourth_layers_unrotated,
};

}  // namespace cria::arch
