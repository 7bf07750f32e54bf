// The families of element types: each file <family>.cpp fills TypeInfo rows and hands them over here. Private
// to src/quant.
#pragma once

#include <span>

#include "quant/types.h"

namespace cria::quant {

std::span<const TypeInfo> float_types();    // f32, f16, bf16, f64 and plain integers
std::span<const TypeInfo> legacy_types();   // one scale per 32 elements (or per row), and MXFP4
std::span<const TypeInfo> k_quant_types();  // 256 elements, sub-block scales, linear values
std::span<const TypeInfo> iq_types();       // code books of 4 or 8 elements, and the IQ4_NL curve
std::span<const TypeInfo> iqk_types();  // 256 elements, sub-block scales, curves instead of straight lines
std::span<const TypeInfo> trellis_types();      // values drawn from a generator started by the stored code
std::span<const TypeInfo> ternary_types();      // -1, 0, 1
std::span<const TypeInfo> interleaved_types();  // several rows merged into one block

}  // namespace cria::quant
