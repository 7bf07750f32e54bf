// exp and what is made of it, on vectors of floats (F: Floats8 or Floats16). Errors are a few units in the
// last place; NaN gives NaN, infinities and denormal results come out as the functions say.
#pragma once

namespace cria::cpu {
namespace {

// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2, the latter by its Taylor series: what degree 7 leaves out is
// under 5e-9.
template <typename F>
typename F::V vector_exp(typename F::V x) {
    using V = typename F::V;
    x = F::min(F::set(89.0f), F::max(F::set(-104.5f), x));  // beyond: infinity and 0
    const V n = F::round(x * F::set(1.44269504f));
    // ln 2 in two parts, the first with so few bits that its products with n are exact.
    V r = F::fma(n, F::set(-0.693359375f), x);
    r = F::fma(n, F::set(2.12194440e-4f), r);
    V y = F::set(1.0f / 5040);
    y = F::fma(y, r, F::set(1.0f / 720));
    y = F::fma(y, r, F::set(1.0f / 120));
    y = F::fma(y, r, F::set(1.0f / 24));
    y = F::fma(y, r, F::set(1.0f / 6));
    y = F::fma(y, r, F::set(0.5f));
    y = F::fma(y, r, F::set(1.0f));
    y = F::fma(y, r, F::set(1.0f));
    return F::times_power_of_2(y, n);
}

template <typename F>
typename F::V vector_sigmoid(typename F::V x) {
    return F::set(1.0f) / (F::set(1.0f) + vector_exp<F>(-x));
}

// Small x by Lambert's continued fraction, cut after x^2 / 9 (relative error under 1e-9 for |x| < 0.6); else
// 1 - 2 / (exp(2x) + 1).
template <typename F>
typename F::V vector_tanh(typename F::V x) {
    using V = typename F::V;
    const V z = x * x;
    const V above = x * F::fma(z, z + F::set(105.0f), F::set(945.0f));
    const V below = F::fma(z, F::fma(z, F::set(15.0f), F::set(420.0f)), F::set(945.0f));
    const V size = F::abs(x);
    const V large = F::set(1.0f) - F::set(2.0f) / (vector_exp<F>(size + size) + F::set(1.0f));
    return F::select_less(size, F::set(0.6f), above / below, F::with_sign_of(large, x));
}

// erfc(x) for x >= 0 (Abramowitz and Stegun 7.1.26), absolute error under 2e-7.
template <typename F>
typename F::V vector_erfc(typename F::V x) {
    using V = typename F::V;
    const V t = F::set(1.0f) / F::fma(x, F::set(0.3275911f), F::set(1.0f));
    V y = F::set(1.061405429f);
    y = F::fma(y, t, F::set(-1.453152027f));
    y = F::fma(y, t, F::set(1.421413741f));
    y = F::fma(y, t, F::set(-0.284496736f));
    y = F::fma(y, t, F::set(0.254829592f));
    return y * t * vector_exp<F>(-(x * x));
}

// log(1 + y) for 0 <= y <= 1: 2 artanh(s) with s = y / (2 + y) <= 1/3, by its series.
template <typename F>
typename F::V vector_log_1_plus(typename F::V y) {
    using V = typename F::V;
    const V s = y / (y + F::set(2.0f));
    const V z = s * s;
    V sum = F::set(2.0f / 15);
    sum = F::fma(sum, z, F::set(2.0f / 13));
    sum = F::fma(sum, z, F::set(2.0f / 11));
    sum = F::fma(sum, z, F::set(2.0f / 9));
    sum = F::fma(sum, z, F::set(2.0f / 7));
    sum = F::fma(sum, z, F::set(2.0f / 5));
    sum = F::fma(sum, z, F::set(2.0f / 3));
    sum = F::fma(sum, z, F::set(2.0f));
    return sum * s;
}

}  // namespace
}  // namespace cria::cpu
