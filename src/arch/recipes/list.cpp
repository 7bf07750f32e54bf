// The list of recipes, sorted by name.
#include "arch/recipes/list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/error.h"

namespace cria::arch {
namespace {

constexpr std::array kRecipes{
    &kArctic,     &kBaichuan, &kBert,        &kBitNet,    &kBitNet25, &kBloom,   &kChatGlm,    &kCohere2,
    &kCohere2Moe, &kCommandR, &kDbrx,        &kDeci,      &kFalcon,   &kGemma,   &kGemma2,     &kGemma3,
    &kGlm4Moe,    &kGpt2,     &kGptJ,        &kGptOss,    &kGranite,  &kGrok,    &kHunyuanMoe, &kJais,
    &kJinaBertV2, &kLaguna,   &kLlama,       &kLlama4,    &kMellum,   &kMimo2,   &kMiniCpm,    &kMiniMaxM2,
    &kMiniMaxM3,  &kMpt,      &kMuseGlimmer, &kNomicBert, &kOlmo,     &kOrion,   &kPhi3,       &kPlamo,
    &kQwen,       &kQwen2,    &kQwen2Moe,    &kQwen2Vl,   &kQwen3,    &kQwen3Vl, &kRefact,     &kSeedOss,
    &kSmolLm3,    &kStableLm, &kStarcoder2,  &kStep35,
};

}  // namespace

std::span<const Recipe* const> all_recipes() { return kRecipes; }

const Recipe& find_recipe(std::string_view architecture) {
    std::string known;
    for (const Recipe* recipe : kRecipes) {
        for (const std::string_view name : recipe->names) {
            if (name == architecture) return *recipe;
            known += (known.empty() ? "" : ", ") + std::string(name);
        }
    }
    fail(ErrorCode::unsupported,
         "general.architecture is '{}', which this version of Cria does not know; it knows {}", architecture,
         known);
}

void read_logit_scale(ModelSpec& spec, const Keys& keys) {
    spec.logit_scale = keys.required_real("logit_scale");
}

void use_width_per_head_scale(const ModelSpec& spec, AttentionSpec& attention) {
    attention.params.scale = 1.0f / std::sqrt(static_cast<float>(spec.width / attention.params.n_heads));
}

}  // namespace cria::arch
