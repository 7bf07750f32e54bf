// The vector kernels for AVX2.
#include "backend/cpu/simd_avx2.h"
#include "backend/cpu/vector_tables.h"
#include "backend/cpu/vector_x86.h"

namespace cria::cpu {

VectorKernels vector_kernels_avx2() { return vector_kernels_of<Floats8>(Isa::avx2); }

}  // namespace cria::cpu
