// Counts what the running thread allocates with new, to test that a bad file is refused before it costs
// memory.
#pragma once

#include <cstddef>

namespace cria::gguf::testing {

struct Allocations {
    size_t n_bytes = 0;  // handed out, whether or not they were given back
    size_t largest = 0;
};

// Since the last reset.
Allocations allocations();
void reset_allocations();

}  // namespace cria::gguf::testing
