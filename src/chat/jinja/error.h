// What a template can do wrong. The kinds are named as Python and Jinja2 name them, so that a template's
// author finds the same words that other programs print: TemplateSyntaxError, UndefinedError, TypeError,
// ZeroDivisionError, SecurityError ... Two kinds are ours: "raised" (the template called raise_exception) and
// "LimitExceeded" (time, memory, depth or output).
#pragma once

#include "base/error.h"

#include <string>

namespace cria::chat::jinja {

class TemplateError : public Error {
  public:
    // `line` counts from 1; 0 while it is not known yet.
    TemplateError(std::string kind, std::string detail, int line);

    const std::string& kind() const noexcept { return kind_; }
    // The text without the line and kind that what() puts before it.
    const std::string& detail() const noexcept { return detail_; }
    int line() const noexcept { return line_; }

  private:
    std::string kind_;
    std::string detail_;
    int line_;
};

// Throws TemplateError of this kind; the interpreter adds the line on the way out.
template <typename... Args>
[[noreturn]] void raise(const char* kind, fmt::format_string<Args...> format, Args&&... args) {
    throw TemplateError(kind, fmt::format(format, std::forward<Args>(args)...), 0);
}

}  // namespace cria::chat::jinja
