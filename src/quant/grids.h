// Constant tables of the formats: code books (grids) and curves of values. Facts of the file format. Private
// to src/quant and to kernels that decode these types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cria::quant {

// kEntries vectors of kWidth values each.
template <typename Value, size_t kEntries, int kWidth>
using Grid = std::array<std::array<Value, kWidth>, kEntries>;

// What an element of a grid can be.
inline constexpr uint8_t kIq2Levels[] = {8, 25, 43};
inline constexpr int8_t kIq1Levels[] = {-1, 0, 1};
inline constexpr uint8_t kIq3xxsLevels[] = {4, 12, 20, 28, 36, 44, 52, 62};
inline constexpr uint8_t kIq3sLevels[] = {1, 3, 5, 7, 9, 11, 13, 15};

// Magnitudes; signs are stored apart (iq1s: the values themselves).
extern const Grid<uint8_t, 256, 8> kIq2xxsGrid;
extern const Grid<uint8_t, 512, 8> kIq2xsGrid;
extern const Grid<uint8_t, 1024, 8> kIq2sGrid;
extern const Grid<int8_t, 2048, 8> kIq1sGrid;
extern const Grid<uint8_t, 256, 4> kIq3xxsGrid;
extern const Grid<uint8_t, 512, 4> kIq3sGrid;

// Added to the values of the iq1s grid, up or down.
inline constexpr float kIq1Delta = 0.125f;

// Curves: two variants one after the other; a bit per sub-block selects. IQ4_NL and MXFP4 have one.
// clang-format off
inline constexpr int8_t kIq2nl[2 * 4] = {-31, -13, 1, 17, -26, -8, 6, 22};
inline constexpr int8_t kIq3nl[2 * 8] = {-63, -40, -23, -10, 1, 13, 28, 47, -59, -36, -19, -6, 5, 17, 32, 51};
inline constexpr int8_t kIq4k[2 * 16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
    -123, -100, -79, -61, -45, -31, -18, -6, 5, 17, 29, 42, 57, 73, 93, 117};
inline constexpr int8_t kIq5nl[2 * 32] = {
    -126, -114, -103, -92, -83, -74, -65, -57, -50, -43, -36, -30, -24, -18, -12, -6,
    -1, 5, 11, 17, 23, 29, 36, 43, 51, 59, 68, 77, 87, 97, 109, 121,
    -124, -112, -101, -90, -81, -72, -63, -55, -48, -41, -34, -28, -22, -16, -10, -4,
    1, 7, 13, 19, 25, 31, 38, 45, 53, 61, 70, 79, 89, 99, 111, 123};
inline constexpr int8_t kIq2klPairs[32][2] = {
    {-63, -23}, {-63, 13}, {-40, -63}, {-40, -10}, {-40, 13}, {-40, 47}, {-23, -40}, {-23, -23},
    {-23, 1}, {-23, 13}, {-23, 28}, {-10, -63}, {-10, 1}, {-10, 13}, {-10, 47}, {1, -23},
    {1, -10}, {1, 1}, {1, 13}, {1, 28}, {13, -40}, {13, -23}, {13, -10}, {13, 1},
    {13, 13}, {28, -63}, {28, -23}, {28, 1}, {28, 28}, {28, 47}, {47, -23}, {47, 13}};
inline constexpr int8_t kMxfp4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
// clang-format on

}  // namespace cria::quant
