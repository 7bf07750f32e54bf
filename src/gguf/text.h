// How names from a file appear in messages: whole when harmless, never able to break a line or a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cria::gguf {

// In single quotes, control characters and bytes that are not ASCII as \xNN, cut after 80 bytes.
std::string quoted(std::string_view text);

}  // namespace cria::gguf
