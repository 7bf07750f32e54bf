// Curve types: the list of their types.
#include "quant/iqk.h"

#include "quant/families.h"

namespace cria::quant {
namespace {

constexpr TypeInfo kTypes[] = {
    describe<Iq2K>({.type = ElementType::iq2_k, .name = "iq2_k"}),
    describe<Iq3K>({.type = ElementType::iq3_k, .name = "iq3_k"}),
    describe<Iq4K>({.type = ElementType::iq4_k, .name = "iq4_k"}),
    describe<Iq5K>({.type = ElementType::iq5_k, .name = "iq5_k"}),
    describe<Iq6K>({.type = ElementType::iq6_k, .name = "iq6_k"}),
    describe<Iq4Ks>({.type = ElementType::iq4_ks, .name = "iq4_ks"}),
    describe<Iq2Ks>({.type = ElementType::iq2_ks, .name = "iq2_ks"}),
    describe<Iq4Kss>({.type = ElementType::iq4_kss, .name = "iq4_kss"}),
    describe<Iq5Ks>({.type = ElementType::iq5_ks, .name = "iq5_ks"}),
    describe<Iq3Ks>({.type = ElementType::iq3_ks, .name = "iq3_ks"}),
    describe<Iq2Kl>({.type = ElementType::iq2_kl, .name = "iq2_kl"}),
};

}  // namespace

std::span<const TypeInfo> iqk_types() { return kTypes; }

}  // namespace cria::quant
