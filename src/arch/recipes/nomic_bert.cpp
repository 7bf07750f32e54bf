// Nomic Embed (Nussbaum et al. 2024): BERT with rotation and a SiLU-gated feed-forward.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kNomicBert{
    .names = {"nomic-bert"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .residual = Residual::post_norm,
    .attention_norm = Presence::never,
    .ffn_norm = Presence::never,
    .post_norms = Presence::required,
    .embedding_norm = Presence::required,
    .token_types = Presence::optional,
    .head = Presence::never,
    .rope = RopeKind::neox,
};

}  // namespace cria::arch
