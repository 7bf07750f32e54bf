// The one exception type of Cria. Everything that can go wrong because of a file, a request or an argument
// throws cria::Error; the C interface and the programs turn it into return values and exit codes at their
// edge. A message says what is wrong, where, why, and what to try: one line, no trailing full stop or
// newline.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace cria {

// What the caller can do about it.
enum class ErrorCode {
    invalid_argument,  // the call is wrong: change the argument named in the message
    invalid_file,      // the file is damaged or not what it says it is: get another copy
    unsupported,       // well-formed, but this version of Cria cannot do it
    not_found,         // a named thing (file, tensor, token, option) does not exist
    io,                // the operating system refused to read, write or map
    out_of_memory,     // free memory, or ask for less
    no_space,          // the cache or an output buffer is full: make room and call again; nothing was lost
    cancelled,         // a callback or signal asked to stop
    internal,          // a bug in Cria; please report
};

// The code's name as written above, for logs and JSON.
const char* error_code_name(ErrorCode code);

class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

  private:
    ErrorCode code_;
};

// Throws Error{code, formatted message}.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
    throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] void report_bug(const char* condition, const char* file, int line);

}  // namespace cria

// Checks an invariant that only a bug in Cria can break. Always on; throws Error{internal}.
#define CRIA_BUG_UNLESS(condition) \
    (static_cast<bool>(condition) ? void(0) : ::cria::report_bug(#condition, __FILE__, __LINE__))
