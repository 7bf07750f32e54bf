// The one-line message of a template error.
#include "chat/jinja/error.h"

namespace cria::chat::jinja {
namespace {

std::string describe(const std::string& kind, const std::string& detail, int line) {
    if (kind == "raised")
        return fmt::format("the chat template refuses these messages (line {}): {}", line, detail);
    if (line == 0) return fmt::format("chat template: {}: {}", kind, detail);
    return fmt::format("chat template, line {}: {}: {}", line, kind, detail);
}

ErrorCode code_of(const std::string& kind) {
    return kind == "NotImplementedError" ? ErrorCode::unsupported : ErrorCode::invalid_argument;
}

}  // namespace

TemplateError::TemplateError(std::string kind, std::string detail, int line)
    : Error(code_of(kind), describe(kind, detail, line)),
      kind_(std::move(kind)),
      detail_(std::move(detail)),
      line_(line) {}

}  // namespace cria::chat::jinja
