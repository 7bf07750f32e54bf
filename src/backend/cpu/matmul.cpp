// The only place that knows all tables of matrix-product kernels.
#include "backend/cpu/matmul.h"

#include "backend/cpu/int_decoder.h"
#include "backend/cpu/matmul_sets.h"
#include "base/error.h"

namespace cria::cpu {

Activations Activations::rows(int64_t first, int32_t count) const {
    Activations some = *this;
    some.n_rows = count;
    some.values = values + first * stride;
    if (q == nullptr) return some;
    const int64_t blocks = row_length / kActivationBlock;
    some.q = q + first * row_length;
    some.scales = scales + first * blocks;
    some.scaled_sums = scaled_sums + first * blocks;
    some.half_sums = half_sums + first * 2 * blocks;
    return some;
}

bool wants_int8(ElementType type) { return type_info(type).is_quantized; }

void check_weight_type(ElementType type) {
    const TypeInfo& info = type_info(type);
    const bool is_known = info.is_quantized ? int_decoder(type).decode_block != nullptr : !info.is_integer;
    if (is_known) return;
    fail(ErrorCode::unsupported, "tensors of type {} cannot be the weights of a matrix product here",
         info.name);
}

const MatmulKernels& matmul_kernels(Isa isa) {
    if (!is_supported(isa)) {
        fail(ErrorCode::unsupported, "matrix products for {} need {}, which this processor lacks",
             isa_name(isa), isa_requirement(isa));
    }
#if defined(__x86_64__)  // elsewhere these files are not compiled and the sets not supported
    if (isa == Isa::avx512) return avx512_matmul_kernels();
    if (isa == Isa::avx2) return avx2_matmul_kernels();
#endif
    return scalar_matmul_kernels();
}

}  // namespace cria::cpu
