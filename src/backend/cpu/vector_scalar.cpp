// The definition of the vector kernels: plain loops, written like the formulas.
#include <cmath>

#include "backend/cpu/vector_tables.h"
#include "base/half.h"

namespace cria::cpu {
namespace {

float mean_of_squares(const float* x, int64_t n) {
    float sum = 0.0f;
    for (int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum / static_cast<float>(n);
}

float mean_of(const float* x, int64_t n) {
    float sum = 0.0f;
    for (int64_t i = 0; i < n; ++i) sum += x[i];
    return sum / static_cast<float>(n);
}

float variance_of(const float* x, int64_t n, float mean) {
    float sum = 0.0f;
    for (int64_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
    return sum / static_cast<float>(n);
}

void norm(const NormTask& t) {
    float mean = 0.0f;
    float scale = 1.0f;
    switch (t.kind) {
        case NormKind::rms:
            scale = 1.0f / std::sqrt(mean_of_squares(t.x, t.n) + t.eps);
            break;
        case NormKind::layer:
            mean = mean_of(t.x, t.n);
            scale = 1.0f / std::sqrt(variance_of(t.x, t.n, mean) + t.eps);
            break;
        case NormKind::l2: {
            const float length = std::sqrt(mean_of_squares(t.x, t.n) * static_cast<float>(t.n));
            scale = 1.0f / (length > t.eps || length != length ? length : t.eps);
            break;
        }
    }
    for (int64_t i = 0; i < t.n; ++i) {
        float y = (t.x[i] - mean) * scale;
        if (t.weight != nullptr) y *= t.weight[i];
        if (t.bias != nullptr) y += t.bias[i];
        t.out[i] = y;
    }
}

void rope(float* row, int32_t n_heads, int32_t head_dim, int32_t n_rot, bool is_neox, const float* cos_sin) {
    const int32_t half = n_rot / 2;
    for (int32_t h = 0; h < n_heads; ++h) {
        float* head = row + int64_t(h) * head_dim;
        for (int32_t i = 0; i < half; ++i) {
            float& a = is_neox ? head[i] : head[2 * i];
            float& b = is_neox ? head[i + half] : head[2 * i + 1];
            const float cos = cos_sin[2 * i];
            const float sin = cos_sin[2 * i + 1];
            const float x = a;
            const float y = b;
            a = x * cos - y * sin;
            b = x * sin + y * cos;
        }
    }
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

void activate(Activation kind, const float* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = activation_of(kind, x[i]);
}

void gate(Activation kind, const GateLimits& limits, const float* gate, const float* up, float* out,
          int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        float g = gate[i];
        float u = up[i];
        if (limits.gate_max > 0 && g > limits.gate_max) g = limits.gate_max;
        if (limits.up_limit > 0 && u > limits.up_limit) u = limits.up_limit;
        if (limits.up_limit > 0 && u < -limits.up_limit) u = -limits.up_limit;
        g = limits.alpha == 1.0f ? activation_of(kind, g) : g * sigmoid(limits.alpha * g);
        out[i] = g * (u + limits.up_offset);
    }
}

void add(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

void multiply(const float* a, const float* b, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

void axpy(float a, const float* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] += a * x[i];
}

void scale(float a, const float* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = a * x[i];
}

void softcap(float cap, const float* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = cap * std::tanh(x[i] / cap);
}

void softmax(float* x, int64_t n) {
    float max = -INFINITY;
    for (int64_t i = 0; i < n; ++i) max = x[i] > max || x[i] != x[i] ? x[i] : max;
    float sum = 0.0f;
    for (int64_t i = 0; i < n; ++i) {
        x[i] = std::exp(x[i] - max);
        sum += x[i];
    }
    for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

void to_f16(const float* x, uint16_t* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = f32_to_f16(x[i]);
}

void from_f16(const uint16_t* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = f16_to_f32(x[i]);
}

void to_bf16(const float* x, uint16_t* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = f32_to_bf16(x[i]);
}

}  // namespace

float activation_of(Activation kind, float x) {
    constexpr float kSqrt2OverPi = 0.79788456080286535588f;
    switch (kind) {
        case Activation::none:
            return x;
        case Activation::silu:
            return x * sigmoid(x);
        case Activation::gelu:
            return 0.5f * x * (1.0f + std::tanh(kSqrt2OverPi * x * (1.0f + 0.044715f * x * x)));
        case Activation::gelu_erf:
            return 0.5f * x * (1.0f + std::erf(x * 0.70710678118654752440f));
        case Activation::gelu_quick:
            return x * sigmoid(1.702f * x);
        case Activation::relu:
            return x > 0 || x != x ? x : 0.0f;
        case Activation::relu_squared:
            return x > 0 || x != x ? x * x : 0.0f;
        case Activation::sigmoid:
            return sigmoid(x);
        case Activation::tanh:
            return std::tanh(x);
        case Activation::softplus:
            return x > 20.0f ? x : std::log1p(std::exp(x));
    }
    return x;
}

VectorKernels vector_kernels_scalar() {
    return {.isa = Isa::scalar,
            .norm = norm,
            .rope = rope,
            .activate = activate,
            .gate = gate,
            .add = add,
            .multiply = multiply,
            .axpy = axpy,
            .scale = scale,
            .softcap = softcap,
            .softmax = softmax,
            .f32_to_f16 = to_f16,
            .f16_to_f32 = from_f16,
            .f32_to_bf16 = to_bf16};
}

}  // namespace cria::cpu
