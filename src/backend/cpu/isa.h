// Which instruction set the CPU kernels use. The best one the processor has is chosen at start; the
// environment variable CRIA_ISA forces one by name (scalar, avx2, avx512).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cria::cpu {

// In ascending order: each set includes those before it.
enum class Isa { scalar, avx2, avx512 };

std::string_view isa_name(Isa isa);  // "avx512"
// What a processor must have for it, in words: "AVX-512 F, BW, DQ, VL and VNNI".
std::string_view isa_requirement(Isa isa);
bool is_supported(Isa isa);
// Every set this build knows, best first.
std::span<const Isa> known_isas();

// The set to use: CRIA_ISA if set, else the best supported. Throws Error{unsupported} (naming the sets that
// exist and can run here) when CRIA_ISA names none or one that this processor lacks. Reads the environment
// once per call; callers keep the answer.
Isa choose_isa();

}  // namespace cria::cpu
