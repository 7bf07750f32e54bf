// Row-interleaved types: the list.
#include "quant/interleaved.h"

#include "quant/families.h"
#include "quant/interleaved_grids.h"

namespace cria::quant {
namespace {

using enum ElementType;

// BF16_R16 holds exactly BF16's words; as a plain float type it is no quantised one.
constexpr TypeInfo describe_bf16_r16() {
    TypeInfo info = describe_interleaved<Bf16R16, Bf16Pairs>(bf16, {.type = bf16_r16, .name = "bf16_r16"});
    info.is_quantized = false;
    return info;
}

// Its numbers are those of Q8_K under a scale rounded to f16.
constexpr TypeInfo describe_q8_k_r8() {
    TypeInfo info = describe<Q8_KR8>({.type = q8_k_r8, .name = "q8_k_r8"});
    info.base_type = q8_k;
    return info;
}

constexpr TypeInfo kTypes[] = {
    describe_interleaved<Q4_0Strips<4, 4>, Q4_0>(q4_0, {.type = q4_0_4_4, .name = "q4_0_4_4"}),
    describe_interleaved<Q4_0Strips<4, 8>, Q4_0>(q4_0, {.type = q4_0_4_8, .name = "q4_0_4_8"}),
    describe_interleaved<Q4_0Strips<8, 8>, Q4_0>(q4_0, {.type = q4_0_8_8, .name = "q4_0_8_8"}),
    describe_interleaved<Q4_0R8, Q4_0>(q4_0, {.type = q4_0_r8, .name = "q4_0_r8"}),
    describe_interleaved<Q5_0R4, Q5_0>(q5_0, {.type = q5_0_r4, .name = "q5_0_r4"}),
    describe_interleaved<Q6_0R4, Q6_0>(q6_0, {.type = q6_0_r4, .name = "q6_0_r4"}),
    describe_interleaved<Q8_0R8, Q8_0>(q8_0, {.type = q8_0_r8, .name = "q8_0_r8"}),
    describe_interleaved<Q8_KVR8, Q8_KV>(q8_kv, {.type = q8_kv_r8, .name = "q8_kv_r8"}),
    describe_interleaved<Mxfp4R8, Mxfp4>(mxfp4, {.type = mxfp4_r8, .name = "mxfp4_r8"}),
    describe_interleaved<Q2_KR4, Q2_K>(q2_k, {.type = q2_k_r4, .name = "q2_k_r4"}),
    describe_interleaved<Q3_KR4, Q3_K>(q3_k, {.type = q3_k_r4, .name = "q3_k_r4"}),
    describe_interleaved<Q4_KR4, Q4_K>(q4_k, {.type = q4_k_r4, .name = "q4_k_r4"}),
    describe_interleaved<Q5_KR4, Q5_K>(q5_k, {.type = q5_k_r4, .name = "q5_k_r4"}),
    describe_interleaved<Q6_KR4, Q6_K>(q6_k, {.type = q6_k_r4, .name = "q6_k_r4"}),
    describe_interleaved<Iq2XxsR4, Iq2Xxs>(
        iq2_xxs, {.type = iq2_xxs_r4, .name = "iq2_xxs_r4", .needs_importance = true}),
    describe_interleaved<Iq2XsR4, Iq2Xs>(iq2_xs,
                                         {.type = iq2_xs_r4, .name = "iq2_xs_r4", .needs_importance = true}),
    describe_interleaved<Iq2SR4, Iq2S>(iq2_s, {.type = iq2_s_r4, .name = "iq2_s_r4"}),
    describe_interleaved<Iq3XxsR4, Iq3Xxs>(iq3_xxs, {.type = iq3_xxs_r4, .name = "iq3_xxs_r4"}),
    describe_interleaved<Iq3SR4, Iq3S>(iq3_s, {.type = iq3_s_r4, .name = "iq3_s_r4"}),
    describe_interleaved<Iq4NlR4, Iq4Nl>(iq4_nl, {.type = iq4_nl_r4, .name = "iq4_nl_r4"}),
    describe_interleaved<Iq4XsR8, Iq4Xs>(iq4_xs, {.type = iq4_xs_r8, .name = "iq4_xs_r8"}),
    describe_interleaved<Iq2BnR4, Iq2Bn>(iq2_bn, {.type = iq2_bn_r4, .name = "iq2_bn_r4"}),
    describe_interleaved<Iq2KR4, Iq2K>(iq2_k, {.type = iq2_k_r4, .name = "iq2_k_r4"}),
    describe_interleaved<Iq3KR4, Iq3K>(iq3_k, {.type = iq3_k_r4, .name = "iq3_k_r4"}),
    describe_interleaved<Iq4KR4, Iq4K>(iq4_k, {.type = iq4_k_r4, .name = "iq4_k_r4"}),
    describe_interleaved<Iq5KR4, Iq5K>(iq5_k, {.type = iq5_k_r4, .name = "iq5_k_r4"}),
    describe_interleaved<Iq4KsR4, Iq4Ks>(iq4_ks, {.type = iq4_ks_r4, .name = "iq4_ks_r4"}),
    describe_interleaved<Iq5KsR4, Iq5Ks>(iq5_ks, {.type = iq5_ks_r4, .name = "iq5_ks_r4"}),
    describe<Iq1SR4>({.type = iq1_s_r4, .name = "iq1_s_r4"}),
    describe<Iq1MR4>({.type = iq1_m_r4, .name = "iq1_m_r4"}),
    describe_q8_k_r8(),
    describe<Q8_KR16>({.type = q8_k_r16, .name = "q8_k_r16"}),
    describe_bf16_r16(),
};

}  // namespace

std::span<const TypeInfo> interleaved_types() { return kTypes; }

}  // namespace cria::quant
