// Log lines for people. The library never prints by itself: lines go to one process-wide sink, stderr by
// default, which a program or the C interface replaces. Safe to call from any thread; the sink is called by
// one thread at a time.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string_view>

namespace cria {

enum class LogLevel { debug, info, warning, error };

// Receives one line, without newline.
using LogSink = std::function<void(LogLevel level, std::string_view line)>;

// Replaces the sink; an empty function restores stderr. The old sink is not called after this returns.
void set_log_sink(LogSink sink);

// Lines below this level are dropped before they are formatted. Default: info.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);

void log_line(LogLevel level, std::string_view line);

template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    if (log_enabled(LogLevel::debug))
        log_line(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    if (log_enabled(LogLevel::info))
        log_line(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
    if (log_enabled(LogLevel::warning))
        log_line(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
    if (log_enabled(LogLevel::error))
        log_line(LogLevel::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cria
