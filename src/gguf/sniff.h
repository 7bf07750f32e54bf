// What a file is that is not GGUF, said so that the person who has it knows what to do.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cria::gguf {

// The end of the sentence "'path' is not a GGUF file: ...". Looks at the first bytes only.
std::string describe_other_file(std::span<const std::byte> bytes);

}  // namespace cria::gguf
