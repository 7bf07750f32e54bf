// Choice of the instruction set.
#include "backend/cpu/isa.h"

#include <array>
#include <cstdlib>

#include "base/cpu.h"
#include "base/error.h"

namespace cria::cpu {
namespace {

constexpr std::array kKnown{Isa::avx512, Isa::avx2, Isa::scalar};

std::string supported_names() {
    std::string names;
    for (const Isa isa : kKnown) {
        if (!is_supported(isa)) continue;
        if (!names.empty()) names += ", ";
        names += isa_name(isa);
    }
    return names;
}

}  // namespace

std::string_view isa_name(Isa isa) {
    switch (isa) {
        case Isa::scalar:
            return "scalar";
        case Isa::avx2:
            return "avx2";
        case Isa::avx512:
            return "avx512";
    }
    return "unknown";
}

std::string_view isa_requirement(Isa isa) {
    switch (isa) {
        case Isa::scalar:
            return "nothing";
        case Isa::avx2:
            return "AVX2, FMA, F16C and BMI2";
        case Isa::avx512:
            return "AVX-512 F, BW, DQ, VL and VNNI";
    }
    return "";
}

bool is_supported(Isa isa) {
    switch (isa) {
        case Isa::scalar:
            return true;
        case Isa::avx2:
            return cpu_features().avx2;
        case Isa::avx512:
            return cpu_features().avx512_vnni;
    }
    return false;
}

std::span<const Isa> known_isas() { return kKnown; }

Isa choose_isa() {
    const char* wanted = std::getenv("CRIA_ISA");
    if (wanted == nullptr || *wanted == '\0') {
        for (const Isa isa : kKnown) {
            if (is_supported(isa)) return isa;
        }
        return Isa::scalar;
    }
    for (const Isa isa : kKnown) {
        if (isa_name(isa) != wanted) continue;
        if (is_supported(isa)) return isa;
        fail(ErrorCode::unsupported, "CRIA_ISA={} needs {}, which this processor lacks; it can run: {}",
             wanted, isa_requirement(isa), supported_names());
    }
    fail(ErrorCode::unsupported, "CRIA_ISA={} is no instruction set of Cria; this processor can run: {}",
         wanted, supported_names());
}

}  // namespace cria::cpu
