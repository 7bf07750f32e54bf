// Many activation rows: GMAC/s of one core. bench_panel [isa] [type ...]; all types by default.
#include "backend/cpu/isa.h"
#include "matmul_bench.h"

using namespace cria;

namespace {

constexpr int64_t kRowLength = 4096;
constexpr int64_t kWeightRows = 256;

void multiply(const cpu::MatmulKernels& kernels, cpu::PanelTask task, int64_t n_rows) {
    const std::byte* weights = task.weights;
    float* out = task.out;
    for (int64_t row = 0; row < n_rows; row += cpu::kPanelRows) {
        task.weights = weights + row * task.row_bytes;
        task.out = out + row;
        kernels.panel_product(task);
    }
}

void measure(const cpu::MatmulKernels& kernels, const TypeInfo& type) {
    std::mt19937 random(1);
    const AlignedBuffer matrix = bench::large_matrix(type, kWeightRows, kRowLength, random);
    AlignedBuffer scratch(kernels.panel_scratch_bytes(type.type, kRowLength));
    std::printf("%-10s", std::string(type.name).c_str());
    for (int32_t rows : {8, 32, 128, 512}) {
        const std::vector<float> values = bench::random_values(rows * kRowLength, random);
        const bench::BenchActivations activations(kernels, values, kRowLength);
        std::vector<float> out(rows * kWeightRows), expected(out.size());
        cpu::PanelTask task{.type = &type,
                            .weights = matrix.data(),
                            .row_bytes = row_bytes(type, kRowLength),
                            .n_rows = cpu::kPanelRows,
                            .x = activations.x,
                            .out = out.data(),
                            .out_stride = kWeightRows,
                            .scratch = scratch.data()};
        double best = 1e9;
        const int turns = rows >= 128 ? 3 : 8;
        for (int turn = 0; turn < turns; ++turn) {
            best = std::min(best, bench::seconds_of([&] { multiply(kernels, task, kWeightRows); }));
        }
        if (rows == 8) {
            const cpu::MatmulKernels& definition = cpu::matmul_kernels(cpu::Isa::scalar);
            const bench::BenchActivations scalar(definition, values, kRowLength);
            task.out = expected.data();
            task.x = scalar.x;
            multiply(definition, task, kWeightRows);
            if (!(bench::relative_difference(out, expected) < 1e-4)) {
                std::printf("  WRONG\n");
                return;
            }
        }
        std::printf("  %3d: %6.1f GMAC/s", rows, 1e-9 * rows * kWeightRows * kRowLength / best);
        std::fflush(stdout);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    cpu::Isa isa = cpu::choose_isa();
    for (const cpu::Isa known : cpu::known_isas()) {
        if (argc > 1 && cpu::isa_name(known) == argv[1]) isa = known;
    }
    const cpu::MatmulKernels& kernels = cpu::matmul_kernels(isa);
    std::printf("panel, %s, one thread, %lld columns\n", std::string(cpu::isa_name(kernels.isa)).c_str(),
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
