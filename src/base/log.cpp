// The process-wide log sink.
#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace cria {
namespace {

std::mutex sink_mutex;
LogSink& sink() {
    static LogSink instance;
    return instance;
}
std::atomic<LogLevel> minimum_level{LogLevel::info};

void print_to_stderr(LogLevel level, std::string_view line) {
    const char* prefix = level == LogLevel::error ? "error: " : level == LogLevel::warning ? "warning: " : "";
    std::fprintf(stderr, "%s%.*s\n", prefix, static_cast<int>(line.size()), line.data());
}

}  // namespace

void set_log_sink(LogSink new_sink) {
    const std::lock_guard lock(sink_mutex);
    sink() = std::move(new_sink);
}

void set_log_level(LogLevel level) { minimum_level = level; }

bool log_enabled(LogLevel level) { return level >= minimum_level.load(std::memory_order_relaxed); }

void log_line(LogLevel level, std::string_view line) {
    // A sink that logs would wait for itself: its lines go to stderr.
    thread_local bool is_inside_sink = false;
    if (is_inside_sink) return print_to_stderr(level, line);
    const std::lock_guard lock(sink_mutex);
    struct Inside {
        bool& flag;
        explicit Inside(bool& f) : flag(f) { flag = true; }
        ~Inside() { flag = false; }
    };
    const Inside inside(is_inside_sink);
    if (sink()) {
        sink()(level, line);
    } else {
        print_to_stderr(level, line);
    }
}

}  // namespace cria
