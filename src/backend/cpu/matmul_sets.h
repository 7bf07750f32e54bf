// Private to matmul*.cpp: the table of each instruction set.
#pragma once

#include "backend/cpu/matmul.h"

namespace cria::cpu {

const MatmulKernels& scalar_matmul_kernels();
const MatmulKernels& avx2_matmul_kernels();
const MatmulKernels& avx512_matmul_kernels();

// Definitions, shared by the sets that have nothing better.
void quantize_row_scalar(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums);
void row_dot_scalar(const RowDotTask& task);
void panel_product_scalar(const PanelTask& task);

// AVX-512, by kind of type: f32, f16, bf16 (others as the definition), and quantised.
void quantize_row_avx512(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums);
RowDot float_row_dot_avx512(ElementType type);
RowDot quantized_row_dot_avx512(ElementType type);
void float_panel_avx512(const PanelTask& task);
void quantized_panel_avx512(const PanelTask& task);
size_t float_panel_scratch_bytes_avx512(int64_t row_length);
size_t quantized_panel_scratch_bytes_avx512(ElementType type, int64_t row_length);

// AVX2, by kind of type: f32, f16, bf16 (others as the definition), and quantised.
void quantize_row_avx2(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                       float* half_sums);
RowDot float_row_dot_avx2(ElementType type);
RowDot quantized_row_dot_avx2(ElementType type);
void float_panel_avx2(const PanelTask& task);
void quantized_panel_avx2(const PanelTask& task);
size_t float_panel_scratch_bytes_avx2(int64_t row_length);
size_t quantized_panel_scratch_bytes_avx2(ElementType type, int64_t row_length);

// Throws Error{unsupported} when the type cannot be the weights of a product.
void check_weight_type(ElementType type);

}  // namespace cria::cpu
