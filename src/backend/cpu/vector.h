// Kernels on rows of floats: norms, rotary embedding, activations, softmax pieces, conversions. All lengths
// are in elements and need not be multiples of anything; pointers need no alignment; `out` may equal `x`
// unless said otherwise. NaN in gives NaN out.
#pragma once

#include <cstdint>

#include "backend/cpu/isa.h"
#include "tensor/graph.h"

namespace cria::cpu {

struct NormTask {
    NormKind kind = NormKind::rms;
    float eps = 0.0f;
    const float* x = nullptr;
    const float* weight = nullptr;  // [n] or null
    const float* bias = nullptr;    // [n] or null
    float* out = nullptr;
    int64_t n = 0;  // one group
};

struct VectorKernels {
    Isa isa = Isa::scalar;
    void (*norm)(const NormTask& task) = nullptr;
    // Rotates n_heads heads of head_dim in place. cos_sin: n_rot / 2 pairs (cos, sin) for the row's position.
    // kind is normal (pairs 2i, 2i+1) or neox (i, i + n_rot/2; also for the multi kinds, whose sections are
    // already in cos_sin).
    void (*rope)(float* row, int32_t n_heads, int32_t head_dim, int32_t n_rot, bool is_neox,
                 const float* cos_sin) = nullptr;
    // out = activation(x)
    void (*activate)(Activation kind, const float* x, float* out, int64_t n) = nullptr;
    // out = activation(gate) * up, with limits (see GateLimits)
    void (*gate)(Activation kind, const GateLimits& limits, const float* gate, const float* up, float* out,
                 int64_t n) = nullptr;
    void (*add)(const float* a, const float* b, float* out, int64_t n) = nullptr;
    void (*multiply)(const float* a, const float* b, float* out, int64_t n) = nullptr;
    // out += a * x
    void (*axpy)(float a, const float* x, float* out, int64_t n) = nullptr;
    // out = a * x
    void (*scale)(float a, const float* x, float* out, int64_t n) = nullptr;
    // out = cap * tanh(x / cap)
    void (*softcap)(float cap, const float* x, float* out, int64_t n) = nullptr;
    // x becomes exp(x - max(x)) / sum, in place
    void (*softmax)(float* x, int64_t n) = nullptr;
    void (*f32_to_f16)(const float* x, uint16_t* out, int64_t n) = nullptr;
    void (*f16_to_f32)(const uint16_t* x, float* out, int64_t n) = nullptr;
    void (*f32_to_bf16)(const float* x, uint16_t* out, int64_t n) = nullptr;
};

// The table of a set that is_supported(); throws Error{unsupported} otherwise.
const VectorKernels& vector_kernels(Isa isa);

}  // namespace cria::cpu
