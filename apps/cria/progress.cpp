// The progress line.
#include "progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace cria::app {
namespace {

constexpr auto kDelay = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 30;

}  // namespace

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) != 0; }
bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }
bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) != 0; }

ProgressBar::ProgressBar(std::string what) : what_(std::move(what)) {}

ProgressBar::~ProgressBar() {
    if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(double share, const std::string& note) {
    const auto now = Clock::now();
    if (!stderr_is_terminal() || now - start_ < kDelay || (now - last_ < kInterval && share < 1.0)) return;
    last_ = now;
    is_shown_ = true;
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
    const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                            std::string(static_cast<size_t>(kWidth - filled), '.');
    const std::string left =
        share > 0.01 ? fmt::format(" {:.0f} s left", elapsed / share * (1.0 - share)) : "";
    std::fputs(fmt::format("\r{} [{}] {:3.0f} %{} {}\033[K", what_, bar, share * 100.0, left, note).c_str(),
               stderr);
    std::fflush(stderr);
}

}  // namespace cria::app
