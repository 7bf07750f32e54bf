// Which filters and tests exist: the parser refuses templates that use others unconditionally.
#pragma once

#include <string_view>

namespace cria::chat::jinja {

bool has_filter(std::string_view name);
bool has_test(std::string_view name);

}  // namespace cria::chat::jinja
