// The functions of ggml.h, on Cria's element types.
#include "ggml.h"

#include <chrono>

#include "base/checked.h"
#include "base/cpu.h"
#include "base/half.h"
#include "capi/handles.h"
#include "quant/types.h"

namespace {

constexpr const char* kUnknown = "unknown";

// The numbers of ggml_type and ElementType are the same; run-time types have no TypeInfo.
const cria::TypeInfo* info_of(const ggml_type& type) { return cria::find_type(cria::capi::raw_value(type)); }

// Bytes of a row with its header; 0 when there can be no such row or its size does not fit.
size_t row_size(const cria::TypeInfo& type, int64_t ne) {
    if (ne < 0 || ne % type.block_elements != 0) return 0;
    const auto blocks_bytes = cria::checked_mul<uint64_t>(static_cast<uint64_t>(ne / type.block_elements),
                                                          static_cast<uint64_t>(type.block_bytes));
    if (!blocks_bytes) return 0;
    return cria::checked_add<uint64_t>(*blocks_bytes, static_cast<uint64_t>(type.row_header_bytes))
        .value_or(0);
}

// Product of ne[first], ... ; 0 when a dimension is negative or the product does not fit.
int64_t product(const ggml_tensor* tensor, int first) {
    if (tensor == nullptr) return 0;
    int64_t result = 1;
    for (int i = first; i < GGML_MAX_DIMS; ++i) {
        const auto next = cria::checked_mul(result, tensor->ne[i]);
        if (!next || *next < 0) return 0;
        result = *next;
    }
    return result;
}

// True when the strides are those of a tensor without gaps.
bool is_dense(const ggml_tensor& tensor, const cria::TypeInfo& type) {
    if (tensor.nb[0] != static_cast<size_t>(type.block_bytes)) return false;
    uint64_t expected = row_size(type, tensor.ne[0]);
    for (int i = 1; i < GGML_MAX_DIMS; ++i) {
        if (tensor.nb[i] != expected && tensor.ne[i] != 1) return false;
        const auto next = cria::checked_mul(expected, static_cast<uint64_t>(tensor.ne[i]));
        if (!next) return false;
        expected = *next;
    }
    return true;
}

// Distance from the first to one past the last byte of a view with gaps; nothing when it does not fit.
std::optional<uint64_t> strided_bytes(const ggml_tensor& tensor, const cria::TypeInfo& type) {
    std::optional<uint64_t> end = row_size(type, tensor.ne[0]);
    if (type.block_elements == 1) {
        end = cria::checked_mul<uint64_t>(static_cast<uint64_t>(tensor.ne[0] - 1), tensor.nb[0]);
        if (end) end = cria::checked_add<uint64_t>(*end, static_cast<uint64_t>(type.block_bytes));
    }
    for (int i = 1; end && i < GGML_MAX_DIMS; ++i) {
        const auto step = cria::checked_mul<uint64_t>(static_cast<uint64_t>(tensor.ne[i] - 1), tensor.nb[i]);
        end = step ? cria::checked_add(*end, *step) : std::nullopt;
    }
    return end;
}

}  // namespace

int64_t ggml_nelements(const ggml_tensor* tensor) { return product(tensor, 0); }

int64_t ggml_nrows(const ggml_tensor* tensor) { return product(tensor, 1); }

size_t ggml_nbytes(const ggml_tensor* tensor) {
    if (product(tensor, 0) == 0) return 0;
    const cria::TypeInfo* type = info_of(tensor->type);
    if (type == nullptr) return 0;
    if (is_dense(*tensor, *type)) {
        return cria::tensor_bytes(*type, static_cast<uint64_t>(tensor->ne[0]),
                                  static_cast<uint64_t>(product(tensor, 1)))
            .value_or(0);
    }
    return strided_bytes(*tensor, *type).value_or(0);
}

int ggml_n_dims(const ggml_tensor* tensor) {
    int n_dims = GGML_MAX_DIMS;
    while (tensor != nullptr && n_dims > 1 && tensor->ne[n_dims - 1] == 1) --n_dims;
    return tensor != nullptr ? n_dims : 0;
}

const char* ggml_type_name(ggml_type type) {
    const cria::TypeInfo* info = info_of(type);
    return info != nullptr ? info->name.data() : kUnknown;  // names are literals, which end in a zero
}

int64_t ggml_blck_size(ggml_type type) {
    const cria::TypeInfo* info = info_of(type);
    return info != nullptr ? info->block_elements : 0;
}

size_t ggml_type_size(ggml_type type) {
    const cria::TypeInfo* info = info_of(type);
    return info != nullptr ? static_cast<size_t>(info->block_bytes) : 0;
}

size_t ggml_row_size(ggml_type type, int64_t ne) {
    const cria::TypeInfo* info = info_of(type);
    return info != nullptr ? row_size(*info, ne) : 0;
}

bool ggml_is_quantized(ggml_type type) {
    const cria::TypeInfo* info = info_of(type);
    return info != nullptr && info->is_quantized;
}

float ggml_fp16_to_fp32(ggml_fp16_t x) { return cria::f16_to_f32(x); }

ggml_fp16_t ggml_fp32_to_fp16(float x) { return cria::f32_to_f16(x); }

void ggml_fp16_to_fp32_row(const ggml_fp16_t* x, float* y, int64_t n) {
    if (x == nullptr || y == nullptr) return;
    for (int64_t i = 0; i < n; ++i) y[i] = cria::f16_to_f32(x[i]);
}

void ggml_fp32_to_fp16_row(const float* x, ggml_fp16_t* y, int64_t n) {
    if (x == nullptr || y == nullptr) return;
    for (int64_t i = 0; i < n; ++i) y[i] = cria::f32_to_f16(x[i]);
}

void ggml_time_init() {}

int64_t ggml_time_ms() { return ggml_time_us() / 1000; }

int64_t ggml_time_us() {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since_start).count();
}

// Cria's smallest table above portable code is the one for AVX2 with FMA and F16C; the older sets count with
// it.
int ggml_cpu_has_sse3() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_ssse3() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_avx() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_avx_vnni() { return cria::cpu_features().avx_vnni ? 1 : 0; }
int ggml_cpu_has_avx2() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_fma() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_f16c() { return cria::cpu_features().avx2 ? 1 : 0; }
int ggml_cpu_has_avx512() { return cria::cpu_features().avx512 ? 1 : 0; }
int ggml_cpu_has_avx512_vbmi() { return cria::cpu_features().avx512_vbmi ? 1 : 0; }
int ggml_cpu_has_avx512_vnni() { return cria::cpu_features().avx512_vnni ? 1 : 0; }
int ggml_cpu_has_avx512_bf16() { return cria::cpu_features().avx512_bf16 ? 1 : 0; }
int ggml_cpu_has_amx_int8() { return cria::cpu_features().amx_int8 ? 1 : 0; }

// No code for these yet.
int ggml_cpu_has_neon() { return 0; }
int ggml_cpu_has_arm_fma() { return 0; }
int ggml_cpu_has_fp16_va() { return 0; }
int ggml_cpu_has_sve() { return 0; }
int ggml_cpu_has_matmul_int8() { return 0; }
int ggml_cpu_has_wasm_simd() { return 0; }
int ggml_cpu_has_vsx() { return 0; }
int ggml_cpu_has_blas() { return 0; }
int ggml_cpu_has_cuda() { return 0; }
int ggml_cpu_has_vulkan() { return 0; }
int ggml_cpu_has_sycl() { return 0; }
int ggml_cpu_has_metal() { return 0; }
int ggml_cpu_has_rpc() { return 0; }
