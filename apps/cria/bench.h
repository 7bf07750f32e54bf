// What cria bench measures, apart from how it is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/context.h"

namespace cria::app {

struct BenchTest {
    int32_t n_prompt = 0;     // tokens of a prompt computed in one go, or
    int32_t n_generate = 0;   // tokens generated one after the other
    int32_t depth = 0;        // tokens remembered before
    int32_t n_sequences = 1;  // generating at once

    std::string name() const;  // "pp512", "tg64 @ d1024 x 4"
};

struct BenchResult {
    BenchTest test;
    std::vector<double> rates;  // tokens per second, one for each repetition
    double median = 0.0;
    double gigabytes_per_second = 0.0;  // of weights and cache read; generation only
    double bandwidth_share = 0.0;       // of the measured bandwidth
};

struct Machine {
    std::string cpu;
    std::string isa;
    int32_t n_threads = 0;
    double read_gigabytes_per_second = 0.0;
};

// Best of several passes over a buffer larger than the caches, on n_threads threads.
double measure_read_bandwidth(int32_t n_threads);

// Bytes of weights that one decoding step reads: all but the embedding table (unless it is the output too),
// of experts the share in use.
double weight_bytes_per_step(const Model& model);

BenchResult run_test(Context& context, const BenchTest& test, int32_t n_repetitions);

}  // namespace cria::app
