// What the tests of the C interface share: the log lines that calls leave behind.
#pragma once

#include <string>
#include <vector>

#include "llama.h"

namespace cria::capi {

// Collects log lines while it lives.
class LogRecorder {
  public:
    LogRecorder() { llama_log_set(&LogRecorder::record, this); }
    LogRecorder(const LogRecorder&) = delete;
    LogRecorder& operator=(const LogRecorder&) = delete;
    ~LogRecorder() { llama_log_set(nullptr, nullptr); }

    struct Line {
        ggml_log_level level;
        std::string text;
    };
    const std::vector<Line>& lines() const { return lines_; }
    bool contains(const std::string& words) const {
        for (const Line& line : lines_) {
            if (line.text.find(words) != std::string::npos) return true;
        }
        return false;
    }

  private:
    static void record(ggml_log_level level, const char* text, void* self) {
        static_cast<LogRecorder*>(self)->lines_.push_back({level, text});
    }

    std::vector<Line> lines_;
};

}  // namespace cria::capi
