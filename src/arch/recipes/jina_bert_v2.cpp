// Jina embeddings v2 (Günther et al. 2023): BERT with ALiBi and a GELU-gated feed-forward.
#include "arch/recipe.h"
#include "arch/recipes/list.h"

namespace cria::arch {

const Recipe kJinaBertV2{
    .names = {"jina-bert-v2"},
    .norm = NormKind::layer,
    .norm_bias = Presence::required,
    .residual = Residual::post_norm,
    .attention_norm = Presence::never,
    .ffn_norm = Presence::never,
    .post_norms = Presence::required,
    .embedding_norm = Presence::required,
    .token_types = Presence::optional,
    .head = Presence::never,
    .rope = RopeKind::none,
    .qk_norm = Presence::optional,
    .qk_norm_kind = NormKind::layer,
    .qk_norm_per_head = false,
    .alibi_max_bias = 8.0f,
    .activation = Activation::gelu,
};

}  // namespace cria::arch
