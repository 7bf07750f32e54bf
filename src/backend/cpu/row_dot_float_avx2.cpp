// Few activation rows times rows of floats, for AVX2; and the int8 form of activations.
#include "backend/cpu/float_avx2.h"
#include "backend/cpu/lanes_avx2.h"
#include "backend/cpu/matmul_sets.h"

namespace cria::cpu {
namespace {

// Four accumulators for each activation row, so that additions do not wait for each other.
template <typename Float, int kRows>
void multiply_row(const std::byte* w, const float* const (&x)[kRows], int64_t n, float (&out)[kRows]) {
    constexpr int kParts = 4;
    __m256 sums[kRows][kParts];
#pragma GCC unroll 2
    for (auto& row : sums) {
#pragma GCC unroll 4
        for (__m256& sum : row) sum = _mm256_setzero_ps();
    }
    int64_t i = 0;
    for (; i + 8 * kParts <= n; i += 8 * kParts) {
#pragma GCC unroll 4
        for (int part = 0; part < kParts; ++part) {
            const int64_t at = i + 8 * part;
            const __m256 weights = Float::load(w + at * Float::kBytes);
#pragma GCC unroll 2
            for (int t = 0; t < kRows; ++t) {
                sums[t][part] = _mm256_fmadd_ps(weights, _mm256_loadu_ps(x[t] + at), sums[t][part]);
            }
        }
    }
    for (; i < n; i += 8) {
        const int64_t count = n - i < 8 ? n - i : 8;
        const __m256 weights = load_some<Float>(w + i * Float::kBytes, count);
#pragma GCC unroll 2
        for (int t = 0; t < kRows; ++t) {
            const __m256 values = load_some<F32>(reinterpret_cast<const std::byte*>(x[t] + i), count);
            sums[t][0] = _mm256_fmadd_ps(weights, values, sums[t][0]);
        }
    }
#pragma GCC unroll 2
    for (int t = 0; t < kRows; ++t) {
        out[t] = lanes_sum(
            _mm256_add_ps(_mm256_add_ps(sums[t][0], sums[t][1]), _mm256_add_ps(sums[t][2], sums[t][3])));
    }
}

// Two activation rows at a time; later pairs read the weight row from the nearest cache.
template <typename Float>
void row_dot(const RowDotTask& task) {
    for (int64_t row = 0; row < task.n_rows; ++row) {
        const std::byte* w = task.weights + row * task.row_bytes;
        float* out = task.out + row;
        int32_t t = 0;
        for (; t + 2 <= task.x.n_rows; t += 2) {
            const float* x[2] = {task.x.values + t * task.x.stride, task.x.values + (t + 1) * task.x.stride};
            float two[2];
            multiply_row<Float>(w, x, task.x.row_length, two);
            out[t * task.out_stride] = two[0];
            out[(t + 1) * task.out_stride] = two[1];
        }
        if (t == task.x.n_rows) continue;
        const float* x[1] = {task.x.values + t * task.x.stride};
        float one[1];
        multiply_row<Float>(w, x, task.x.row_length, one);
        out[t * task.out_stride] = one[0];
    }
}

// Four registers of a block.
struct Block {
    __m256 x[4];
};

inline float lanes_max(__m256 v) {
    __m128 most = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_movehdup_ps(most)));
}

// Largest size in the block; infinity when it holds NaN or infinity.
inline float largest_size(const Block& block) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    const __m256 limit = _mm256_set1_ps(3.402823466e38f);
    __m256 most = _mm256_setzero_ps();
    __m256 finite = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (const __m256& x : block.x) {
        const __m256 size = _mm256_andnot_ps(sign, x);
        finite = _mm256_and_ps(finite, _mm256_cmp_ps(size, limit, _CMP_LE_OQ));
        most = _mm256_max_ps(most, size);
    }
    return _mm256_movemask_ps(finite) == 0xff ? lanes_max(most) : __builtin_inff();
}

// Rounds to int8 and returns the sums of the two halves.
inline void store_rounded(const Block& block, float inverse, int8_t* q, int (&sums)[2]) {
    __m256i r[4];
    for (int i = 0; i < 4; ++i) r[i] = _mm256_cvtps_epi32(_mm256_mul_ps(block.x[i], _mm256_set1_ps(inverse)));
    const __m256i words = _mm256_packs_epi32(r[0], r[1]);
    const __m256i more_words = _mm256_packs_epi32(r[2], r[3]);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(words, more_words),
                                                      _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), bytes);
    for (int half = 0; half < 2; ++half) {
        const __m256i eight = _mm256_add_epi32(r[2 * half], r[2 * half + 1]);
        __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
        four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
        sums[half] = _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
    }
}

}  // namespace

RowDot float_row_dot_avx2(ElementType type) {
    switch (type) {
        case ElementType::f32:
            return row_dot<F32>;
        case ElementType::f16:
            return row_dot<F16>;
        case ElementType::bf16:
            return row_dot<Bf16>;
        default:
            return row_dot_scalar;
    }
}

void quantize_row_avx2(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                       float* half_sums) {
    for (int64_t b = 0; b < row_length / kActivationBlock; ++b) {
        Block block;
        for (int i = 0; i < 4; ++i) block.x[i] = _mm256_loadu_ps(x + 32 * b + 8 * i);
        const float largest = largest_size(block);
        int sums[2] = {0, 0};
        float scale = 0.0f;
        if (largest == __builtin_inff()) {
            scale = __builtin_nanf("");
            std::memset(q + 32 * b, 0, 32);
        } else if (largest < kActivationFloor) {
            std::memset(q + 32 * b, 0, 32);
        } else {
            scale = largest / 127.0f;
            store_rounded(block, 127.0f / largest, q + 32 * b, sums);
        }
        scales[b] = scale;
        scaled_sums[b] = scale * static_cast<float>(sums[0] + sums[1]);
        half_sums[2 * b] = scale * static_cast<float>(sums[0]);
        half_sums[2 * b + 1] = scale * static_cast<float>(sums[1]);
    }
}

}  // namespace cria::cpu
