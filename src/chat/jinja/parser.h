// Builds the syntax tree of a template.
#pragma once

#include <string_view>

#include "chat/jinja/ast.h"

namespace cria::chat::jinja {

// Brackets, blocks and operators inside each other; deeper templates are refused, so that parsing and running
// one takes bounded stack. Real templates stay below 30.
inline constexpr int kMaxNesting = 100;
inline constexpr int kMaxExprDepth = 200;
// Real templates have at most 20 KB.
inline constexpr size_t kMaxTemplateBytes = size_t{4} << 20;

// Raises TemplateSyntaxError, TemplateAssertionError (an unknown filter or test that runs unconditionally) or
// LimitExceeded.
Body parse(std::string_view source);

}  // namespace cria::chat::jinja
