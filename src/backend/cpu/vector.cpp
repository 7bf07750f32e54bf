// Look-up of vector tables.
#include "backend/cpu/vector.h"

#include "backend/cpu/vector_tables.h"
#include "base/error.h"

namespace cria::cpu {

const VectorKernels& vector_kernels(Isa isa) {
    if (!is_supported(isa))
        fail(ErrorCode::unsupported, "vector kernels for {} need {}", isa_name(isa), isa_requirement(isa));
    static const VectorKernels scalar = vector_kernels_scalar();
    return scalar;
}

}  // namespace cria::cpu
