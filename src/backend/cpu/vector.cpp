// Look-up of vector tables.
#include "backend/cpu/vector.h"

#include "backend/cpu/vector_tables.h"
#include "base/error.h"

namespace cria::cpu {

const VectorKernels& vector_kernels(Isa isa) {
    if (!is_supported(isa))
        fail(ErrorCode::unsupported, "vector kernels for {} need {}", isa_name(isa), isa_requirement(isa));
#if defined(__x86_64__)  // elsewhere these files are not compiled and the sets not supported
    static const VectorKernels avx512 = vector_kernels_avx512();
    if (isa == Isa::avx512) return avx512;
    static const VectorKernels avx2 = vector_kernels_avx2();
    if (isa == Isa::avx2) return avx2;
#endif
    static const VectorKernels scalar = vector_kernels_scalar();
    return scalar;
}

}  // namespace cria::cpu
