// The AVX2 table of matrix products.
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

RowDot avx2_row_dot(ElementType type) {
    check_weight_type(type);
    return wants_int8(type) ? quantized_row_dot_avx2(type) : float_row_dot_avx2(type);
}

void avx2_panel_product(const PanelTask& task) {
    return wants_int8(task.type->type) ? quantized_panel_avx2(task) : float_panel_avx2(task);
}

size_t avx2_panel_scratch_bytes(ElementType type, int64_t row_length) {
    return wants_int8(type) ? quantized_panel_scratch_bytes_avx2(type, row_length)
                            : float_panel_scratch_bytes_avx2(row_length);
}

int64_t in_order(int64_t, int64_t element) { return element; }

}  // namespace

const MatmulKernels& avx2_matmul_kernels() {
    static constexpr MatmulKernels kKernels{.isa = Isa::avx2,
                                            .q_place = in_order,
                                            .quantize_row = quantize_row_avx2,
                                            .row_dot = avx2_row_dot,
                                            .panel_product = avx2_panel_product,
                                            .panel_scratch_bytes = avx2_panel_scratch_bytes};
    return kKernels;
}

}  // namespace cria::cpu
