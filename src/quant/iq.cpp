// Code-book types and the IQ4 curve: the list of their types.
#include "quant/iq.h"

#include "quant/families.h"

namespace cria::quant {
namespace {

constexpr TypeInfo kTypes[] = {
    describe<Iq2Xxs>({.type = ElementType::iq2_xxs, .name = "iq2_xxs", .needs_importance = true}),
    describe<Iq2Xs>({.type = ElementType::iq2_xs, .name = "iq2_xs", .needs_importance = true}),
    describe<Iq3Xxs>({.type = ElementType::iq3_xxs, .name = "iq3_xxs"}),
    describe<Iq1S>({.type = ElementType::iq1_s, .name = "iq1_s", .needs_importance = true}),
    describe<Iq4Nl>({.type = ElementType::iq4_nl, .name = "iq4_nl", .is_cache_type = true}),
    describe<Iq3S>({.type = ElementType::iq3_s, .name = "iq3_s"}),
    describe<Iq2S>({.type = ElementType::iq2_s, .name = "iq2_s"}),
    describe<Iq4Xs>({.type = ElementType::iq4_xs, .name = "iq4_xs"}),
    describe<Iq1M>({.type = ElementType::iq1_m, .name = "iq1_m"}),
};

}  // namespace

std::span<const TypeInfo> iq_types() { return kTypes; }

}  // namespace cria::quant
