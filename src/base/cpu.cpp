// Processor features by CPUID, topology and memory by what Linux says in /proc and /sys.
#include "base/cpu.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cria {
namespace {

#if defined(__x86_64__)

uint64_t enabled_register_states() {
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t(high) << 32) | low;
}

CpuFeatures read_features() {
    CpuFeatures f;
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return f;
    const auto bit = [](uint32_t word, int n) { return ((word >> n) & 1) != 0; };
    if (!bit(c, 27)) return f;  // no OSXSAVE: wide registers are not saved
    const bool has_fma = bit(c, 12) && bit(c, 29);
    const uint64_t states = enabled_register_states();
    const bool ymm = (states & 0x6) == 0x6;
    const bool zmm = (states & 0xe6) == 0xe6;
    const bool tiles = (states & 0x60000) == 0x60000;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return f;
    f.avx2 = ymm && has_fma && bit(b, 5) && bit(b, 8);
    f.avx512 = zmm && f.avx2 && bit(b, 16) && bit(b, 17) && bit(b, 30) && bit(b, 31);
    f.avx512_vnni = f.avx512 && bit(c, 11);
    f.avx512_vbmi = f.avx512 && bit(c, 1);
    f.amx_int8 = tiles && f.avx512 && bit(d, 24) && bit(d, 25);
    f.amx_bf16 = tiles && f.avx512 && bit(d, 24) && bit(d, 22);
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
        f.avx_vnni = f.avx2 && bit(a, 4);
        f.avx512_bf16 = f.avx512 && bit(a, 5);
    }
    return f;
}

#else

CpuFeatures read_features() { return {}; }

#endif

// First value of "KEY : VALUE" or "KEY VALUE" lines.
std::string value_in(const char* path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const size_t colon = line.find(':');
        const size_t start =
            line.find_first_not_of(" \t", colon == std::string::npos ? key.size() : colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return "";
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

size_t size_with_suffix(const std::string& text) {
    if (text.empty() || text[0] < '0' || text[0] > '9') return 0;
    const size_t number = std::stoull(text);
    if (text.back() == 'K') return number * 1024;
    if (text.back() == 'M') return number * 1024 * 1024;
    return number;
}

// Cores a cgroup (version 2 or 1) lets us use, rounded up; a large number without a limit.
int cgroup_core_limit() {
    constexpr int kNoLimit = 1 << 20;
    const std::string v2 = first_line("/sys/fs/cgroup/cpu.max");
    double quota = 0;
    double period = 0;
    if (!v2.empty() && v2[0] != 'm') {
        const size_t space = v2.find(' ');
        if (space == std::string::npos) return kNoLimit;
        quota = static_cast<double>(size_with_suffix(v2.substr(0, space)));
        period = static_cast<double>(size_with_suffix(v2.substr(space + 1)));
    } else if (v2.empty()) {
        quota = static_cast<double>(size_with_suffix(first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")));
        period = static_cast<double>(size_with_suffix(first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us")));
    }
    if (quota <= 0 || period <= 0) return kNoLimit;
    return std::max(1, static_cast<int>((quota + period - 1) / period));
}

int read_default_thread_count() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }
    std::set<std::string> cores;  // hyper-threads of one core name the same siblings
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        const std::string siblings = first_line("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                                                "/topology/thread_siblings_list");
        cores.insert(siblings.empty() ? std::to_string(cpu) : siblings);
    }
    return std::max(1, std::min(static_cast<int>(cores.size()), cgroup_core_limit()));
}

std::string read_cpu_name() {
    const std::string name = value_in("/proc/cpuinfo", "model name");
    return name.empty() ? "unknown processor" : name;
}

}  // namespace

const CpuFeatures& cpu_features() {
    static const CpuFeatures features = read_features();
    return features;
}

const std::string& cpu_name() {
    static const std::string name = read_cpu_name();
    return name;
}

int default_thread_count() {
    static const int count = read_default_thread_count();
    return count;
}

MemorySize memory_size() {
    MemorySize size;
    const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    size.total_bytes = static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * page;
    size.available_bytes = size_with_suffix(value_in("/proc/meminfo", "MemAvailable")) * 1024;
    return size;
}

size_t peak_resident_bytes() {
    struct rusage usage {};
    if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace cria
