// The recipes, one a file, and helpers that several of them share.
#pragma once

#include "arch/recipe.h"

namespace cria::arch {

extern const Recipe kArctic;
extern const Recipe kBaichuan;
extern const Recipe kBert;
extern const Recipe kBitNet;
extern const Recipe kBitNet25;
extern const Recipe kBloom;
extern const Recipe kChatGlm;
extern const Recipe kCohere2;
extern const Recipe kCohere2Moe;
extern const Recipe kCommandR;
extern const Recipe kDbrx;
extern const Recipe kDeci;
extern const Recipe kFalcon;
extern const Recipe kGemma;
extern const Recipe kGemma2;
extern const Recipe kGemma3;
extern const Recipe kGlm4Moe;
extern const Recipe kGpt2;
extern const Recipe kGptJ;
extern const Recipe kGptOss;
extern const Recipe kGranite;
extern const Recipe kGrok;
extern const Recipe kHunyuanMoe;
extern const Recipe kJais;
extern const Recipe kJinaBertV2;
extern const Recipe kLaguna;
extern const Recipe kLlama;
extern const Recipe kLlama4;
extern const Recipe kMellum;
extern const Recipe kMimo2;
extern const Recipe kMiniCpm;
extern const Recipe kMiniMaxM2;
extern const Recipe kMiniMaxM3;
extern const Recipe kMpt;
extern const Recipe kMuseGlimmer;
extern const Recipe kNomicBert;
extern const Recipe kOlmo;
extern const Recipe kOrion;
extern const Recipe kPhi3;
extern const Recipe kPlamo;
extern const Recipe kQwen;
extern const Recipe kQwen2;
extern const Recipe kQwen2Moe;
extern const Recipe kQwen2Vl;
extern const Recipe kQwen3;
extern const Recipe kQwen3Vl;
extern const Recipe kRefact;
extern const Recipe kSeedOss;
extern const Recipe kSmolLm3;
extern const Recipe kStableLm;
extern const Recipe kStarcoder2;
extern const Recipe kStep35;

// adjust functions and parts of them
void read_logit_scale(ModelSpec& spec, const Keys& keys);
void use_width_per_head_scale(const ModelSpec& spec, AttentionSpec& attention);

}  // namespace cria::arch
