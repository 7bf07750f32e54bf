// Types with one scale per block of 32 (or 128) elements or per row: the oldest formats of the family, and
// MXFP4.
#include "quant/legacy.h"

#include "quant/families.h"

namespace cria::quant {
namespace {

// One pass over the row is all that Q8_KV's encoder does.
constexpr TypeInfo describe_q8_kv() {
    TypeInfo info = describe<Q8_KV>({.type = ElementType::q8_kv, .name = "q8_kv", .is_cache_type = true});
    info.encode_fast = info.encode;
    return info;
}

constexpr TypeInfo kTypes[] = {
    describe<Q4_0>({.type = ElementType::q4_0, .name = "q4_0", .is_cache_type = true}),
    describe<Q4_1>({.type = ElementType::q4_1, .name = "q4_1", .is_cache_type = true}),
    describe<Q5_0>({.type = ElementType::q5_0, .name = "q5_0", .is_cache_type = true}),
    describe<Q5_1>({.type = ElementType::q5_1, .name = "q5_1", .is_cache_type = true}),
    describe<Q6_0>({.type = ElementType::q6_0, .name = "q6_0", .is_cache_type = true}),
    describe<Q8_0>({.type = ElementType::q8_0, .name = "q8_0", .is_cache_type = true}),
    describe<Q8_1>({.type = ElementType::q8_1, .name = "q8_1"}),
    describe<Q8_K>({.type = ElementType::q8_k, .name = "q8_k"}),
    describe_q8_kv(),
    describe<Mxfp4>({.type = ElementType::mxfp4, .name = "mxfp4"}),
    describe<Q1_0_G128>({.type = ElementType::q1_0_g128, .name = "q1_0_g128"}),
};

}  // namespace

std::span<const TypeInfo> legacy_types() { return kTypes; }

}  // namespace cria::quant
