// Attention for AVX2.
#include "backend/cpu/attention_tables.h"
#include "backend/cpu/attention_x86.h"
#include "backend/cpu/set_avx2.h"
#include "backend/cpu/simd_avx2.h"

namespace cria::cpu {

AttentionKernels attention_kernels_avx2() { return attention_kernels_of<Floats8, Avx2>(Isa::avx2); }

}  // namespace cria::cpu
