// The table of file types: spec/interop.md 3.3.
#include "model/file_type.h"

#include <algorithm>
#include <array>

namespace cria {
namespace {

struct Row {
    int64_t id;
    std::string_view name;
};

constexpr Row kRows[] = {
    {0, "all F32"},        {1, "F16"},           {2, "Q4_0"},
    {3, "Q4_1"},           {7, "Q8_0"},          {8, "Q5_0"},
    {9, "Q5_1"},           {10, "Q2_K"},         {11, "Q3_K - Small"},
    {12, "Q3_K - Medium"}, {13, "Q3_K - Large"}, {14, "Q4_K - Small"},
    {15, "Q4_K - Medium"}, {16, "Q5_K - Small"}, {17, "Q5_K - Medium"},
    {18, "Q6_K"},          {19, "IQ2_XXS"},      {20, "IQ2_XS"},
    {21, "Q2_K - Small"},  {22, "IQ3_XS"},       {23, "IQ3_XXS"},
    {24, "IQ1_S"},         {25, "IQ4_NL"},       {26, "IQ3_S"},
    {27, "IQ3_M"},         {28, "IQ2_S"},        {29, "IQ2_M"},
    {30, "IQ4_XS"},        {31, "IQ1_M"},        {32, "BF16"},
    {33, "Q4_0_4_4"},      {34, "Q4_0_4_8"},     {35, "Q4_0_8_8"},
    {38, "MXFP4"},         {41, "Q1_0_G128"},    {135, "Q6_0"},
    {136, "IQ1_BN"},       {137, "IQ2_BN"},      {138, "IQ2_K"},
    {139, "IQ3_K"},        {140, "IQ4_K"},       {141, "IQ5_K"},
    {142, "IQ6_K"},        {145, "IQ4_KS"},      {146, "IQ3_KL"},
    {147, "IQ2_KS"},       {148, "IQ4_KSS"},     {149, "Q8_KV"},
    {150, "IQ5_KS"},       {151, "IQ2_KT"},      {152, "IQ3_KT"},
    {153, "IQ4_KT"},       {154, "IQ3_KS"},      {155, "IQ2_KL"},
    {156, "IQ1_KT"},       {202, "Q4_0_R8"},     {207, "Q8_0_R8"},
    {208, "Q5_0_R4"},      {210, "Q2_K_R4"},     {211, "Q3_K_R4"},
    {214, "Q4_K_R4"},      {216, "Q5_K_R4"},     {218, "Q6_K_R4"},
    {219, "IQ2_XXS_R4"},   {220, "IQ2_XS_R4"},   {223, "IQ3_XXS_R4"},
    {224, "IQ1_S_R4"},     {225, "IQ4_NL_R4"},   {226, "IQ3_S_R4"},
    {229, "IQ2_M_R4"},     {230, "IQ4_XS_R8"},   {231, "IQ1_M_R4"},
    {232, "BF16_R16"},     {335, "Q6_0_R4"},     {337, "IQ2_BN_R4"},
    {338, "IQ2_K_R4"},     {339, "IQ3_K_R4"},    {340, "IQ4_K_R4"},
    {341, "IQ5_K_R4"},     {345, "IQ4_KS_R4"},   {350, "IQ5_KS_R4"},
    {351, "MXFP4_R8"},     {398, "Q8_KV_R8"},    {399, "Q8_K_R8"},
};

}  // namespace

std::string_view file_type_name(int64_t file_type) {
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.id == file_type; });
    return row == std::end(kRows) ? std::string_view() : row->name;
}

}  // namespace cria
