// Private to matmul*.cpp: the table of each instruction set.
#pragma once

#include "backend/cpu/matmul.h"

namespace cria::cpu {

const MatmulKernels& scalar_matmul_kernels();

// Definitions, shared by the sets that have nothing better.
void quantize_row_scalar(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums);
void row_dot_scalar(const RowDotTask& task);
void panel_product_scalar(const PanelTask& task);

// Throws Error{unsupported} when the type cannot be the weights of a product.
void check_weight_type(ElementType type);

}  // namespace cria::cpu
