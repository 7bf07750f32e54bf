// The recipes, one a file, and helpers that several of them share.
#pragma once

#include "arch/recipe.h"

namespace cria::arch {

extern const Recipe kCohere2;
extern const Recipe kCommandR;
extern const Recipe kFalcon;
extern const Recipe kGemma;
extern const Recipe kGemma2;
extern const Recipe kGemma3;
extern const Recipe kGpt2;
extern const Recipe kLlama;
extern const Recipe kMpt;
extern const Recipe kPhi3;
extern const Recipe kQwen2;
extern const Recipe kQwen3;
extern const Recipe kStableLm;

// adjust functions and parts of them
void read_logit_scale(ModelSpec& spec, const Keys& keys);
void use_width_per_head_scale(const ModelSpec& spec, AttentionSpec& attention);

}  // namespace cria::arch
