// The AVX-512 table of matrix products.
#include "backend/cpu/halves_avx512.h"
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

RowDot avx512_row_dot(ElementType type) {
    check_weight_type(type);
    return wants_int8(type) ? quantized_row_dot_avx512(type) : float_row_dot_avx512(type);
}

void avx512_panel_product(const PanelTask& task) {
    return wants_int8(task.type->type) ? quantized_panel_avx512(task) : float_panel_avx512(task);
}

size_t avx512_panel_scratch_bytes(ElementType type, int64_t row_length) {
    return wants_int8(type) ? quantized_panel_scratch_bytes_avx512(type, row_length)
                            : float_panel_scratch_bytes_avx512(row_length);
}

int64_t q_place(int64_t row_length, int64_t element) {
    return piece_place(row_length, element / 16) + element % 16;
}

}  // namespace

const MatmulKernels& avx512_matmul_kernels() {
    static constexpr MatmulKernels kKernels{.isa = Isa::avx512,
                                            .q_place = q_place,
                                            .quantize_row = quantize_row_avx512,
                                            .row_dot = avx512_row_dot,
                                            .panel_product = avx512_panel_product,
                                            .panel_scratch_bytes = avx512_panel_scratch_bytes};
    return kKernels;
}

}  // namespace cria::cpu
