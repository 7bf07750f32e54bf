// Trellis types: the list of their types.
#include "quant/trellis.h"

#include "quant/families.h"

namespace cria::quant {
namespace {

constexpr TypeInfo kTypes[] = {
    describe<Iq2Kt>({.type = ElementType::iq2_kt, .name = "iq2_kt"}),
    describe<Iq3Kt>({.type = ElementType::iq3_kt, .name = "iq3_kt"}),
    describe<Iq4Kt>({.type = ElementType::iq4_kt, .name = "iq4_kt"}),
    describe<Iq1Kt>({.type = ElementType::iq1_kt, .name = "iq1_kt"}),
};

}  // namespace

std::span<const TypeInfo> trellis_types() { return kTypes; }

}  // namespace cria::quant
