// Attention over one span, written once over a vector of floats (F: Floats8 or Floats16; Set: the integer
// steps of the same instruction set). The span is walked in blocks of kBlock cells, always cut at multiples
// of kBlock from its start: scores of a block, on-line softmax, weighted sum of values.
//
// Rows are the task's (query, head) pairs. Up to four rows that see the same cells of a block share what is
// loaded. A row's arithmetic is the same in any company: a score is one sum per lane over the head, then
// over the lanes in a fixed tree; a value is one sum over the cells in order. So results do not depend on how
// many queries a task has. Cells that a row does not see are not computed.
//
// With few rows keys and values are read where they lie, the next ones prefetched: the speed is that of
// memory. With many, or for types without such a way, a block is decoded to floats once for all rows.
#pragma once

#include <cmath>

#include "backend/cpu/attention.h"
#include "backend/cpu/cache_rows_x86.h"
#include "backend/cpu/math_x86.h"

namespace cria::cpu {
namespace {

constexpr int kBlock = 32;
// Of scores per row: a group of cells may begin anywhere and writes a whole vector.
constexpr int kScoreStride = kBlock + 16;
// Above so many rows decoding once is cheaper than converting for every four of them.
constexpr int kMaxDirectRows = 8;

// Hints for what comes next, one slice at a time.
struct Prefetch {
    const std::byte* const* slices = nullptr;  // by cell of the block; null: none
    int64_t bytes = 0;

    // Inlined by force: to g++ 12 a function that only prefetches has no effect, and calls of it vanish.
    [[gnu::always_inline]] void operator()(int cell) const {
        if (slices == nullptr) return;
        for (int64_t at = 0; at < bytes; at += 64)
            _mm_prefetch(reinterpret_cast<const char*>(slices[cell] + at), _MM_HINT_T1);
    }
};

// Cells [begin, end) of a block.
struct CellRange {
    int begin;
    int end;
    bool operator==(const CellRange& other) const { return begin == other.begin && end == other.end; }
};

// out[r][c] = q[r] . k[c] for kRows rows: as many cells at a time as fill the lanes with sums.
template <typename F, typename Slice, int kRows>
inline void dot_products(const float* q, int n_vectors, const std::byte* const* k, CellRange cells,
                         float* out, const Prefetch& prefetch) {
    constexpr int kCells = F::kLanes / kRows;
    for (int c = cells.begin; c < cells.end; c += kCells) {
        const std::byte* cell[kCells];
        for (int i = 0; i < kCells; ++i) {
            cell[i] = k[c + i < cells.end ? c + i : cells.end - 1];
            if (c + i < cells.end) prefetch(c + i);
        }
        typename F::V sums[F::kLanes];
#pragma GCC unroll 16
        for (auto& sum : sums) sum = F::set(0.0f);
        for (int v = 0; v < n_vectors; ++v) {
            typename F::V x[kRows];
#pragma GCC unroll 4
            for (int r = 0; r < kRows; ++r) x[r] = F::load(q + (r * n_vectors + v) * F::kLanes);
#pragma GCC unroll 16
            for (int i = 0; i < kCells; ++i) {
                const auto key = Slice::load(cell[i], v);
#pragma GCC unroll 4
                for (int r = 0; r < kRows; ++r)
                    sums[r * kCells + i] = F::fma(x[r], key, sums[r * kCells + i]);
            }
        }
        float dots[F::kLanes];
        F::store(dots, F::sums(sums));
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r)
            std::memcpy(out + r * kScoreStride + c, dots + r * kCells, kCells * sizeof(float));
    }
}

// For kRows rows: vectors [v, v + kVectors) of out[r] = out[r] * keep[r] + sum over cells of w[r][c]
// value[c].
template <typename F, typename Slice, int kRows, int kVectors>
inline void add_columns(const float* weights, const float* keep, const std::byte* const* values,
                        CellRange cells, float* out, int n_vectors, int v, const Prefetch& prefetch) {
    typename F::V sums[kRows][kVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i)
            sums[r][i] = F::load(out + (r * n_vectors + v + i) * F::kLanes) * F::set(keep[r]);
    }
    for (int c = cells.begin; c < cells.end; ++c) {
        prefetch(c);
        typename F::V weight[kRows];
#pragma GCC unroll 4
        for (int r = 0; r < kRows; ++r) weight[r] = F::set(weights[r * kScoreStride + c]);
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i) {
            const auto value = Slice::load(values[c], v + i);
#pragma GCC unroll 4
            for (int r = 0; r < kRows; ++r) sums[r][i] = F::fma(weight[r], value, sums[r][i]);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
        for (int i = 0; i < kVectors; ++i) F::store(out + (r * n_vectors + v + i) * F::kLanes, sums[r][i]);
    }
}

// All vectors, as many at a time as there are registers for.
template <typename F, typename Slice, int kRows, int kVectors = (kRows == 1 ? 8 : F::kLanes / kRows)>
inline void add_values(const float* weights, const float* keep, const std::byte* const* values,
                       CellRange cells, float* out, int n_vectors, int v, const Prefetch& prefetch) {
    for (; v + kVectors <= n_vectors; v += kVectors) {
        add_columns<F, Slice, kRows, kVectors>(weights, keep, values, cells, out, n_vectors, v,
                                               v == 0 ? prefetch : Prefetch{});
    }
    if constexpr (kVectors > 1) {
        if (v < n_vectors)
            add_values<F, Slice, kRows, kVectors / 2>(weights, keep, values, cells, out, n_vectors, v,
                                                      prefetch);
    }
}

// The kernels for one type of slice.
template <typename F>
struct SliceKernels {
    using Dot = void (*)(const float* q, int n_vectors, const std::byte* const* k, CellRange cells,
                         float* out, const Prefetch& prefetch);
    using Add = void (*)(const float* weights, const float* keep, const std::byte* const* values,
                         CellRange cells, float* out, int n_vectors, int v, const Prefetch& prefetch);
    Dot dot[3];  // for 1, 2 and 4 rows
    Add add[3];
};

template <typename F, typename Slice>
constexpr SliceKernels<F> kSliceKernels{
    {dot_products<F, Slice, 1>, dot_products<F, Slice, 2>, dot_products<F, Slice, 4>},
    {add_values<F, Slice, 1>, add_values<F, Slice, 2>, add_values<F, Slice, 4>}};

// Null: has to be decoded.
template <typename F>
const SliceKernels<F>* direct_kernels(const HeadSlice& slice) {
    if (slice.dim % F::kLanes != 0 || !slice.is_block_aligned()) return nullptr;
    switch (slice.type->type) {
        case ElementType::f32:
            return &kSliceKernels<F, F32Slice<F>>;
        case ElementType::f16:
            return &kSliceKernels<F, F16Slice<F>>;
        case ElementType::bf16:
            return &kSliceKernels<F, Bf16Slice<F>>;
        case ElementType::q8_0:
            return &kSliceKernels<F, Q8_0Slice<F>>;
        default:
            return nullptr;
    }
}

// Keys or values of the task's head, as the kernels want them.
template <typename F, typename Set>
class Side {
  public:
    Side(HeadSlice slice, const std::byte* rows, int64_t row_bytes, int n_rows)
        : slice_(slice),
          rows_(rows),
          row_bytes_(row_bytes),
          n_vectors_((slice.dim + F::kLanes - 1) / F::kLanes),
          decode_(slice_decoder<F, Set>(slice.type->type)),
          kernels_(n_rows <= kMaxDirectRows ? direct_kernels<F>(slice) : nullptr),
          offset_(slice.is_block_aligned() ? slice.offset() : 0),
          bytes_(slice.is_block_aligned() ? slice.bytes() : row_bytes) {}

    int n_vectors() const { return n_vectors_; }
    const SliceKernels<F>& kernels() const {
        return kernels_ == nullptr ? kSliceKernels<F, F32Slice<F>> : *kernels_;
    }
    // Slices of cells where they lie.
    void find(const int32_t* cells, CellRange range, const std::byte** slices) const {
        for (int c = range.begin; c < range.end; ++c) slices[c] = rows_ + cells[c] * row_bytes_ + offset_;
    }
    Prefetch prefetch(const std::byte* const* slices) const { return {slices, bytes_}; }
    // Decodes the slices into `memory` ([kBlock][n_vectors] vectors) and lets them point there, if they
    // cannot be read as they are. Returns whether the reading, and so the prefetching, is done.
    bool decode(CellRange range, const std::byte** slices, float* memory, float* row_scratch,
                const Prefetch& next) const {
        if (kernels_ != nullptr) return false;
        const int length = n_vectors_ * F::kLanes;
        for (int c = range.begin; c < range.end; ++c) {
            next(c);
            float* out = memory + c * length;
            for (int i = slice_.dim; i < length; ++i) out[i] = 0.0f;
            decode_(slice_, slices[c] - offset_, out, row_scratch);
            slices[c] = reinterpret_cast<const std::byte*>(out);
        }
        return true;
    }

  private:
    HeadSlice slice_;
    const std::byte* rows_;
    int64_t row_bytes_;
    int n_vectors_;
    DecodeSlice decode_;
    const SliceKernels<F>* kernels_;
    int64_t offset_;
    int64_t bytes_;
};

// Floats of scratch, in this order.
struct ScratchSizes {
    int64_t q, sums, scores, keep, block, row;
    int64_t total() const { return q + sums + scores + keep + block + row; }
};
template <typename F>
ScratchSizes scratch_sizes(const AttentionParams& p, int64_t n_queries) {
    const int64_t rows = n_queries * (p.n_heads / p.kv_heads);
    const auto padded = [](int64_t n) { return (n + 15) / 16 * 16; };
    const int64_t widest = p.k_dim > p.v_dim ? p.k_dim : p.v_dim;
    return {.q = rows * padded(p.k_dim),
            .sums = rows * padded(p.v_dim),
            .scores = rows * kScoreStride,
            .keep = padded(rows),
            .block = kBlock * padded(widest),
            .row = padded(p.kv_heads * widest)};
}

template <typename F, typename Set>
class SpanAttention {
  public:
    explicit SpanAttention(const AttentionTask& task)
        : t_(task),
          p_(*task.params),
          heads_(p_.n_heads / p_.kv_heads),
          n_rows_(task.n_queries * heads_),
          keys_({task.kv->k_type, task.kv->k_width, int64_t(task.kv_head) * p_.k_dim, p_.k_dim}, task.kv->k,
                task.kv->k_row_bytes, n_rows_),
          values_({task.kv->v_type, task.kv->v_width, int64_t(task.kv_head) * p_.v_dim, p_.v_dim}, task.kv->v,
                  task.kv->v_row_bytes, n_rows_) {
        const ScratchSizes sizes = scratch_sizes<F>(p_, task.n_queries);
        q_ = reinterpret_cast<float*>(task.scratch);
        sums_ = q_ + sizes.q;
        scores_ = sums_ + sizes.sums;
        keep_ = scores_ + sizes.scores;
        block_ = keep_ + sizes.keep;
        row_ = block_ + sizes.block;
    }

    void run() {
        prepare();
        for (int32_t first = t_.span_first; first < t_.span_last; first += kBlock) run_block(first);
        for (int r = 0; r < n_rows_; ++r)
            std::memcpy(t_.out + int64_t(r) * p_.v_dim, sums_of(r),
                        static_cast<size_t>(p_.v_dim) * sizeof(float));
    }

  private:
    float* q_of(int row) const { return q_ + int64_t(row) * keys_.n_vectors() * F::kLanes; }
    float* sums_of(int row) const { return sums_ + int64_t(row) * values_.n_vectors() * F::kLanes; }

    // Queries with zeros behind them up to whole vectors, and empty sums.
    void prepare() {
        const int length = keys_.n_vectors() * F::kLanes;
        for (int r = 0; r < n_rows_; ++r) {
            float* q = q_of(r);
            std::memcpy(q, t_.q + r / heads_ * t_.q_stride + int64_t(r % heads_) * p_.k_dim,
                        static_cast<size_t>(p_.k_dim) * sizeof(float));
            for (int i = p_.k_dim; i < length; ++i) q[i] = 0.0f;
            t_.max[r] = -INFINITY;
            t_.sum[r] = 0.0f;
        }
        const int64_t n_sums = int64_t(n_rows_) * values_.n_vectors() * F::kLanes;
        std::memset(sums_, 0, static_cast<size_t>(n_sums) * sizeof(float));
    }

    // What query i sees of the block at entry `first`.
    CellRange seen_by(int query, int32_t first) const {
        const int32_t span_end = t_.span_last < first + kBlock ? t_.span_last : first + kBlock;
        const VisibleRange& v = t_.visible[query];
        const int32_t begin = v.first > first ? v.first : first;
        const int32_t end = v.last < span_end ? v.last : span_end;
        return begin < end ? CellRange{begin - first, end - first} : CellRange{0, 0};
    }
    // What any query sees of it.
    CellRange seen_by_any(int32_t first) const {
        CellRange all{kBlock, 0};
        for (int i = 0; i < t_.n_queries; ++i) {
            const CellRange one = seen_by(i, first);
            if (one.begin == one.end) continue;
            if (one.begin < all.begin) all.begin = one.begin;
            if (one.end > all.end) all.end = one.end;
        }
        return all.begin < all.end ? all : CellRange{0, 0};
    }

    // Calls work(row, index of the kernel, cells) for groups of 1, 2 or 4 rows that see the same cells.
    template <typename Work>
    void for_groups(int32_t first, const Work& work) const {
        for (int row = 0; row < n_rows_;) {
            const CellRange cells = seen_by(row / heads_, first);
            int count = 1;
            while (count < 4 && row + count < n_rows_ && seen_by((row + count) / heads_, first) == cells)
                ++count;
            const int kernel = count == 4 ? 2 : (count >= 2 ? 1 : 0);
            if (cells.begin < cells.end) work(row, kernel, cells);
            row += 1 << kernel;
        }
    }

    void run_block(int32_t first) {
        const CellRange cells = seen_by_any(first);
        if (cells.begin == cells.end) return;
        const int32_t* list = t_.sequence->cells.data() + first;
        const std::byte* k[kBlock];
        const std::byte* v[kBlock];
        keys_.find(list, cells, k);
        values_.find(list, cells, v);
        Prefetch next = values_.prefetch(v);
        if (keys_.decode(cells, k, block_, row_, next)) next = {};
        for_groups(first, [&](int row, int kernel, CellRange seen) {
            float* scores = scores_ + row * kScoreStride;
            keys_.kernels().dot[kernel](q_of(row), keys_.n_vectors(), k, seen, scores, next);
            for (int r = 0; r < 1 << kernel; ++r) soften(row + r, first, seen);
            next = {};
        });

        const std::byte* next_k[kBlock];
        for (auto& slice : next_k)
            slice = k[cells.begin];  // known to be there, should the next block be short
        const CellRange next_cells =
            first + kBlock < t_.span_last ? seen_by_any(first + kBlock) : CellRange{0, 0};
        keys_.find(list + kBlock, next_cells, next_k);
        next = keys_.prefetch(next_k);
        if (values_.decode(cells, v, block_, row_, next)) next = {};
        for_groups(first, [&](int row, int kernel, CellRange seen) {
            values_.kernels().add[kernel](scores_ + row * kScoreStride, keep_ + row, v, seen, sums_of(row),
                                          values_.n_vectors(), 0, next);
            next = {};
        });
    }

    // A row's dot products become weights: scale, cap, bias, exp(score - max so far). Says in keep_ what the
    // sums so far have to be multiplied with.
    void soften(int row, int32_t first, CellRange cells) {
        using V = typename F::V;
        constexpr int kVectors = kBlock / F::kLanes;
        float* scores = scores_ + row * kScoreStride;
        V s[kVectors];
        V largest = F::set(t_.max[row]);
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            s[i] = F::load(scores + i * F::kLanes) * F::set(p_.scale);
            if (p_.softcap > 0) s[i] = F::set(p_.softcap) * vector_tanh<F>(s[i] / F::set(p_.softcap));
        }
        if (t_.alibi_slopes != nullptr) subtract_bias(row, first, cells, s);
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            const int at = i * F::kLanes;
            const auto lane = [at](int c) { return c < at ? 0 : (c > at + F::kLanes ? F::kLanes : c - at); };
            s[i] = F::fill_outside(s[i], lane(cells.begin), lane(cells.end), -INFINITY);
            largest = F::max(s[i], largest);
        }
        const float max = F::largest(largest);
        const V shift = F::set(max == -INFINITY ? 0.0f : max);
        V sum = F::set(0.0f);
#pragma GCC unroll 4
        for (int i = 0; i < kVectors; ++i) {
            s[i] = vector_exp<F>(s[i] - shift);
            F::store(scores + i * F::kLanes, s[i]);
            sum = sum + s[i];
        }
        float keep[F::kLanes];
        F::store(keep, vector_exp<F>(F::set(t_.max[row]) - shift));
        keep_[row] = keep[0];
        t_.sum[row] = t_.sum[row] * keep[0] + F::sum(sum);
        t_.max[row] = max;
    }

    // ALiBi: the slope times the distance in positions.
    void subtract_bias(int row, int32_t first, CellRange cells,
                       typename F::V (&s)[kBlock / F::kLanes]) const {
        int32_t positions[kBlock] = {};
        std::memcpy(positions + cells.begin, t_.sequence->positions.data() + first + cells.begin,
                    static_cast<size_t>(cells.end - cells.begin) * sizeof(int32_t));
        const auto slope = F::set(t_.alibi_slopes[row % heads_]);
#pragma GCC unroll 4
        for (int i = 0; i < kBlock / F::kLanes; ++i) {
            const auto distance = F::difference(positions + i * F::kLanes, t_.positions[row / heads_]);
            s[i] = s[i] - slope * F::abs(distance);
        }
    }

    const AttentionTask& t_;
    const AttentionParams& p_;
    const int heads_;
    const int n_rows_;
    const Side<F, Set> keys_;
    const Side<F, Set> values_;
    float* q_;
    float* sums_;
    float* scores_;
    float* keep_;
    float* block_;
    float* row_;
};

template <typename F, typename Set>
AttentionKernels attention_kernels_of(Isa isa) {
    return {.isa = isa,
            .attend = [](const AttentionTask& task) { SpanAttention<F, Set>(task).run(); },
            .scratch_bytes =
                [](const AttentionParams& params, int32_t n_queries) {
                    return static_cast<size_t>(scratch_sizes<F>(params, n_queries).total()) * sizeof(float);
                }};
}

}  // namespace
}  // namespace cria::cpu
