// Few activation rows: GB/s of weights read by one core, beside the speed of a plain sum over the same bytes,
// measured in turns. bench_row_dot [isa] [type ...]; all types by default.
#include <algorithm>
#include <cstring>

#include "backend/cpu/isa.h"
#include "matmul_bench.h"

using namespace cria;

namespace {

constexpr int64_t kRowLength = 4096;
constexpr size_t kMatrixBytes = size_t(160) << 20;
constexpr int kSlices = 20;
constexpr int kTurns = 3 * kSlices;

double upper_quartile(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + values.size() * 3 / 4);
    return values[values.size() * 3 / 4];
}

// Eight independent sums: limited by memory alone.
uint64_t sum_bytes(const std::byte* bytes, size_t n_bytes) {
    uint64_t sums[8] = {};
    const auto* words = reinterpret_cast<const uint64_t*>(bytes);
    for (size_t i = 0; i + 8 <= n_bytes / 8; i += 8) {
        for (int j = 0; j < 8; ++j) sums[j] += words[i + j];
    }
    uint64_t sum = 0;
    for (uint64_t one : sums) sum += one;
    return sum;
}

bool is_right(const cpu::RowDotTask& task, cpu::RowDot row_dot, const cpu::Activations& scalar_x) {
    cpu::RowDotTask some = task;
    some.n_rows = 64;
    some.out_stride = 64;
    std::vector<float> out(64 * task.x.n_rows), expected(out.size());
    some.out = out.data();
    row_dot(some);
    some.out = expected.data();
    some.x = scalar_x;
    cpu::matmul_kernels(cpu::Isa::scalar).row_dot(task.type->type)(some);
    return bench::relative_difference(out, expected) < 1e-4;
}

void measure(const cpu::MatmulKernels& kernels, const TypeInfo& type) {
    std::mt19937 random(1);
    const int64_t row_bytes = cria::row_bytes(type, kRowLength);
    const int64_t n_rows = std::max<int64_t>(1, static_cast<int64_t>(kMatrixBytes) / row_bytes / 64) * 64;
    const AlignedBuffer matrix = bench::large_matrix(type, n_rows, kRowLength, random);
    std::vector<float> out(8 * n_rows);
    std::printf("%-10s", std::string(type.name).c_str());
    for (int32_t rows : {1, 2, 4, 8}) {
        const std::vector<float> values = bench::random_values(rows * kRowLength, random);
        const bench::BenchActivations activations(kernels, values, kRowLength);
        const bench::BenchActivations scalar(cpu::matmul_kernels(cpu::Isa::scalar), values, kRowLength);
        const cpu::RowDot row_dot = kernels.row_dot(type.type);
        const cpu::RowDotTask task{.type = &type,
                                   .weights = matrix.data(),
                                   .row_bytes = row_bytes,
                                   .n_rows = n_rows,
                                   .x = activations.x,
                                   .out = out.data(),
                                   .out_stride = n_rows};
        if (!is_right(task, row_dot, scalar.x)) {
            std::printf("  WRONG with %d rows\n", rows);
            return;
        }
        std::vector<double> limits, speeds;
        volatile uint64_t sink = 0;
        cpu::RowDotTask slice = task;
        slice.n_rows = n_rows / kSlices / 16 * 16;
        const auto slice_bytes = static_cast<size_t>(slice.n_rows * row_bytes);
        for (int turn = 0; turn < kTurns; ++turn) {
            slice.weights = matrix.data() + static_cast<size_t>(turn % kSlices) * slice_bytes;
            const double ours = bench::seconds_of([&] { row_dot(slice); });
            slice.weights = matrix.data() + static_cast<size_t>((turn + kSlices / 2) % kSlices) * slice_bytes;
            const double plain =
                bench::seconds_of([&] { sink = sink + sum_bytes(slice.weights, slice_bytes); });
            limits.push_back(static_cast<double>(slice_bytes) / plain / 1e9);
            speeds.push_back(static_cast<double>(slice_bytes) / ours / 1e9);
        }
        const double speed = upper_quartile(speeds);
        const double limit = upper_quartile(limits);
        std::printf("  %d: %5.1f GB/s (%3.0f%%) %5.1f GMAC/s", rows, speed, 100 * speed / limit,
                    speed * static_cast<double>(kRowLength) / static_cast<double>(row_bytes) * rows);
        if (rows == 8) std::printf("   limit %.1f GB/s\n", limit);
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
    cpu::Isa isa = cpu::choose_isa();
    for (const cpu::Isa known : cpu::known_isas()) {
        if (argc > 1 && cpu::isa_name(known) == argv[1]) isa = known;
    }
    const cpu::MatmulKernels& kernels = cpu::matmul_kernels(isa);
    std::printf("row_dot, %s, one thread, %lld columns\n", std::string(cpu::isa_name(kernels.isa)).c_str(),
                static_cast<long long>(kRowLength));
    if (argc > 2) {
        for (int i = 2; i < argc; ++i) {
            if (const TypeInfo* type = find_type(std::string_view(argv[i]))) measure(kernels, *type);
        }
        return 0;
    }
    for (const TypeInfo* type : testing::weight_types()) measure(kernels, *type);
    return 0;
}
