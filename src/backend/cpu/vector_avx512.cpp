// The vector kernels for AVX-512.
#include "backend/cpu/simd_avx512.h"
#include "backend/cpu/vector_tables.h"
#include "backend/cpu/vector_x86.h"

namespace cria::cpu {

VectorKernels vector_kernels_avx512() { return vector_kernels_of<Floats16>(Isa::avx512); }

}  // namespace cria::cpu
