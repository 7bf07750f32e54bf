// A block of memory aligned for the widest vectors and for whole cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/error.h"

namespace cria {

inline constexpr size_t kBufferAlignment = 64;

// Owns `size` bytes aligned to kBufferAlignment, zeroed. Throws Error{out_of_memory}. Move-only.
class AlignedBuffer {
  public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(size_t size) : size_(size) {
        if (size == 0) return;
        const size_t padded = (size + kBufferAlignment - 1) & ~(kBufferAlignment - 1);
        // calloc-like laziness: large blocks come as untouched zero pages, which memset would touch.
        void* raw = std::calloc(1, padded + kBufferAlignment);
        if (raw == nullptr || padded < size) {
            std::free(raw);
            fail(ErrorCode::out_of_memory,
                 "no memory for a buffer of {} bytes; ask for a smaller context or batch", size);
        }
        raw_.reset(static_cast<std::byte*>(raw));
        const auto address = reinterpret_cast<uintptr_t>(raw);
        data_ = raw_.get() + ((kBufferAlignment - address % kBufferAlignment) % kBufferAlignment);
    }

    std::byte* data() const { return data_; }
    size_t size() const { return size_; }
    template <typename T>
    T* as(size_t byte_offset = 0) const {
        return reinterpret_cast<T*>(data_ + byte_offset);
    }

  private:
    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };
    std::unique_ptr<std::byte, Free> raw_;
    std::byte* data_ = nullptr;
    size_t size_ = 0;
};

}  // namespace cria
