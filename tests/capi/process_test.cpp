// Log lines, errors and capabilities of the process.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "base/log.h"
#include "capi/handles.h"
#include "testing.h"

namespace cria::capi {
namespace {

TEST(Log, LinesReachTheCallbackWithLevelAndNewline) {
    const LogRecorder log;
    log_warning("careful {}", 1);
    log_error("wrong");
    ASSERT_EQ(log.lines().size(), 2u);
    EXPECT_EQ(log.lines()[0].text, "careful 1\n");
    EXPECT_EQ(log.lines()[0].level, GGML_LOG_LEVEL_WARN);
    EXPECT_EQ(log.lines()[1].level, GGML_LOG_LEVEL_ERROR);
}

TEST(Guard, TurnsEveryExceptionIntoOneLineAndTheErrorValue) {
    const LogRecorder log;
    EXPECT_EQ(guard<int>("f", -7, []() -> int { fail(ErrorCode::invalid_argument, "x is {}", 3); }), -7);
    EXPECT_EQ(guard<int>("f", -7, []() -> int { throw std::bad_alloc(); }), -7);
    EXPECT_EQ(guard<int>("f", -7, []() -> int { throw std::runtime_error("other"); }), -7);
    EXPECT_EQ(guard<int>("f", -7, []() -> int { throw 5; }), -7);
    guard("g", [] { throw std::runtime_error("in void"); });
    EXPECT_EQ(guard<int>("f", -7, [] { return 1; }), 1);
    ASSERT_EQ(log.lines().size(), 5u);
    EXPECT_EQ(log.lines()[0].text, "f: x is 3\n");
    EXPECT_NE(log.lines()[1].text.find("out of memory"), std::string::npos);
    EXPECT_EQ(log.lines()[4].text, "g: in void\n");
}

TEST(Guard, SurvivesALogCallbackThatThrows) {
    llama_log_set([](ggml_log_level, const char*, void*) { throw std::runtime_error("no log"); }, nullptr);
    EXPECT_EQ(guard<int>("f", -7, []() -> int { throw std::runtime_error("x"); }), -7);
    llama_log_set(nullptr, nullptr);
}

TEST(NotAvailable, IsSaidOnceForEachFunction) {
    const LogRecorder log;
    EXPECT_EQ(not_available("llama_made_up", 4), 4);
    EXPECT_EQ(not_available("llama_made_up", 4), 4);
    ASSERT_EQ(log.lines().size(), 1u);
    EXPECT_NE(log.lines()[0].text.find("llama_made_up: not available"), std::string::npos);
}

TEST(Process, ClockAdvancesAndTheSystemIsDescribed) {
    llama_backend_init();
    const int64_t before = llama_time_us();
    EXPECT_GT(before, 0);
    EXPECT_GE(llama_time_us(), before);
    EXPECT_GE(llama_max_devices(), 1u);
    EXPECT_TRUE(llama_supports_mmap());
    const std::string info = llama_print_system_info();
    EXPECT_NE(info.find("AVX2 = "), std::string::npos);
    EXPECT_EQ(info, llama_print_system_info());
    llama_backend_free();
}

TEST(Process, DecodeStopsAndGoesOn) {
    EXPECT_FALSE(decode_is_stopped());
    llama_decode_stop();
    EXPECT_TRUE(decode_is_stopped());
    llama_decode_reset();
    EXPECT_FALSE(decode_is_stopped());
}

TEST(Timings, CountFromOneAndKeepLoadTimeWhenReset) {
    llama_context context;
    context.timings = {.start_us = 1000,
                       .load_us = 2000,
                       .sample_us = 500,
                       .prompt_us = 4000,
                       .eval_us = 6000,
                       .n_prompt = 8};
    const llama_timings t = llama_get_timings(&context);
    EXPECT_DOUBLE_EQ(t.t_start_ms, 1.0);
    EXPECT_DOUBLE_EQ(t.t_load_ms, 2.0);
    EXPECT_DOUBLE_EQ(t.t_p_eval_ms, 4.0);
    EXPECT_EQ(t.n_p_eval, 8);
    EXPECT_EQ(t.n_sample, 1);
    EXPECT_EQ(t.n_eval, 1);
    EXPECT_GT(t.t_end_ms, t.t_start_ms);
    llama_reset_timings(&context);
    EXPECT_EQ(context.timings.load_us, 2000);
    EXPECT_EQ(context.timings.n_prompt, 0);
    EXPECT_GT(context.timings.start_us, 1000);
}

TEST(Timings, ArePrintedAndDumped) {
    llama_context context;
    context.timings = {.eval_us = 6000, .n_eval = 3};
    {
        const LogRecorder log;
        llama_print_timings(&context);
        EXPECT_EQ(log.lines().size(), 5u);
        EXPECT_TRUE(log.contains("2.00 ms each"));
    }
    char* text = nullptr;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    llama_dump_timing_info_yaml(stream, &context);
    std::fclose(stream);
    EXPECT_NE(std::string(text, size).find("  eval: {ms: 6.00, n: 3, ms_each: 2.000"), std::string::npos)
        << text;
    std::free(text);
}

TEST(Timings, OfNoContextAreZeroesAndOnes) {
    const LogRecorder log;
    EXPECT_EQ(llama_get_timings(nullptr).n_eval, 1);
    llama_print_timings(nullptr);
    llama_reset_timings(nullptr);
    llama_context context;
    llama_dump_timing_info_yaml(nullptr, &context);
    llama_dump_timing_info_yaml(stderr, nullptr);
    EXPECT_EQ(log.lines().size(), 5u);
}

}  // namespace
}  // namespace cria::capi
