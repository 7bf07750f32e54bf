// The vector tables of each instruction set, for vector.cpp alone, and what their sources share.
#pragma once

#include "backend/cpu/vector.h"

namespace cria::cpu {

VectorKernels vector_kernels_scalar();
VectorKernels vector_kernels_avx2();
VectorKernels vector_kernels_avx512();

// One element, in plain C++: the definition. Formulas: SiLU x * sigmoid(x); GELU by tanh (Hendrycks and
// Gimpel 2016) or by erf; quick GELU x * sigmoid(1.702 x).
float activation_of(Activation kind, float x);

}  // namespace cria::cpu
