// Removes the spaces that tokenizers of words put where English has none.
#pragma once

#include <string>
#include <string_view>

namespace cria {

// " ?", " !", " .", " ," and " 's", " 'm", " 're", " 've" lose their space, " ' " loses both. The first byte
// stays.
std::string clean_spaces(std::string_view text);

}  // namespace cria
