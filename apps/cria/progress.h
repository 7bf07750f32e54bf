// Progress on a terminal: a line on stderr that is rewritten, shown once the work has lasted a moment, and
// gone when it is done. Without a terminal nothing is printed.
#pragma once

#include <chrono>
#include <string>

namespace cria::app {

bool stderr_is_terminal();
bool stdout_is_terminal();
bool stdin_is_terminal();

class ProgressBar {
  public:
    explicit ProgressBar(std::string what);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    // share: 0 to 1. note: shown after the bar, e.g. a running result.
    void update(double share, const std::string& note = {});

  private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_{};
    bool is_shown_ = false;
};

}  // namespace cria::app
