// What a query may see, the combination of partial results, and the look-up of attention tables.
#include "backend/cpu/attention.h"

#include <algorithm>
#include <cmath>

#include "backend/cpu/attention_tables.h"
#include "base/error.h"

namespace cria::cpu {
namespace {

// Index of the first entry with a position >= `position`.
int32_t lower_entry(const SequenceCells& sequence, int64_t position) {
    const auto found = std::lower_bound(sequence.positions.begin(), sequence.positions.end(), position,
                                        [](int32_t p, int64_t wanted) { return p < wanted; });
    return static_cast<int32_t>(found - sequence.positions.begin());
}

}  // namespace

VisibleRange visible_range(const AttentionParams& params, bool is_causal, const SequenceCells& sequence,
                           int32_t position) {
    VisibleRange range{0, static_cast<int32_t>(sequence.positions.size())};
    const int64_t p = position;
    const int64_t window = params.window;
    if (is_causal && params.is_causal) range.last = lower_entry(sequence, p + 1);
    switch (params.window_kind) {
        case WindowKind::none:
            break;
        case WindowKind::sliding:
            range.first = lower_entry(sequence, p - window + 1);
            break;
        case WindowKind::chunked:
            range.first = lower_entry(sequence, p / window * window);
            break;
        case WindowKind::symmetric:
            range.first = lower_entry(sequence, p - window / 2);
            range.last = std::min(range.last, lower_entry(sequence, p + window / 2 + 1));
            break;
    }
    range.first = std::min(range.first, range.last);
    return range;
}

void SpanMerge::add(const SpanResults& next) const {
    for (int32_t index = 0; index < n_indices; ++index) {
        if (next.sum[index] == 0.0f) continue;  // nothing visible in this span
        const float max = std::max(results.max[index], next.max[index]);
        const float keep = std::exp(results.max[index] - max);
        const float share = std::exp(next.max[index] - max);
        float* out = results.out + int64_t(index) * v_dim;
        if (keep != 1.0f) vector->scale(keep, out, out, v_dim);
        vector->axpy(share, next.out + int64_t(index) * v_dim, out, v_dim);
        results.sum[index] = results.sum[index] * keep + next.sum[index] * share;
        results.max[index] = max;
    }
}

void SpanMerge::finish(const Output& output) const {
    for (int32_t index = 0; index < n_indices; ++index) {
        const int32_t head = index % output.heads;
        float keep = 1.0f;
        float sum = results.sum[index];
        if (output.sinks != nullptr && sum != 0.0f) {
            const float max = std::max(results.max[index], output.sinks[head]);
            keep = std::exp(results.max[index] - max);
            sum = sum * keep + std::exp(output.sinks[head] - max);
        }
        float* out = output.out + index / output.heads * output.out_stride + int64_t(head) * v_dim;
        if (sum == 0.0f) {
            std::fill(out, out + v_dim, 0.0f);
        } else {
            vector->scale(keep / sum, results.out + int64_t(index) * v_dim, out, v_dim);
        }
    }
}

const AttentionKernels& attention_kernels(Isa isa) {
    if (!is_supported(isa))
        fail(ErrorCode::unsupported, "attention kernels for {} need {}", isa_name(isa), isa_requirement(isa));
#if defined(__x86_64__)  // elsewhere these files are not compiled and the sets not supported
    static const AttentionKernels avx512 = attention_kernels_avx512();
    if (isa == Isa::avx512) return avx512;
    static const AttentionKernels avx2 = attention_kernels_avx2();
    if (isa == Isa::avx2) return avx2;
#endif
    static const AttentionKernels scalar = attention_kernels_scalar();
    return scalar;
}

}  // namespace cria::cpu
