// The pool runs every chunk exactly once, whatever the number of threads, and reports failures.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/error.h"

namespace cria {
namespace {

TEST(ThreadPool, RunsEveryChunkOnce) {
    for (const int n_threads : {1, 2, 3, 8}) {
        ThreadPool pool(n_threads);
        for (const int n_chunks : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> counts(static_cast<size_t>(n_chunks));
            pool.run(n_chunks, [&](int64_t chunk, int thread) {
                EXPECT_LT(thread, pool.size());
                ++counts[static_cast<size_t>(chunk)];
            });
            for (const auto& count : counts) EXPECT_EQ(count, 1);
        }
    }
}

TEST(ThreadPool, SurvivesManyShortJobs) {
    ThreadPool pool(4);
    std::atomic<int64_t> sum{0};
    for (int job = 0; job < 20000; ++job) {
        pool.run(5, [&](int64_t chunk, int) { sum += chunk; });
    }
    EXPECT_EQ(sum, 20000 * 10);
}

TEST(ThreadPool, RethrowsTheFirstErrorAndGoesOn) {
    ThreadPool pool(3);
    for (int round = 0; round < 100; ++round) {
        EXPECT_THROW(pool.run(50,
                              [](int64_t chunk, int) {
                                  if (chunk == 20) fail(ErrorCode::cancelled, "stop");
                              }),
                     Error);
    }
    std::atomic<int> n{0};
    pool.run(10, [&](int64_t, int) { ++n; });
    EXPECT_EQ(n, 10);
}

TEST(ThreadPool, KeepsToTheThreadLimit) {
    ThreadPool pool(4);
    pool.run(
        100, [](int64_t, int thread) { EXPECT_LT(thread, 2); }, 2);
}

TEST(ThreadPool, RefusesAbsurdSizes) {
    EXPECT_THROW(ThreadPool(0), Error);
    EXPECT_THROW(ThreadPool(-5), Error);
    EXPECT_THROW(ThreadPool(1 << 20), Error);
}

}  // namespace
}  // namespace cria
