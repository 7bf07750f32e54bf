// Few activation rows times quantised rows, for AVX2.
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/row_dot_x86.h"
#include "backend/cpu/set_avx2.h"

namespace cria::cpu {
namespace {

template <typename Rows>
struct FewRows {
    static void run(const RowDotTask& task) { multiply_rows<Avx2, Rows>(task); }
};

}  // namespace

RowDot quantized_row_dot_avx2(ElementType type) { return quantized_kernel<Avx2, FewRows>(type); }

}  // namespace cria::cpu
