// The vector kernels, written once over a vector of floats (F: Floats8 or Floats16). Rows end in a partial
// vector, so that no element depends on the length of its row except through sums.
#pragma once

#include <cmath>

#include "backend/cpu/math_x86.h"
#include "backend/cpu/vector.h"

namespace cria::cpu {
namespace {

// out = f(x), elementwise.
template <typename F>
inline void map(const float* x, float* out, int64_t n, auto f) {
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) F::store(out + i, f(F::load(x + i)));
    if (i < n) F::store_first(out + i, f(F::load_first(x + i, n - i)), n - i);
}

// out = f(a, b), elementwise.
template <typename F>
inline void map(const float* a, const float* b, float* out, int64_t n, auto f) {
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) F::store(out + i, f(F::load(a + i), F::load(b + i)));
    if (i == n) return;
    F::store_first(out + i, f(F::load_first(a + i, n - i), F::load_first(b + i, n - i)), n - i);
}

// Sum of f(x); f(0) of the lanes beyond the end is not counted. Four sums, so that additions do not wait.
template <typename F>
inline float sum_of(const float* x, int64_t n, auto f) {
    constexpr int64_t kStep = 4 * F::kLanes;
    typename F::V sums[4] = {F::set(0.0f), F::set(0.0f), F::set(0.0f), F::set(0.0f)};
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
#pragma GCC unroll 4
        for (int part = 0; part < 4; ++part) sums[part] = sums[part] + f(F::load(x + i + part * F::kLanes));
    }
    for (; i + F::kLanes <= n; i += F::kLanes) sums[0] = sums[0] + f(F::load(x + i));
    if (i < n) {
        const auto last = f(F::load_first(x + i, n - i));
        sums[1] = sums[1] + F::fill_outside(last, 0, static_cast<int>(n - i), 0.0f);
    }
    return F::sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <typename F>
float sum_of_squares(const float* x, int64_t n, float mean) {
    return sum_of<F>(x, n, [mean = F::set(mean)](auto v) { return (v - mean) * (v - mean); });
}

template <typename F>
void norm_row(const NormTask& t) {
    const auto count = static_cast<float>(t.n);
    float mean = 0.0f;
    if (t.kind == NormKind::layer) mean = sum_of<F>(t.x, t.n, [](auto v) { return v; }) / count;
    const float squares = sum_of_squares<F>(t.x, t.n, mean);
    float scale = 1.0f / std::sqrt(squares / count + t.eps);
    if (t.kind == NormKind::l2) {
        const float length = std::sqrt(squares);
        scale = 1.0f / (length > t.eps || length != length ? length : t.eps);
    }
    const auto scaled = [mean = F::set(mean), scale = F::set(scale)](auto v) { return (v - mean) * scale; };
    if (t.weight == nullptr) {
        map<F>(t.x, t.out, t.n, scaled);
    } else {
        map<F>(t.x, t.weight, t.out, t.n, [scaled](auto v, auto w) { return scaled(v) * w; });
    }
    if (t.bias != nullptr) map<F>(t.out, t.bias, t.out, t.n, [](auto v, auto b) { return v + b; });
}

inline void turn(float& x, float& y, float cos, float sin) {
    const float x0 = x;
    x = x0 * cos - y * sin;
    y = x0 * sin + y * cos;
}

// Pairs (i, i + half). The angles are the same for all heads: they come apart once.
template <typename F>
void rope_halves(float* row, int32_t n_heads, int32_t head_dim, int32_t half, const float* cos_sin) {
    int32_t i = 0;
    for (; i + F::kLanes <= half; i += F::kLanes) {
        typename F::V cos;
        typename F::V sin;
        F::load_pairs(cos_sin + 2 * i, cos, sin);
        for (int32_t h = 0; h < n_heads; ++h) {
            float* x = row + int64_t(h) * head_dim + i;
            float* y = x + half;
            const auto x0 = F::load(x);
            const auto y0 = F::load(y);
            F::store(x, F::fma(x0, cos, -(y0 * sin)));
            F::store(y, F::fma(x0, sin, y0 * cos));
        }
    }
    for (; i < half; ++i) {
        for (int32_t h = 0; h < n_heads; ++h) {
            float* head = row + int64_t(h) * head_dim;
            turn(head[i], head[i + half], cos_sin[2 * i], cos_sin[2 * i + 1]);
        }
    }
}

template <typename F>
void rope_row(float* row, int32_t n_heads, int32_t head_dim, int32_t n_rot, bool is_neox,
              const float* cos_sin) {
    if (is_neox) return rope_halves<F>(row, n_heads, head_dim, n_rot / 2, cos_sin);
    for (int32_t h = 0; h < n_heads; ++h) {
        float* head = row + int64_t(h) * head_dim;
        map<F>(head, cos_sin, head, n_rot / 2 * 2, [](auto xy, auto cs) { return F::turn_pairs(xy, cs); });
    }
}

// Calls run(f) with the activation as a function of vectors.
template <typename F>
inline void with_activation(Activation kind, auto run) {
    using V = typename F::V;
    // x is second: NaN comes through.
    const auto relu = [](V x) { return F::max(F::set(0.0f), x); };
    switch (kind) {
        case Activation::none:
            return run([](V x) { return x; });
        case Activation::silu:
            return run([](V x) { return x / (F::set(1.0f) + vector_exp<F>(-x)); });
        case Activation::gelu:
            // (1 + tanh(u)) / 2 is sigmoid(2u)
            return run([](V x) {
                const V cubic = F::fma(x * x, F::set(0.044715f), F::set(1.0f));
                return x / (F::set(1.0f) + vector_exp<F>(F::set(-1.5957691216f) * x * cubic));
            });
        case Activation::gelu_erf:
            return run([](V x) {
                const V below = vector_erfc<F>(F::abs(x) * F::set(0.70710678f));
                const V above = F::set(2.0f) - below;
                return F::set(0.5f) * x * F::select_less(x, F::set(0.0f), below, above);
            });
        case Activation::gelu_quick:
            return run([](V x) { return x / (F::set(1.0f) + vector_exp<F>(F::set(-1.702f) * x)); });
        case Activation::relu:
            return run(relu);
        case Activation::relu_squared:
            return run([relu](V x) { return relu(x) * relu(x); });
        case Activation::sigmoid:
            return run([](V x) { return vector_sigmoid<F>(x); });
        case Activation::tanh:
            return run([](V x) { return vector_tanh<F>(x); });
        case Activation::softplus:
            return run([relu](V x) { return relu(x) + vector_log_1_plus<F>(vector_exp<F>(-F::abs(x))); });
    }
}

template <typename F>
void activate_row(Activation kind, const float* x, float* out, int64_t n) {
    with_activation<F>(kind, [&](auto f) { map<F>(x, out, n, f); });
}

template <typename F>
void gate_row(Activation kind, const GateLimits& limits, const float* gate, const float* up, float* out,
              int64_t n) {
    using V = typename F::V;
    if (limits == GateLimits{}) {
        with_activation<F>(kind,
                           [&](auto f) { map<F>(gate, up, out, n, [f](V g, V u) { return f(g) * u; }); });
        return;
    }
    const V gate_max = F::set(limits.gate_max > 0 ? limits.gate_max : INFINITY);
    const V up_max = F::set(limits.up_limit > 0 ? limits.up_limit : INFINITY);
    const V offset = F::set(limits.up_offset);
    const auto limited = [&](auto f) {
        map<F>(gate, up, out, n, [=](V g, V u) {
            return f(F::min(gate_max, g)) * (F::max(-up_max, F::min(up_max, u)) + offset);
        });
    };
    if (limits.alpha == 1.0f) return with_activation<F>(kind, limited);
    limited([minus_alpha = F::set(-limits.alpha)](V g) {
        return g / (F::set(1.0f) + vector_exp<F>(minus_alpha * g));
    });
}

template <typename F>
void add_rows(const float* a, const float* b, float* out, int64_t n) {
    map<F>(a, b, out, n, [](auto x, auto y) { return x + y; });
}

template <typename F>
void multiply_rows(const float* a, const float* b, float* out, int64_t n) {
    map<F>(a, b, out, n, [](auto x, auto y) { return x * y; });
}

template <typename F>
void axpy_row(float a, const float* x, float* out, int64_t n) {
    map<F>(x, out, out, n, [a = F::set(a)](auto v, auto sum) { return F::fma(a, v, sum); });
}

template <typename F>
void scale_row(float a, const float* x, float* out, int64_t n) {
    map<F>(x, out, n, [a = F::set(a)](auto v) { return a * v; });
}

template <typename F>
void softcap_row(float cap, const float* x, float* out, int64_t n) {
    map<F>(x, out, n, [cap = F::set(cap)](auto v) { return cap * vector_tanh<F>(v / cap); });
}

// Of the elements that are not NaN; -inf when there is none.
template <typename F>
float largest_of(const float* x, int64_t n) {
    auto largest = F::set(-INFINITY);
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) largest = F::max(F::load(x + i), largest);
    if (i < n) {
        const auto last = F::load_first(x + i, n - i);
        largest = F::max(F::fill_outside(last, 0, static_cast<int>(n - i), -INFINITY), largest);
    }
    return F::largest(largest);
}

template <typename F>
void softmax_row(float* x, int64_t n) {
    const auto max = F::set(largest_of<F>(x, n));
    map<F>(x, x, n, [max](auto v) { return vector_exp<F>(v - max); });
    const float sum = sum_of<F>(x, n, [](auto v) { return v; });
    map<F>(x, x, n, [sum = F::set(sum)](auto v) { return v / sum; });
}

template <typename F>
void row_to_f16(const float* x, uint16_t* out, int64_t n) {
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) F::store_f16(out + i, F::load(x + i));
    if (i < n) F::store_f16_first(out + i, F::load_first(x + i, n - i), n - i);
}

template <typename F>
void row_from_f16(const uint16_t* x, float* out, int64_t n) {
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) F::store(out + i, F::load_f16(x + i));
    if (i < n) F::store_first(out + i, F::load_f16_first(x + i, n - i), n - i);
}

template <typename F>
void row_to_bf16(const float* x, uint16_t* out, int64_t n) {
    int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes) F::store_bf16(out + i, F::load(x + i));
    if (i < n) F::store_bf16_first(out + i, F::load_first(x + i, n - i), n - i);
}

template <typename F>
VectorKernels vector_kernels_of(Isa isa) {
    return {.isa = isa,
            .norm = norm_row<F>,
            .rope = rope_row<F>,
            .activate = activate_row<F>,
            .gate = gate_row<F>,
            .add = add_rows<F>,
            .multiply = multiply_rows<F>,
            .axpy = axpy_row<F>,
            .scale = scale_row<F>,
            .softcap = softcap_row<F>,
            .softmax = softmax_row<F>,
            .f32_to_f16 = row_to_f16<F>,
            .f16_to_f32 = row_from_f16<F>,
            .f32_to_bf16 = row_to_bf16<F>};
}

}  // namespace
}  // namespace cria::cpu
