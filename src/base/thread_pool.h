// Threads that share one job at a time. A job is a number of chunks handed out by an atomic counter, so a
// thread that the system has put aside delays only the chunk it holds; a job ends when its chunks are done,
// not when every thread has looked at it. Idle threads spin for a moment (the next job of a decode step is
// microseconds away) and then sleep.
#pragma once

#include <cstdint>
#include <memory>

#include "base/function_ref.h"

namespace cria {

class ThreadPool {
  public:
    // n_threads >= 1 counts the calling thread; the others start now and end with the pool.
    // Throws Error{invalid_argument} for n_threads outside 1..kMaxThreads, Error{io} when the system refuses
    // a thread.
    explicit ThreadPool(int n_threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    static constexpr int kMaxThreads = 1024;

    int size() const;

    // Calls task(chunk, thread) once for every chunk in [0, n_chunks), in any order, on at most `max_threads`
    // threads (0: all) of which the caller is thread 0, and returns when all are done. thread < size(). What
    // the chunks wrote is visible afterwards. If tasks throw, the remaining chunks are skipped and the first
    // exception is rethrown here. One job at a time: calls from two threads at once are a bug of the caller;
    // a task must not call run().
    void run(int64_t n_chunks, FunctionRef<void(int64_t chunk, int thread)> task, int max_threads = 0);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace cria
