// Replaces the global new of this test program by one that counts.
#include "gguf/allocation_count.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
thread_local cria::gguf::testing::Allocations counted;
}

void* operator new(size_t n_bytes) {
    counted.n_bytes += n_bytes;
    counted.largest = std::max(counted.largest, n_bytes);
    void* memory = std::malloc(n_bytes == 0 ? 1 : n_bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void* operator new[](size_t n_bytes) { return operator new(n_bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace cria::gguf::testing {

Allocations allocations() { return counted; }
void reset_allocations() { counted = {}; }

}  // namespace cria::gguf::testing
