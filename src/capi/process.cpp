// What concerns the whole process: start and end, clock, capabilities, system information.
#include <string>
#include <utility>

#include "capi/handles.h"

void llama_backend_init() {}

void llama_backend_free() {}

void llama_numa_init(ggml_numa_strategy numa) {
    if (numa != GGML_NUMA_STRATEGY_DISABLED) cria::capi::log_not_available("llama_numa_init");
}

int64_t llama_time_us() { return ggml_time_us(); }

size_t llama_max_devices() { return 1; }

bool llama_supports_mmap() { return true; }

bool llama_supports_mlock() { return true; }

bool llama_supports_gpu_offload() { return false; }

const char* llama_print_system_info() {
    return cria::capi::guard<const char*>("llama_print_system_info", "", [] {
        static const std::string text = [] {
            const std::pair<const char*, int> features[] = {
                {"AVX", ggml_cpu_has_avx()},
                {"AVX_VNNI", ggml_cpu_has_avx_vnni()},
                {"AVX2", ggml_cpu_has_avx2()},
                {"AVX512", ggml_cpu_has_avx512()},
                {"AVX512_VBMI", ggml_cpu_has_avx512_vbmi()},
                {"AVX512_VNNI", ggml_cpu_has_avx512_vnni()},
                {"AVX512_BF16", ggml_cpu_has_avx512_bf16()},
                {"AMX_INT8", ggml_cpu_has_amx_int8()},
                {"FMA", ggml_cpu_has_fma()},
                {"F16C", ggml_cpu_has_f16c()},
                {"NEON", ggml_cpu_has_neon()},
                {"SVE", ggml_cpu_has_sve()},
            };
            std::string line;
            for (const auto& [name, value] : features) {
                line += std::string(name) + " = " + (value != 0 ? "1" : "0") + " | ";
            }
            return line;
        }();
        return text.c_str();
    });
}
