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

void combine_spans(const CombineTask& t) {
    for (int32_t index = 0; index < t.n_indices; ++index) {
        float max = t.sinks == nullptr ? -INFINITY : t.sinks[index % t.heads];
        for (int32_t s = 0; s < t.n_spans; ++s) {
            const float m = t.max[s * t.n_indices + index];
            if (m > max || m != m) max = m;
        }
        float sum = t.sinks == nullptr ? 0.0f : std::exp(t.sinks[index % t.heads] - max);
        float* out = t.out + int64_t(index) * t.v_dim;
        std::fill(out, out + t.v_dim, 0.0f);
        for (int32_t s = 0; s < t.n_spans; ++s) {
            const int64_t at = int64_t(s) * t.n_indices + index;
            if (t.sum[at] == 0.0f) continue;  // nothing visible in this span
            const float share = std::exp(t.max[at] - max);
            sum += share * t.sum[at];
            const float* partial = t.partial + at * t.v_dim;
            for (int32_t d = 0; d < t.v_dim; ++d) out[d] += share * partial[d];
        }
        if (sum == 0.0f) continue;
        const float inverse = 1.0f / sum;
        for (int32_t d = 0; d < t.v_dim; ++d) out[d] *= inverse;
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
