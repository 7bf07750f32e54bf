// A compiled Jinja template. What is rendered can only depend on the variables and the clock given: there is
// no access to files, the environment, or anything else of the process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "chat/jinja/error.h"
#include "chat/jinja/value.h"

namespace cria::chat::jinja {

// Beyond these, rendering raises LimitExceeded.
struct Limits {
    size_t max_output_bytes = size_t{64} << 20;
    int64_t max_work = int64_t{1} << 30;  // bytes handled, plus 16 for each step of the interpreter
    double max_seconds = 10;
    int max_depth = 500;  // expressions and blocks inside each other while running, macros included
};

struct RenderOptions {
    std::optional<int64_t>
        now;  // seconds since 1970 that strftime_now formats, as UTC; default: the local clock
    Limits limits = {};
    // Jinja's sandbox forbids list.append(x) and list.pop(i). Some templates of models use them all the same;
    // with this, they work on a variable or a namespace's attribute (other names of the same list keep the
    // old one).
    bool allow_list_changes = false;
};

class Template {
  public:
    // Raises TemplateError: TemplateSyntaxError, TemplateAssertionError, LimitExceeded.
    static Template compile(std::string_view source);

    // Raises TemplateError. Thread-safe if no two threads share the values.
    std::string render(const Dict& variables, const RenderOptions& options = {}) const;

  private:
    struct Tree;
    std::shared_ptr<const Tree> tree_;
};

}  // namespace cria::chat::jinja
