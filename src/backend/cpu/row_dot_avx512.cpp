// Few activation rows times quantised rows, for AVX-512 with VNNI.
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/row_dot_x86.h"
#include "backend/cpu/set_avx512.h"

namespace cria::cpu {
namespace {

template <typename Rows>
struct FewRows {
    static void run(const RowDotTask& task) { multiply_rows<Avx512, Rows>(task); }
};

}  // namespace

RowDot quantized_row_dot_avx512(ElementType type) { return quantized_kernel<Avx512, FewRows>(type); }

}  // namespace cria::cpu
