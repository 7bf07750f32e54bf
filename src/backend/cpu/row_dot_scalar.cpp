// Definition of matrix products, in plain loops: what every other set is compared with. Sums are in double,
// so that a difference to it is the other's error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "backend/cpu/int_decoder.h"
#include "backend/cpu/matmul_sets.h"
#include "base/error.h"
#include "base/half.h"

namespace cria::cpu {
namespace {

// Interleaved floats are decoded for a whole group of rows at once.
constexpr int32_t kMaxFloatGroup = 16;

using FloatChunk = std::array<float, kMaxFloatGroup * kIntChunk>;

// Elements [first, first + count) of the rows of one group, as [group_rows][count] floats.
void decode_float_chunk(const TypeInfo& type, const std::byte* rows, int64_t first, int64_t count,
                        float* out) {
    const std::byte* from = rows + first / type.block_elements * type.block_bytes * type.group_rows;
    if (type.type == ElementType::f32) {
        std::memcpy(out, from, static_cast<size_t>(count) * sizeof(float));
        return;
    }
    if (type.type == ElementType::f16 || type.type == ElementType::bf16) {
        for (int64_t i = 0; i < count; ++i) {
            uint16_t bits;
            std::memcpy(&bits, from + i * 2, sizeof bits);
            out[i] = type.type == ElementType::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
        }
        return;
    }
    CRIA_BUG_UNLESS(type.decode != nullptr && type.row_header_bytes == 0 &&
                    type.group_rows <= kMaxFloatGroup);
    type.decode(from, out, type.group_rows, count);
}

void float_group_dot(const RowDotTask& task, int64_t first_row) {
    const TypeInfo& type = *task.type;
    const Activations& x = task.x;
    FloatChunk chunk;
    std::array<std::array<double, kMaxFloatGroup>, kMaxFewRows> sums{};
    for (int64_t first = 0; first < x.row_length; first += kIntChunk) {
        const int64_t count = std::min(kIntChunk, x.row_length - first);
        decode_float_chunk(type, task.weights + first_row * task.row_bytes, first, count, chunk.data());
        for (int32_t t = 0; t < x.n_rows; ++t) {
            const float* values = x.values + t * x.stride + first;
            for (int32_t k = 0; k < type.group_rows; ++k) {
                for (int64_t i = 0; i < count; ++i) {
                    sums[t][k] += static_cast<double>(chunk[k * count + i]) * values[i];
                }
            }
        }
    }
    for (int32_t t = 0; t < x.n_rows; ++t) {
        for (int32_t k = 0; k < type.group_rows; ++k) {
            task.out[t * task.out_stride + first_row + k] = static_cast<float>(sums[t][k]);
        }
    }
}

struct IntChunk {
    std::array<int8_t, kIntChunk> q;
    std::array<float, kIntChunk / 16> scales;
    std::array<float, kIntChunk / 16> offsets;
};

// Product of one chunk of weights, starting at element `first`, with activation row t.
double int_chunk_dot(const IntChunk& w, const IntDecoder& decoder, const Activations& x, int32_t t,
                     int64_t first, int64_t count) {
    const int8_t* q = x.q + t * x.row_length + first;
    const float* x_scales = x.scales + (t * x.row_length + first) / kActivationBlock;
    double sum = 0.0;
    for (int64_t g = 0; g < count / decoder.group; ++g) {
        int32_t products = 0;
        int32_t x_sum = 0;
        for (int64_t i = g * decoder.group; i < (g + 1) * decoder.group; ++i) {
            products += int32_t(w.q[i]) * q[i];
            x_sum += q[i];
        }
        const double x_scale = x_scales[g * decoder.group / kActivationBlock];
        sum += w.scales[g] * x_scale * products;
        if (decoder.has_offset) sum += w.offsets[g] * x_scale * x_sum;
    }
    return sum;
}

void int_row_dot(const RowDotTask& task, const IntDecoder& decoder, int64_t row) {
    const TypeInfo& type = *task.type;
    const Activations& x = task.x;
    const auto k = static_cast<int32_t>(row % type.group_rows);
    IntChunk chunk;
    std::array<double, kMaxFewRows> sums{};
    for (int64_t first = 0; first < x.row_length; first += kIntChunk) {
        const int64_t count = std::min(kIntChunk, x.row_length - first);
        decode_ints(
            type, decoder,
            {.rows = task.weights + (row - k) * task.row_bytes, .k = k, .first = first, .count = count},
            {.q = chunk.q.data(), .scales = chunk.scales.data(), .offsets = chunk.offsets.data()});
        for (int32_t t = 0; t < x.n_rows; ++t) sums[t] += int_chunk_dot(chunk, decoder, x, t, first, count);
    }
    for (int32_t t = 0; t < x.n_rows; ++t) task.out[t * task.out_stride + row] = static_cast<float>(sums[t]);
}

RowDot scalar_row_dot(ElementType type) {
    check_weight_type(type);
    return row_dot_scalar;
}

int64_t in_order(int64_t, int64_t element) { return element; }
size_t no_scratch(ElementType, int64_t) { return 0; }

}  // namespace

void quantize_row_scalar(const float* x, int64_t row_length, int8_t* q, float* scales, float* scaled_sums,
                         float* half_sums) {
    for (int64_t b = 0; b < row_length / kActivationBlock; ++b) {
        const float* block = x + b * kActivationBlock;
        float largest = 0.0f;
        bool is_finite = true;
        for (int i = 0; i < kActivationBlock; ++i) {
            is_finite = is_finite && std::isfinite(block[i]);
            largest = std::max(largest, std::fabs(block[i]));
        }
        const bool is_zero = !is_finite || largest < kActivationFloor;
        const float inverse = is_zero ? 0.0f : 127.0f / largest;
        const float scale = !is_finite ? std::nanf("") : is_zero ? 0.0f : largest / 127.0f;
        int32_t sums[2] = {0, 0};
        for (int i = 0; i < kActivationBlock; ++i) {
            const auto rounded = static_cast<int8_t>(is_zero ? 0 : std::lrintf(block[i] * inverse));
            q[b * kActivationBlock + i] = rounded;
            sums[i / 16] += rounded;
        }
        scales[b] = scale;
        scaled_sums[b] = scale * static_cast<float>(sums[0] + sums[1]);
        half_sums[2 * b] = scale * static_cast<float>(sums[0]);
        half_sums[2 * b + 1] = scale * static_cast<float>(sums[1]);
    }
}

void row_dot_scalar(const RowDotTask& task) {
    const TypeInfo& type = *task.type;
    CRIA_BUG_UNLESS(task.x.n_rows >= 1 && task.x.n_rows <= kMaxFewRows && task.n_rows % type.group_rows == 0);
    if (type.is_quantized) {
        const IntDecoder decoder = int_decoder(type.type);
        CRIA_BUG_UNLESS(decoder.decode_block != nullptr && task.x.q != nullptr);
        for (int64_t row = 0; row < task.n_rows; ++row) int_row_dot(task, decoder, row);
    } else {
        for (int64_t row = 0; row < task.n_rows; row += type.group_rows) float_group_dot(task, row);
    }
}

void panel_product_scalar(const PanelTask& task) {
    for (int32_t t = 0; t < task.x.n_rows; t += kMaxFewRows) {
        row_dot_scalar({.type = task.type,
                        .weights = task.weights,
                        .row_bytes = task.row_bytes,
                        .n_rows = task.n_rows,
                        .x = task.x.rows(t, std::min(kMaxFewRows, task.x.n_rows - t)),
                        .out = task.out + t * task.out_stride,
                        .out_stride = task.out_stride});
    }
}

const MatmulKernels& scalar_matmul_kernels() {
    static constexpr MatmulKernels kKernels{.isa = Isa::scalar,
                                            .q_place = in_order,
                                            .quantize_row = quantize_row_scalar,
                                            .row_dot = scalar_row_dot,
                                            .panel_product = panel_product_scalar,
                                            .panel_scratch_bytes = no_scratch};
    return kKernels;
}

}  // namespace cria::cpu
