// Rules for names, alignment and sizes.
#include "gguf/checks.h"

#include <bit>

#include "base/error.h"

namespace cria::gguf {

std::string name_fault(std::string_view name, uint64_t limit) {
    if (name.empty()) return "it needs at least one byte";
    if (name.size() > limit) return fmt::format("it has {} bytes, the limit is {}", name.size(), limit);
    if (name.find('\0') != std::string_view::npos) return "a NUL byte is not allowed in it";
    return {};
}

std::string alignment_fault(uint64_t alignment) {
    if (std::has_single_bit(alignment) && alignment >= kMinAlignment && alignment <= kMaxAlignment) return {};
    return fmt::format("it has to be a power of two from {} to {}", kMinAlignment, kMaxAlignment);
}

std::string size_fault(TensorInfo& tensor) {
    const TypeInfo& type = *tensor.type;
    if (tensor.dims[0] % type.block_elements != 0) {
        return fmt::format("rows of type {} have a multiple of {} elements", type.name, type.block_elements);
    }
    if (tensor.n_rows() % type.group_rows != 0) {
        return fmt::format("type {} interleaves {} rows at a time", type.name, type.group_rows);
    }
    const auto n_bytes =
        tensor_bytes(type, static_cast<uint64_t>(tensor.dims[0]), static_cast<uint64_t>(tensor.n_rows()));
    if (!n_bytes) return fmt::format("type {} cannot have this size", type.name);
    tensor.n_bytes = *n_bytes;
    return {};
}

}  // namespace cria::gguf
