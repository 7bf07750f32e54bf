// Products read nothing past the last weight row: the weights end where memory that cannot be read begins.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "backend/cpu/matmul.h"
#include "backend/weights.h"
#include "base/aligned_buffer.h"

namespace cria::cpu {
namespace {

// A copy of some bytes whose end is the end of readable memory.
class GuardedCopy {
  public:
    explicit GuardedCopy(const std::vector<std::byte>& bytes) {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const size_t readable = (bytes.size() + page - 1) / page * page;
        size_ = readable + page;
        base_ = static_cast<std::byte*>(
            mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (base_ == MAP_FAILED) throw std::bad_alloc();
        mprotect(base_ + readable, page, PROT_NONE);
        data_ = base_ + readable - bytes.size();
        std::memcpy(data_, bytes.data(), bytes.size());
    }
    GuardedCopy(const GuardedCopy&) = delete;
    GuardedCopy& operator=(const GuardedCopy&) = delete;
    ~GuardedCopy() { munmap(base_, size_); }
    const std::byte* data() const { return data_; }

  private:
    std::byte* base_ = nullptr;
    std::byte* data_ = nullptr;
    size_t size_ = 0;
};

void multiply_both_ways(const MatmulKernels& kernels, const TypeInfo& type, int64_t width,
                        std::mt19937& random) {
    constexpr int64_t kRows = 16;
    const testing::WeightRows w = testing::random_weights(type, kRows, width, random);
    const GuardedCopy weights(w.bytes);
    const AlignedBuffer q(width);
    std::vector<float> values(width, 1.0f), scales(width / 32 + 1), sums(width / 32 + 1),
        halves(width / 16 + 1), out(kRows);
    if (width % kActivationBlock == 0) {
        kernels.quantize_row(values.data(), width, q.as<int8_t>(), scales.data(), sums.data(), halves.data());
    }
    const Activations x{.values = values.data(),
                        .stride = width,
                        .row_length = width,
                        .n_rows = 1,
                        .q = q.as<int8_t>(),
                        .scales = scales.data(),
                        .scaled_sums = sums.data(),
                        .half_sums = halves.data()};
    kernels.row_dot(type.type)({.type = &type,
                                .weights = weights.data(),
                                .row_bytes = w.row_bytes(),
                                .n_rows = kRows,
                                .x = x,
                                .out = out.data(),
                                .out_stride = kRows});
    const AlignedBuffer scratch(kernels.panel_scratch_bytes(type.type, width));
    kernels.panel_product({.type = &type,
                           .weights = weights.data(),
                           .row_bytes = w.row_bytes(),
                           .n_rows = kRows,
                           .x = x,
                           .out = out.data(),
                           .out_stride = kRows,
                           .scratch = scratch.data()});
}

TEST(MatmulBounds, NothingIsReadPastTheLastRow) {
    std::mt19937 random(6);
    for (const Isa isa : known_isas()) {
        if (!is_supported(isa)) continue;
        for (const TypeInfo* type : testing::weight_types()) {
            const int64_t block = type->block_elements == 1 ? 2 : type->block_elements;
            SCOPED_TRACE(std::string(isa_name(isa)) + " " + std::string(type->name));
            multiply_both_ways(matmul_kernels(isa), *type, block, random);
            multiply_both_ways(matmul_kernels(isa), *type, 256 + block % 256, random);
        }
    }
}

}  // namespace
}  // namespace cria::cpu
