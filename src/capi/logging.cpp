// Log lines on their way to a C callback.
#include "base/log.h"

#include <string>

#include "capi/handles.h"

namespace {

ggml_log_level c_level(cria::LogLevel level) {
    switch (level) {
        case cria::LogLevel::debug:
            return GGML_LOG_LEVEL_DEBUG;
        case cria::LogLevel::info:
            return GGML_LOG_LEVEL_INFO;
        case cria::LogLevel::warning:
            return GGML_LOG_LEVEL_WARN;
        case cria::LogLevel::error:
            return GGML_LOG_LEVEL_ERROR;
    }
    return GGML_LOG_LEVEL_INFO;
}

}  // namespace

void llama_log_set(ggml_log_callback log_callback, void* user_data) {
    cria::capi::guard("llama_log_set", [&] {
        if (log_callback == nullptr) {
            cria::set_log_sink({});
            return;
        }
        cria::set_log_sink([log_callback, user_data](cria::LogLevel level, std::string_view line) {
            std::string text(line);  // callbacks expect a newline at the end
            text += '\n';
            log_callback(c_level(level), text.c_str(), user_data);
        });
    });
}
