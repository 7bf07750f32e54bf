// K-quants: the list of their types.
#include "quant/k_quants.h"

#include "quant/families.h"

namespace cria::quant {
namespace {

constexpr TypeInfo kTypes[] = {
    describe<Q2_K>({.type = ElementType::q2_k, .name = "q2_k"}),
    describe<Q3_K>({.type = ElementType::q3_k, .name = "q3_k"}),
    describe<Q4_K>({.type = ElementType::q4_k, .name = "q4_k"}),
    describe<Q5_K>({.type = ElementType::q5_k, .name = "q5_k"}),
    describe<Q6_K>({.type = ElementType::q6_k, .name = "q6_k"}),
};

}  // namespace

std::span<const TypeInfo> k_quant_types() { return kTypes; }

}  // namespace cria::quant
