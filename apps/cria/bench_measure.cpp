// The measurements of cria bench.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>

#include "base/aligned_buffer.h"
#include "base/cpu.h"
#include "base/thread_pool.h"
#include "bench.h"

namespace cria::app {
namespace {

class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return n == 0 ? 0.0 : n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Tokens differ, so that no step is special.
int32_t some_token(int32_t i, int64_t n_vocab) {
    return static_cast<int32_t>((int64_t(i) * 7919 + 13) % n_vocab);
}

std::vector<int32_t> some_tokens(int32_t n, int64_t n_vocab) {
    std::vector<int32_t> tokens;
    for (int32_t i = 0; i < n; ++i) tokens.push_back(some_token(i, n_vocab));
    return tokens;
}

// Fills sequence 0 up to the depth and gives the same cells to the others.
void fill_depth(Context& context, const BenchTest& test) {
    context.clear_memory();
    const auto tokens = some_tokens(test.depth, context.model().spec().n_vocab);
    for (int32_t first = 0; first < test.depth; first += context.n_batch()) {
        const auto count = static_cast<size_t>(std::min(context.n_batch(), test.depth - first));
        context.decode(
            Batch::of_sequence(std::span(tokens).subspan(static_cast<size_t>(first), count), first, 0));
    }
    for (int32_t s = 1; s < test.n_sequences; ++s) context.cells().copy(0, s, -1, -1);
}

void prompt_once(Context& context, const BenchTest& test) {
    const auto tokens = some_tokens(test.n_prompt, context.model().spec().n_vocab);
    for (int32_t first = 0; first < test.n_prompt; first += context.n_batch()) {
        const auto count = static_cast<size_t>(std::min(context.n_batch(), test.n_prompt - first));
        context.decode(Batch::of_sequence(std::span(tokens).subspan(static_cast<size_t>(first), count),
                                          test.depth + first, 0));
    }
}

void generate_once(Context& context, const BenchTest& test) {
    const int64_t n_vocab = context.model().spec().n_vocab;
    for (int32_t i = 0; i < test.n_generate; ++i) {
        std::vector<int32_t> tokens;
        Batch batch{.n = test.n_sequences};
        for (int32_t s = 0; s < test.n_sequences; ++s) {
            tokens.push_back(some_token(i * test.n_sequences + s, n_vocab));
            batch.positions.push_back(test.depth + i);
            batch.sequences.push_back({s});
        }
        batch.tokens = tokens;
        batch.wants_output.assign(tokens.size(), true);
        context.decode(batch);
    }
}

double read_pass(ThreadPool& pool, const AlignedBuffer& buffer) {
    constexpr size_t kChunkBytes = size_t(1) << 20;
    std::atomic<uint64_t> total{0};
    const Stopwatch watch;
    pool.run(static_cast<int64_t>(buffer.size() / kChunkBytes), [&](int64_t chunk, int) {
        const auto* words = buffer.as<uint64_t>(static_cast<size_t>(chunk) * kChunkBytes);
        uint64_t sums[8] = {};
        for (size_t i = 0; i < kChunkBytes / 8; i += 8) {
            for (size_t lane = 0; lane < 8; ++lane) sums[lane] += words[i + lane];
        }
        total += std::accumulate(std::begin(sums), std::end(sums), uint64_t(0));
    });
    const double seconds = watch.seconds();
    return total == 1 ? 0.0 : static_cast<double>(buffer.size()) / seconds / 1e9;  // uses the sum
}

}  // namespace

std::string BenchTest::name() const {
    std::string text = n_prompt > 0 ? fmt::format("pp{}", n_prompt) : fmt::format("tg{}", n_generate);
    if (n_sequences > 1) text += fmt::format(" x {}", n_sequences);
    if (depth > 0) text += fmt::format(" @ d{}", depth);
    return text;
}

double measure_read_bandwidth(int32_t n_threads) {
    constexpr size_t kBytes = size_t(512) << 20;
    constexpr int kPasses = 5;
    ThreadPool pool(n_threads);
    const AlignedBuffer buffer(kBytes);
    std::fill_n(buffer.as<uint64_t>(), kBytes / 8, 3);
    double best = 0.0;
    for (int i = 0; i < kPasses; ++i) best = std::max(best, read_pass(pool, buffer));
    return best;
}

double weight_bytes_per_step(const Model& model) {
    const arch::ModelSpec& spec = model.spec();
    double bytes = 0.0;
    for (const Weight& weight : model.weights().all()) {
        if (&weight == spec.token_embedding && &weight != spec.output.weight) continue;
        double share = 1.0;
        if (weight.n_matrices() > 1) {
            const int32_t n_used = spec.layers.back().ffn.experts.routing.n_used;
            share = static_cast<double>(n_used) / static_cast<double>(weight.n_matrices());
        }
        bytes += share * static_cast<double>(weight.total_bytes());
    }
    return bytes;
}

BenchResult run_test(Context& context, const BenchTest& test, int32_t n_repetitions) {
    BenchResult result{.test = test};
    fill_depth(context, test);
    for (int32_t r = -1; r < n_repetitions; ++r) {  // the first is a warm-up
        for (int32_t s = 0; s < test.n_sequences; ++s) context.cells().remove(s, test.depth, -1);
        const Stopwatch watch;
        if (test.n_prompt > 0) {
            prompt_once(context, test);
        } else {
            generate_once(context, test);
        }
        const double n_tokens =
            test.n_prompt > 0 ? test.n_prompt : double(test.n_generate) * test.n_sequences;
        if (r >= 0) result.rates.push_back(n_tokens / watch.seconds());
    }
    result.median = median_of(result.rates);
    if (test.n_generate > 0) {
        double cache_bytes = 0.0;
        for (const KvStorage& layer : context.kv_cache().layers())
            cache_bytes += static_cast<double>(layer.k_row_bytes + layer.v_row_bytes);
        cache_bytes *= (test.depth + test.n_generate / 2.0) * test.n_sequences;
        const double steps_per_second = result.median / test.n_sequences;
        result.gigabytes_per_second =
            (weight_bytes_per_step(context.model()) + cache_bytes) * steps_per_second / 1e9;
    }
    return result;
}

}  // namespace cria::app
