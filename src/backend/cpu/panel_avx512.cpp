// Many activation rows times 16 weight rows, for AVX-512 with VNNI. The rows are decoded once into a tile:
// for every four elements one register that holds those of all 16 rows, so that an activation is a broadcast
// and each output has a lane of its own.
#include "backend/cpu/halves_avx512.h"
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/rows_x86.h"
#include "backend/cpu/set_avx512.h"
#include "backend/cpu/transpose_avx512.h"

namespace cria::cpu {
namespace {

// The tile in scratch: bytes [row_length / 4][16 rows][4], then a and b of the groups [row_length / group][16
// rows].
struct Tile {
    uint8_t* u;
    float* a;
    float* b;
};

size_t tile_elements(int64_t row_length) {
    return static_cast<size_t>((row_length + kIntChunk - 1) / kIntChunk * kIntChunk);
}

Tile tile_in(std::byte* scratch, int64_t row_length, int group) {
    const size_t elements = tile_elements(row_length);
    auto* u = reinterpret_cast<uint8_t*>(scratch);
    auto* a = reinterpret_cast<float*>(scratch + elements * kPanelRows);
    return {.u = u, .a = a, .b = a + elements / static_cast<size_t>(group) * kPanelRows};
}

// One chunk of 16 rows, each as it was decoded; rows that were not set are zero.
struct Rows16 {
    __m512i u[4][16];
    __m512i a[16];
    __m512i b[16];
};

template <typename Rows>
void set_row(Rows16& rows, int row, const auto& chunk) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
        rows.u[j][row] = Avx512::joined<Rows::kIsSigned>(chunk.part(j));
    }
    Scales w;
    chunk.scales(w);
    set_offsets<Avx512, Rows>(w);
    auto* a = reinterpret_cast<float*>(&rows.a[row]);
    auto* b = reinterpret_cast<float*>(&rows.b[row]);
#pragma GCC unroll 2
    for (int half = 0; half < 32 / Rows::kGroup; ++half) {
        _mm256_store_ps(a + 8 * half, w.a[half]);
        _mm256_store_ps(b + 8 * half, w.b[half]);
    }
}

template <int kGroup>
void store_chunk(Rows16& rows, const Tile& tile, int64_t index) {
    constexpr int kGroups = kIntChunk / kGroup;
    uint8_t* u = tile.u + index * kIntChunk * kPanelRows;
#pragma GCC unroll 16
    for (int j = 0; j < 4; ++j) {
        transpose(rows.u[j]);
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) _mm512_store_si512(u + (j * 16 + i) * 64, rows.u[j][i]);
    }
    transpose(rows.a);
    transpose(rows.b);
    for (int g = 0; g < kGroups; ++g) {
        const int64_t at = (index * kGroups + g) * kPanelRows;
        _mm512_store_si512(tile.a + at, rows.a[g]);
        _mm512_store_si512(tile.b + at, rows.b[g]);
    }
}

template <typename Rows>
void fill_tile(const PanelTask& task, const Tile& tile) {
    const Rows weights(*task.type, task.weights, task.row_bytes);
    const int64_t n_chunks = task.x.row_length / kIntChunk;
    const int64_t tail = task.x.row_length % kIntChunk;
    Rows16 rows;
    std::memset(&rows, 0, sizeof rows);
    for (int64_t index = 0; index < n_chunks; ++index) {
        for (int row = 0; row < task.n_rows; ++row) set_row<Rows>(rows, row, weights.chunk(row, index));
        store_chunk<Rows::kGroup>(rows, tile, index);
        if (task.n_rows < kPanelRows) std::memset(&rows, 0, sizeof rows);
    }
    if (tail == 0) return;
    for (int row = 0; row < task.n_rows; ++row) set_row<Rows>(rows, row, weights.end(row, n_chunks, tail));
    store_chunk<Rows::kGroup>(rows, tile, n_chunks);
}

// Four elements to all lanes.
inline __m512i broadcast_4(const int8_t* q) {
    int32_t quad;
    std::memcpy(&quad, q, sizeof quad);
    return _mm512_set1_epi32(quad);
}

// kRows activation rows from `first` on times the tile. A group's registers are loaded once and used for all
// of them.
template <int kGroup, int kRows>
void multiply_tile(const PanelTask& task, const Tile& tile, int32_t first) {
    constexpr int kQuads = kGroup / 4;
    const Activations x = task.x.rows(first, kRows);
    const int64_t blocks = x.row_length / 32;
    const float* x_sums = kGroup == 32 ? x.scaled_sums : x.half_sums;
    const int64_t n_groups = x.row_length / kGroup;
    __m512 sums[kRows];
#pragma GCC unroll 16
    for (__m512& sum : sums) sum = _mm512_setzero_ps();
    for (int64_t g = 0; g < n_groups; ++g) {
        __m512i w[kQuads];
#pragma GCC unroll 16
        for (int i = 0; i < kQuads; ++i) w[i] = _mm512_load_si512(tile.u + (g * kQuads + i) * 64);
        int64_t place[kQuads / 4];
        for (int i = 0; i < kQuads / 4; ++i) place[i] = piece_place(x.row_length, g * kQuads / 4 + i);
        const __m512 a = _mm512_load_ps(tile.a + g * kPanelRows);
        const __m512 b = _mm512_load_ps(tile.b + g * kPanelRows);
#pragma GCC unroll 16
        for (int t = 0; t < kRows; ++t) {
            const int8_t* q = x.q + t * x.row_length;
            __m512i even = _mm512_setzero_si512();
            __m512i odd = _mm512_setzero_si512();
#pragma GCC unroll 16
            for (int i = 0; i < kQuads; i += 2) {
                even = _mm512_dpbusd_epi32(even, w[i], broadcast_4(q + place[i / 4] + i % 4 * 4));
                odd = _mm512_dpbusd_epi32(odd, w[i + 1], broadcast_4(q + place[i / 4] + i % 4 * 4 + 4));
            }
            const __m512 dots = _mm512_cvtepi32_ps(_mm512_add_epi32(even, odd));
            const __m512 factor = _mm512_mul_ps(a, _mm512_set1_ps(x.scales[t * blocks + g * kGroup / 32]));
            sums[t] = _mm512_fmadd_ps(dots, factor, sums[t]);
            sums[t] = _mm512_fmadd_ps(b, _mm512_set1_ps(x_sums[t * n_groups + g]), sums[t]);
        }
    }
    const auto mask = static_cast<__mmask16>((1u << task.n_rows) - 1);
#pragma GCC unroll 16
    for (int t = 0; t < kRows; ++t) {
        _mm512_mask_storeu_ps(task.out + (first + t) * task.out_stride, mask, sums[t]);
    }
}

template <typename Rows>
struct ManyRows {
    static void run(const PanelTask& task) {
        constexpr int kGroup = Rows::kGroup;
        const Tile tile = tile_in(task.scratch, task.x.row_length, kGroup);
        fill_tile<Rows>(task, tile);
        int32_t t = 0;
        for (; t + 16 <= task.x.n_rows; t += 16) multiply_tile<kGroup, 16>(task, tile, t);
        for (; t + 8 <= task.x.n_rows; t += 8) multiply_tile<kGroup, 8>(task, tile, t);
        for (; t + 4 <= task.x.n_rows; t += 4) multiply_tile<kGroup, 4>(task, tile, t);
        for (; t < task.x.n_rows; ++t) multiply_tile<kGroup, 1>(task, tile, t);
    }
};

}  // namespace

size_t quantized_panel_scratch_bytes_avx512(ElementType type, int64_t row_length) {
    const size_t group = int_decoder(type).group == 16 ? 16 : 32;
    return tile_elements(row_length) * kPanelRows * (group + 2 * sizeof(float)) / group;
}

void quantized_panel_avx512(const PanelTask& task) {
    quantized_kernel<Avx512, ManyRows>(task.type->type)(task);
}

}  // namespace cria::cpu
