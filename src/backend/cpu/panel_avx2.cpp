// Many activation rows times 16 weight rows, for AVX2. The rows are decoded once into a tile: for every four
// elements two registers that hold those of eight rows each, so that an activation is a broadcast and each
// output has a lane of its own.
#include "backend/cpu/lanes_avx2.h"
#include "backend/cpu/matmul_sets.h"
#include "backend/cpu/rows_x86.h"
#include "backend/cpu/set_avx2.h"

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

// Eight rows' chunks, from row `first` on, to their half of the tile. Rows that are not there are zero.
template <int kGroup>
void store_chunks(const auto& chunk_of, int n_rows, const Tile& tile, int64_t index, int first) {
    constexpr int kGroups = kIntChunk / kGroup;
    uint8_t* u = tile.u + index * kIntChunk * kPanelRows + 4 * first;
    for (int j = 0; j < 4; ++j) {
        __m256i low[8], high[8];
        for (int row = 0; row < 8; ++row) {
            const Part part =
                row < n_rows ? chunk_of(row).part(j) : Part{{_mm256_setzero_si256(), _mm256_setzero_si256()}};
            low[row] = part.u[0];
            high[row] = part.u[1];
        }
        transpose(low);
        transpose(high);
        for (int i = 0; i < 8; ++i) {
            _mm256_store_si256(reinterpret_cast<__m256i*>(u + (16 * j + i) * 64), low[i]);
            _mm256_store_si256(reinterpret_cast<__m256i*>(u + (16 * j + 8 + i) * 64), high[i]);
        }
    }
    for (int row = 0; row < 8; ++row) {
        Scales scales{};
        if (row < n_rows) chunk_of(row).scales(scales);
        alignas(32) float a[16], b[16];
        for (int half = 0; half < kGroups / 8; ++half) {
            _mm256_store_ps(a + 8 * half, scales.a[half]);
            _mm256_store_ps(b + 8 * half, scales.b[half]);
        }
        for (int g = 0; g < kGroups; ++g) {
            const int64_t at = (index * kGroups + g) * kPanelRows + first + row;
            tile.a[at] = a[g];
            tile.b[at] = b[g];
        }
    }
}

template <typename Rows>
void fill_tile(const PanelTask& task, const Tile& tile) {
    const Rows weights(*task.type, task.weights, task.row_bytes);
    const int64_t n_chunks = task.x.row_length / kIntChunk;
    const int64_t tail = task.x.row_length % kIntChunk;
    for (int first = 0; first < kPanelRows; first += 8) {
        const int n_rows = task.n_rows - first;
        for (int64_t index = 0; index < n_chunks; ++index) {
            store_chunks<Rows::kGroup>([&](int row) { return weights.chunk(first + row, index); }, n_rows,
                                       tile, index, first);
        }
        if (tail == 0) continue;
        store_chunks<Rows::kGroup>([&](int row) { return weights.end(first + row, n_chunks, tail); }, n_rows,
                                   tile, n_chunks, first);
    }
}

// Four products each of eight rows in 16 bits; with signed weights the signs go to the activations.
template <bool kIsSigned>
inline __m256i dot_4(__m256i w, __m256i x) {
    if constexpr (kIsSigned) return _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
    return _mm256_maddubs_epi16(w, x);
}

inline __m256i broadcast_4(const int8_t* q) {
    int32_t quad;
    std::memcpy(&quad, q, sizeof quad);
    return _mm256_set1_epi32(quad);
}

// One group of the tile times kRows activation rows: their integer products, eight rows in each half.
template <typename Rows, int kRows>
inline void multiply_group(const uint8_t* u, const int8_t* q, int64_t stride, __m256i (&dots)[kRows][2]) {
    constexpr int kQuads = Rows::kGroup / 4;
    constexpr int kSpan = Rows::kQuadsPerSum < kQuads ? Rows::kQuadsPerSum : kQuads;
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 4
    for (int t = 0; t < kRows; ++t) dots[t][0] = dots[t][1] = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int quad = 0; quad < kQuads; quad += kSpan) {
#pragma GCC unroll 4
        for (int t = 0; t < kRows; ++t) {
            __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
#pragma GCC unroll 8
            for (int i = quad; i < quad + kSpan; ++i) {
                const auto* w = reinterpret_cast<const __m256i*>(u + 64 * i);
                const __m256i x = broadcast_4(q + t * stride + 4 * i);
                low = _mm256_add_epi16(low, dot_4<Rows::kIsSigned>(_mm256_load_si256(w), x));
                high = _mm256_add_epi16(high, dot_4<Rows::kIsSigned>(_mm256_load_si256(w + 1), x));
            }
            dots[t][0] = _mm256_add_epi32(dots[t][0], _mm256_madd_epi16(low, ones));
            dots[t][1] = _mm256_add_epi32(dots[t][1], _mm256_madd_epi16(high, ones));
        }
    }
}

// kRows activation rows from `first` on times the tile.
template <typename Rows, int kRows>
void multiply_tile(const PanelTask& task, const Tile& tile, int32_t first) {
    constexpr int kGroup = Rows::kGroup;
    const Activations x = task.x.rows(first, kRows);
    const int64_t blocks = x.row_length / 32;
    const int64_t n_groups = x.row_length / kGroup;
    const float* x_sums = kGroup == 32 ? x.scaled_sums : x.half_sums;
    __m256 sums[kRows][2];
    for (auto& row : sums) row[0] = row[1] = _mm256_setzero_ps();
    for (int64_t g = 0; g < n_groups; ++g) {
        __m256i dots[kRows][2];
        multiply_group<Rows, kRows>(tile.u + g * kGroup * kPanelRows, x.q + g * kGroup, x.row_length, dots);
#pragma GCC unroll 2
        for (int half = 0; half < 2; ++half) {
            const __m256 a = _mm256_load_ps(tile.a + g * kPanelRows + 8 * half);
            const __m256 b = _mm256_load_ps(tile.b + g * kPanelRows + 8 * half);
#pragma GCC unroll 4
            for (int t = 0; t < kRows; ++t) {
                const __m256 factor =
                    _mm256_mul_ps(a, _mm256_set1_ps(x.scales[t * blocks + g * kGroup / 32]));
                sums[t][half] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[t][half]), factor, sums[t][half]);
                if constexpr (!Rows::kHasOffset) continue;
                sums[t][half] = _mm256_fmadd_ps(b, _mm256_set1_ps(x_sums[t * n_groups + g]), sums[t][half]);
            }
        }
    }
    for (int t = 0; t < kRows; ++t) {
        alignas(32) float out[kPanelRows];
        _mm256_store_ps(out, sums[t][0]);
        _mm256_store_ps(out + 8, sums[t][1]);
        std::memcpy(task.out + (first + t) * task.out_stride, out,
                    sizeof(float) * static_cast<size_t>(task.n_rows));
    }
}

template <typename Rows>
struct ManyRows {
    static void run(const PanelTask& task) {
        const Tile tile = tile_in(task.scratch, task.x.row_length, Rows::kGroup);
        fill_tile<Rows>(task, tile);
        int32_t t = 0;
        for (; t + 4 <= task.x.n_rows; t += 4) multiply_tile<Rows, 4>(task, tile, t);
        for (; t < task.x.n_rows; ++t) multiply_tile<Rows, 1>(task, tile, t);
    }
};

}  // namespace

size_t quantized_panel_scratch_bytes_avx2(ElementType type, int64_t row_length) {
    const size_t group = int_decoder(type).group == 16 ? 16 : 32;
    return tile_elements(row_length) * kPanelRows * (group + 2 * sizeof(float)) / group;
}

void quantized_panel_avx2(const PanelTask& task) { quantized_kernel<Avx2, ManyRows>(task.type->type)(task); }

}  // namespace cria::cpu
