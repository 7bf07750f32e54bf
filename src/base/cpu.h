// What this processor can do, and how many threads are sensible. Read once at first use; thread-safe.
#pragma once

#include <cstddef>
#include <string>

namespace cria {

// Instruction-set features that some kernel table needs. Each is true only when the operating system saves
// its registers too.
struct CpuFeatures {
    bool avx2 = false;  // with FMA, F16C and BMI2
    bool avx_vnni = false;
    bool avx512 = false;  // F, BW, DQ, VL
    bool avx512_vnni = false;
    bool avx512_bf16 = false;
    bool avx512_vbmi = false;
    bool amx_int8 = false;
    bool amx_bf16 = false;
};

const CpuFeatures& cpu_features();

// Marketing name, for people: "AMD EPYC 9R14".
const std::string& cpu_name();

// Threads to use when nobody says otherwise: physical cores this process may run on (affinity and cgroup
// quota), at least 1.
int default_thread_count();

// Physical memory in bytes: all of it, and what the system thinks can be had without swapping (0 when
// unknown).
struct MemorySize {
    size_t total_bytes = 0;
    size_t available_bytes = 0;
};
MemorySize memory_size();

// Largest resident set of this process so far, in bytes (0 when unknown).
size_t peak_resident_bytes();

}  // namespace cria
