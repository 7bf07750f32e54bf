// Attention for AVX-512.
#include "backend/cpu/attention_tables.h"
#include "backend/cpu/attention_x86.h"
#include "backend/cpu/set_avx512.h"
#include "backend/cpu/simd_avx512.h"

namespace cria::cpu {

AttentionKernels attention_kernels_avx512() { return attention_kernels_of<Floats16, Avx512>(Isa::avx512); }

}  // namespace cria::cpu
