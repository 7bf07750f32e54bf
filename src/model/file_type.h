// Names of file types (general.file_type, llama_ftype of the family).
#pragma once

#include <cstdint>
#include <string_view>

namespace cria {

// "Q4_K - Medium"; empty for unknown numbers.
std::string_view file_type_name(int64_t file_type);

}  // namespace cria
