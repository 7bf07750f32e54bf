// The definition of attention over one span: scores of every visible cell, their softmax, the weighted sum of
// values.
#include <cmath>
#include <cstring>

#include "backend/cpu/attention_tables.h"

namespace cria::cpu {
namespace {

// Floats of one cell's row (all heads): quantised rows are encoded as a whole.
void decode_cell(const TypeInfo& type, const std::byte* row, int64_t width, float* out) {
    type.decode(row, out, 1, width);
}

size_t scratch_bytes(const AttentionParams& params, int32_t) {
    const auto widest =
        static_cast<size_t>(params.kv_heads) * static_cast<size_t>(params.k_dim + params.v_dim);
    return (widest + kAttentionSpan) * sizeof(float);
}

struct Query {
    const AttentionTask& task;
    int32_t i;  // token
    int32_t h;  // head

    float score(const float* k, int32_t cell_position) const {
        const AttentionParams& p = *task.params;
        const float* q = task.q + i * task.q_stride + int64_t(h) * p.k_dim;
        float dot = 0.0f;
        for (int32_t d = 0; d < p.k_dim; ++d) dot += q[d] * k[d];
        float score = dot * p.scale;
        if (p.softcap > 0) score = p.softcap * std::tanh(score / p.softcap);
        if (task.alibi_slopes != nullptr)
            score -= task.alibi_slopes[h] * std::fabs(static_cast<float>(cell_position - task.positions[i]));
        return score;
    }
};

void attend(const AttentionTask& t) {
    const AttentionParams& p = *t.params;
    const KvStorage& kv = *t.kv;
    const int32_t heads = p.n_heads / p.kv_heads;
    auto* k_row = reinterpret_cast<float*>(t.scratch);
    float* v_row = k_row + kv.k_width;
    float* scores = v_row + kv.v_width;
    for (int32_t i = 0; i < t.n_queries; ++i) {
        const int32_t first = std::max(t.span_first, t.visible[i].first);
        const int32_t last = std::min(t.span_last, t.visible[i].last);
        for (int32_t h = 0; h < heads; ++h) {
            const int64_t index = int64_t(i) * heads + h;
            float* out = t.out + index * p.v_dim;
            std::memset(out, 0, static_cast<size_t>(p.v_dim) * sizeof(float));
            float max = -INFINITY;
            for (int32_t e = first; e < last; ++e) {
                const auto entry = static_cast<size_t>(e);
                decode_cell(*kv.k_type, kv.k + t.sequence->cells[entry] * kv.k_row_bytes, kv.k_width, k_row);
                const float score =
                    Query{t, i, h}.score(k_row + int64_t(t.kv_head) * p.k_dim, t.sequence->positions[entry]);
                scores[e - first] = score;
                if (score > max || score != score) max = score;
            }
            float sum = 0.0f;
            for (int32_t e = first; e < last; ++e) {
                // infinitely unlikely, also where nothing is likelier
                const float weight = max == -INFINITY ? 0.0f : std::exp(scores[e - first] - max);
                sum += weight;
                decode_cell(*kv.v_type, kv.v + t.sequence->cells[static_cast<size_t>(e)] * kv.v_row_bytes,
                            kv.v_width, v_row);
                const float* v = v_row + int64_t(t.kv_head) * p.v_dim;
                for (int32_t d = 0; d < p.v_dim; ++d) out[d] += weight * v[d];
            }
            t.max[index] = max;
            t.sum[index] = sum;
        }
    }
}

}  // namespace

AttentionKernels attention_kernels_scalar() {
    return {.isa = Isa::scalar, .attend = attend, .scratch_bytes = scratch_bytes};
}

}  // namespace cria::cpu
