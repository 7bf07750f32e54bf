// The attention tables of each instruction set, for attention.cpp alone.
#pragma once

#include "backend/cpu/attention.h"

namespace cria::cpu {

AttentionKernels attention_kernels_scalar();
AttentionKernels attention_kernels_avx2();
AttentionKernels attention_kernels_avx512();

}  // namespace cria::cpu
