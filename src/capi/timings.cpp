// Times and counts of a context, as numbers, as a block of log lines, and as YAML.
#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/log.h"
#include "capi/handles.h"

namespace {

using namespace cria::capi;

constexpr double kMsPerUs = 1e-3;

llama_timings snapshot(const Timings& t) {
    llama_timings result{};
    result.t_start_ms = kMsPerUs * static_cast<double>(t.start_us);
    result.t_end_ms = kMsPerUs * static_cast<double>(llama_time_us());
    result.t_load_ms = kMsPerUs * static_cast<double>(t.load_us);
    result.t_sample_ms = kMsPerUs * static_cast<double>(t.sample_us);
    result.t_p_eval_ms = kMsPerUs * static_cast<double>(t.prompt_us);
    result.t_eval_ms = kMsPerUs * static_cast<double>(t.eval_us);
    result.n_sample = std::max(1, t.n_sample);
    result.n_p_eval = std::max(0, t.n_prompt);
    result.n_eval = std::max(1, t.n_eval);
    return result;
}

double per(double amount, double count) { return count > 0 ? amount / count : 0.0; }

void log_row(const char* name, double ms, int32_t count, const char* unit) {
    cria::log_info("{} time = {:10.2f} ms / {:5} {} ({:8.2f} ms each, {:8.2f} per second)", name, ms, count,
                   unit, per(ms, count), per(1e3 * count, ms));
}

void yaml_row(FILE* out, const char* name, double ms, int32_t count) {
    std::fprintf(out, "  %s: {ms: %.2f, n: %" PRId32 ", ms_each: %.3f, per_second: %.2f}\n", name, ms, count,
                 per(ms, count), per(1e3 * count, ms));
}

}  // namespace

llama_timings llama_get_timings(llama_context* ctx) {
    llama_timings empty{};
    empty.n_sample = 1;
    empty.n_eval = 1;
    return guard<llama_timings>("llama_get_timings", empty,
                                [&] { return snapshot(required(ctx, "ctx").timings); });
}

void llama_print_timings(llama_context* ctx) {
    guard("llama_print_timings", [&] {
        const llama_timings t = snapshot(required(ctx, "ctx").timings);
        cria::log_info("       load time = {:10.2f} ms", t.t_load_ms);
        log_row("     sample", t.t_sample_ms, t.n_sample, "runs  ");
        log_row("prompt eval", t.t_p_eval_ms, t.n_p_eval, "tokens");
        log_row("       eval", t.t_eval_ms, t.n_eval, "runs  ");
        cria::log_info("      total time = {:10.2f} ms / {:5} tokens", t.t_end_ms - t.t_start_ms,
                       t.n_p_eval + t.n_eval);
    });
}

void llama_reset_timings(llama_context* ctx) {
    guard("llama_reset_timings", [&] {
        Timings& timings = required(ctx, "ctx").timings;
        timings = {.start_us = llama_time_us(), .load_us = timings.load_us};
    });
}

void llama_dump_timing_info_yaml(FILE* stream, const llama_context* ctx) {
    guard("llama_dump_timing_info_yaml", [&] {
        FILE* out = &required(stream, "stream");
        const llama_timings t = snapshot(required(ctx, "ctx").timings);
        std::fprintf(out, "timings:  # milliseconds, and tokens\n");
        std::fprintf(out, "  load_ms: %.2f\n", t.t_load_ms);
        yaml_row(out, "sample", t.t_sample_ms, t.n_sample);
        yaml_row(out, "prompt", t.t_p_eval_ms, t.n_p_eval);
        yaml_row(out, "eval", t.t_eval_ms, t.n_eval);
    });
}
