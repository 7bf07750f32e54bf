// The pool's protocol: `ticket` packs the number of the current job, its count of chunks and its next chunk
// into one word. A thread takes a chunk by compare-and-swap on that word, which fails once the job has
// changed; a job cannot change while a chunk of it is held, so the job's other fields may be read without a
// lock after a successful take.
#include "base/thread_pool.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cria {
namespace {

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// About 20 to 50 microseconds on the machines measured: longer than the gap between two operations of a
// decode step, shorter than a time slice, so that a busy neighbour loses little.
constexpr int kSpins = 1000;

constexpr int kChunkBits = 24;
constexpr uint64_t kChunkMask = (uint64_t(1) << kChunkBits) - 1;

// A job of n_chunks, none taken, numbered one after the job of `previous` (the number wraps, which is
// harmless: whoever takes a chunk of a job with the same number, count and position takes a chunk that is
// really there).
uint64_t next_ticket(uint64_t previous, int64_t n_chunks) {
    const uint64_t job = (previous >> (2 * kChunkBits)) + 1;
    return (job << (2 * kChunkBits)) | (static_cast<uint64_t>(n_chunks) << kChunkBits);
}

}  // namespace

struct ThreadPool::State {
    std::vector<std::thread> workers;

    alignas(64) std::atomic<uint64_t> ticket{0};
    std::atomic<int> max_threads{0};
    const FunctionRef<void(int64_t, int)>* task = nullptr;

    alignas(64) std::atomic<uint32_t> n_done{0};
    alignas(64) std::atomic<uint32_t> wake{0};  // changes with every job; idle workers sleep on it
    std::atomic<int> n_asleep{0};
    std::atomic<bool> is_stopping{false};
    std::atomic<bool> is_failed{false};
    std::mutex error_mutex;
    std::exception_ptr error;

    void run_chunk(int64_t chunk, int thread) {
        if (!is_failed.load(std::memory_order_relaxed)) {
            try {
                (*task)(chunk, thread);
            } catch (...) {
                const std::lock_guard lock(error_mutex);
                if (!error) error = std::current_exception();
                is_failed = true;
            }
        }
    }

    // Takes and runs chunks of the current job until none is left.
    void help(int thread) {
        for (;;) {
            uint64_t seen = ticket.load(std::memory_order_acquire);
            const auto chunk = static_cast<int64_t>(seen & kChunkMask);
            const auto total = static_cast<int64_t>((seen >> kChunkBits) & kChunkMask);
            if (chunk >= total || thread >= max_threads.load(std::memory_order_relaxed)) return;
            if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) continue;
            run_chunk(chunk, thread);
            if (n_done.fetch_add(1, std::memory_order_acq_rel) + 1 == total) n_done.notify_one();
        }
    }

    void work(int thread) {
        uint32_t seen = 0;
        for (;;) {
            for (int spin = 0; spin < kSpins && wake.load(std::memory_order_acquire) == seen; ++spin) relax();
            if (wake.load(std::memory_order_acquire) == seen) {
                n_asleep.fetch_add(1);
                wake.wait(seen);
                n_asleep.fetch_sub(1);
            }
            seen = wake.load(std::memory_order_acquire);
            if (is_stopping.load()) return;
            help(thread);
        }
    }

    void stop() {
        is_stopping = true;
        wake.fetch_add(1);
        wake.notify_all();
        for (std::thread& worker : workers) worker.join();
    }
};

ThreadPool::ThreadPool(int n_threads) : state_(std::make_unique<State>()) {
    if (n_threads < 1 || n_threads > kMaxThreads) {
        fail(ErrorCode::invalid_argument, "{} threads: expected 1 to {}", n_threads, kMaxThreads);
    }
    try {
        for (int i = 1; i < n_threads; ++i) {
            state_->workers.emplace_back([state = state_.get(), i] { state->work(i); });
        }
    } catch (const std::system_error& e) {
        const size_t started = state_->workers.size();
        state_->stop();
        fail(ErrorCode::io, "cannot start thread {} of {}: {}; use fewer threads", started + 2, n_threads,
             e.what());
    }
}

ThreadPool::~ThreadPool() { state_->stop(); }

int ThreadPool::size() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::run(int64_t n_chunks, FunctionRef<void(int64_t, int)> task, int max_threads) {
    if (n_chunks <= 0) return;
    CRIA_BUG_UNLESS(n_chunks < int64_t(kChunkMask));
    State& s = *state_;
    if (max_threads <= 0 || max_threads > size()) max_threads = size();
    if (n_chunks == 1 || max_threads == 1) {
        for (int64_t chunk = 0; chunk < n_chunks; ++chunk) task(chunk, 0);
        return;
    }
    s.task = &task;
    s.is_failed = false;
    s.n_done.store(0, std::memory_order_relaxed);
    s.max_threads.store(max_threads, std::memory_order_relaxed);
    s.ticket.store(next_ticket(s.ticket.load(std::memory_order_relaxed), n_chunks),
                   std::memory_order_release);
    s.wake.fetch_add(1);  // sequentially consistent with n_asleep: a worker about to sleep sees the new
                          // value, or is counted
    if (s.n_asleep.load() > 0) s.wake.notify_all();

    s.help(0);
    for (int spin = 0; spin < kSpins; ++spin) {
        if (s.n_done.load(std::memory_order_acquire) == n_chunks) break;
        relax();
    }
    for (uint32_t done; (done = s.n_done.load(std::memory_order_acquire)) != n_chunks;) s.n_done.wait(done);
    if (s.is_failed.load()) std::rethrow_exception(std::exchange(s.error, nullptr));
}

}  // namespace cria
