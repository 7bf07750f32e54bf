// Attention by one core. One query: GB/s of keys and values read, beside a plain sum over the same bytes,
// measured in turns, over layers that together exceed the caches. Prompt tiles: GMAC/s. Times are of the
// thread. bench_attention [isa] [cache type ...]
#include <algorithm>
#include <numeric>

#include "backend/cpu/attention.h"
#include "matmul_bench.h"

using namespace cria;

namespace {

constexpr int32_t kHeads = 32;
constexpr int32_t kKvHeads = 8;
constexpr int32_t kDim = 128;
constexpr int64_t kWidth = int64_t(kKvHeads) * kDim;
constexpr size_t kLeastBytes = size_t(128) << 20;
constexpr int kTurns = 7;

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + values.size() / 2);
    return values[values.size() / 2];
}

uint64_t sum_bytes(const std::byte* p, size_t n) {
    uint64_t sums[8] = {};
    const auto* words = reinterpret_cast<const uint64_t*>(p);
    for (size_t i = 0; i + 8 <= n / 8; i += 8) {
        for (int j = 0; j < 8; ++j) sums[j] += words[i + j];
    }
    return std::accumulate(sums, sums + 8, uint64_t(0));
}

// Layers of one cache, all cells of one sequence, and the last tokens' queries.
class Cache {
  public:
    Cache(const TypeInfo& type, int32_t depth, int32_t n_queries, bool is_large)
        : params_{.n_heads = kHeads, .kv_heads = kKvHeads, .k_dim = kDim, .v_dim = kDim, .scale = 0.08f},
          depth_(depth),
          n_queries_(n_queries),
          row_bytes_(row_bytes(type, kWidth)) {
        std::mt19937 random(1);
        const auto side = static_cast<size_t>(depth * row_bytes_);
        n_layers_ = is_large ? static_cast<int>(kLeastBytes / (2 * side)) + 1 : 1;
        rows_ = bench::large_matrix(type, int64_t(depth) * 2 * n_layers_, kWidth, random);
        for (int l = 0; l < n_layers_; ++l) {
            layers_.push_back({.k_type = &type,
                               .v_type = &type,
                               .k_width = kWidth,
                               .v_width = kWidth,
                               .k_row_bytes = row_bytes_,
                               .v_row_bytes = row_bytes_,
                               .k = rows_.data() + 2 * l * side,
                               .v = rows_.data() + (2 * l + 1) * side});
        }
        cells_.resize(depth);
        std::iota(cells_.begin(), cells_.end(), 0);
        sequence_ = {.cells = cells_, .positions = cells_};
        std::normal_distribution<float> normal(0.0f, 0.1f);
        q_.resize(size_t(n_queries) * kHeads * kDim);
        for (float& x : q_) x = normal(random);
        for (int32_t i = 0; i < n_queries; ++i) {
            positions_.push_back(depth - n_queries + i);
            visible_.push_back(cpu::visible_range(params_, true, sequence_, positions_.back()));
        }
        const size_t n = size_t(n_queries) * kHeads / kKvHeads * spans();
        max_.resize(n);
        sum_.resize(n);
    }

    size_t bytes() const { return rows_.size(); }
    const std::byte* data() const { return rows_.data(); }
    double n_mac() const {
        double cells = 0;
        for (const auto& v : visible_) cells += v.last - v.first;
        return cells * kHeads * kDim * 2 * n_layers_;
    }

    // Partial results of the last K/V head of the last layer.
    std::vector<float> attend(const cpu::AttentionKernels& kernels) {
        const int64_t n = int64_t(n_queries_) * kHeads / kKvHeads;
        std::vector<float> out(static_cast<size_t>(n * spans() * kDim));
        const AlignedBuffer scratch(kernels.scratch_bytes(params_, n_queries_));
        for (const KvStorage& layer : layers_) {
            for (int32_t s = 0; s < spans(); ++s) {
                for (int32_t head = 0; head < kKvHeads; ++head) {
                    kernels.attend({.params = &params_,
                                    .kv = &layer,
                                    .sequence = &sequence_,
                                    .kv_head = head,
                                    .n_queries = n_queries_,
                                    .q = q_.data() + int64_t(head) * kHeads / kKvHeads * kDim,
                                    .q_stride = int64_t(kHeads) * kDim,
                                    .positions = positions_.data(),
                                    .visible = visible_.data(),
                                    .span_first = s * cpu::kAttentionSpan,
                                    .span_last = std::min((s + 1) * cpu::kAttentionSpan, depth_),
                                    .out = out.data() + s * n * kDim,
                                    .max = max_.data() + s * n,
                                    .sum = sum_.data() + s * n,
                                    .scratch = scratch.data()});
                }
            }
        }
        return out;
    }

  private:
    int32_t spans() const { return (depth_ + cpu::kAttentionSpan - 1) / cpu::kAttentionSpan; }

    AttentionParams params_;
    int32_t depth_;
    int32_t n_queries_;
    int64_t row_bytes_;
    int n_layers_ = 0;
    AlignedBuffer rows_;
    std::vector<KvStorage> layers_;
    std::vector<int32_t> cells_, positions_;
    SequenceCells sequence_;
    std::vector<cpu::VisibleRange> visible_;
    std::vector<float> q_, max_, sum_;
};

bool is_right(const cpu::AttentionKernels& kernels, const TypeInfo& type, int32_t n_queries) {
    Cache cache(type, 100, n_queries, false);
    const std::vector<float> expected = cache.attend(cpu::attention_kernels(cpu::Isa::scalar));
    return bench::relative_difference(cache.attend(kernels), expected) < 1e-4;
}

void measure(const cpu::AttentionKernels& kernels, const TypeInfo& type) {
    std::printf("%-7s", std::string(type.name).c_str());
    if (!is_right(kernels, type, 1) || !is_right(kernels, type, cpu::kAttentionTile)) {
        std::printf(" WRONG\n");
        return;
    }
    volatile uint64_t sink = 0;
    for (const int32_t depth : {512, 2048, 8192, 16384}) {
        Cache cache(type, depth, 1, true);
        const auto size = static_cast<double>(cache.bytes());
        std::vector<double> speed, share;
        for (int turn = 0; turn < kTurns; ++turn) {
            const double plain =
                bench::seconds_of([&] { sink = sink + sum_bytes(cache.data(), cache.bytes()); });
            const double ours = bench::seconds_of([&] { cache.attend(kernels); });
            speed.push_back(size / ours / 1e9);
            share.push_back(plain / ours);
        }
        std::printf("  %5d: %5.1f GB/s (%3.0f%%)", depth, median(speed), 100 * median(share));
        std::fflush(stdout);
    }
    std::printf("\n       ");
    for (const int32_t depth : {512, 2048, 8192}) {
        Cache cache(type, depth, cpu::kAttentionTile, false);
        std::vector<double> speed;
        for (int turn = 0; turn < kTurns; ++turn)
            speed.push_back(cache.n_mac() / bench::seconds_of([&] { cache.attend(kernels); }) / 1e9);
        std::printf("  %5d: %5.1f GMAC/s     ", depth, median(speed));
        std::fflush(stdout);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    cpu::Isa isa = cpu::choose_isa();
    for (const cpu::Isa known : cpu::known_isas()) {
        if (argc > 1 && cpu::isa_name(known) == argv[1]) isa = known;
    }
    const cpu::AttentionKernels& kernels = cpu::attention_kernels(isa);
    std::printf(
        "attention, %s, one thread, %d heads of %d, %d for keys and values; one query, then tiles of %d\n",
        std::string(cpu::isa_name(isa)).c_str(), kHeads, kDim, kKvHeads, cpu::kAttentionTile);
    std::vector<std::string_view> names(argv + std::min(argc, 2), argv + argc);
    if (names.empty()) names = {"f16", "bf16", "f32", "q8_0", "q4_0", "q5_1", "q6_0", "iq4_nl", "q8_kv"};
    for (const std::string_view name : names) {
        const TypeInfo* type = find_type(name);
        if (type != nullptr && type->is_cache_type) measure(kernels, *type);
    }
    return 0;
}
