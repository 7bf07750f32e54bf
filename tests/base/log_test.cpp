// Lines reach the sink, one at a time, and a sink that logs does not wait for itself.
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cria {
namespace {

class Log : public ::testing::Test {
  protected:
    void TearDown() override {
        set_log_sink({});
        set_log_level(LogLevel::info);
    }
};

TEST_F(Log, ReachesTheSinkFromTheLevelOn) {
    std::vector<std::string> lines;
    set_log_sink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
    log_debug("hidden");
    log_info("{} of {}", 1, 2);
    set_log_level(LogLevel::error);
    log_warning("hidden");
    log_error("shown");
    EXPECT_EQ(lines, (std::vector<std::string>{"1 of 2", "shown"}));
}

TEST_F(Log, SurvivesASinkThatLogs) {
    int n = 0;
    set_log_sink([&](LogLevel, std::string_view) {
        ++n;
        log_info("from the sink, to stderr");
    });
    log_info("once");
    EXPECT_EQ(n, 1);
}

TEST_F(Log, SurvivesASinkThatThrows) {
    set_log_sink([](LogLevel, std::string_view) { throw 1; });
    EXPECT_THROW(log_info("x"), int);
    int n = 0;
    set_log_sink([&](LogLevel, std::string_view) { ++n; });
    log_info("y");
    EXPECT_EQ(n, 1);
}

}  // namespace
}  // namespace cria
