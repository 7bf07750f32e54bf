// Rules that hold for files read and files written alike. Each function returns the reason for a refusal,
// empty when there is none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gguf/reader.h"

namespace cria::gguf {

inline constexpr std::string_view kAlignmentKey = "general.alignment";

// A metadata key or the name of a tensor of at most `limit` bytes.
std::string name_fault(std::string_view name, uint64_t limit);
std::string alignment_fault(uint64_t alignment);
// Sets n_bytes. Type and dims are set, every dimension is at least 1, and their product fits int64_t.
std::string size_fault(TensorInfo& tensor);

}  // namespace cria::gguf
