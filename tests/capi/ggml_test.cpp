// The functions of ggml.h and ggml-backend.h.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "ggml-backend.h"
#include "testing.h"

namespace cria::capi {
namespace {

ggml_tensor tensor_of(ggml_type type, int64_t n0, int64_t n1, int64_t n2 = 1) {
    ggml_tensor t{};
    t.type = type;
    const int64_t ne[] = {n0, n1, n2, 1};
    std::memcpy(t.ne, ne, sizeof ne);
    t.nb[0] = ggml_type_size(type);
    t.nb[1] = ggml_row_size(type, n0);
    t.nb[2] = t.nb[1] * static_cast<size_t>(n1);
    t.nb[3] = t.nb[2] * static_cast<size_t>(n2);
    return t;
}

TEST(Ggml, TypesHaveTheSizesOfTheirFormats) {
    EXPECT_EQ(ggml_blck_size(GGML_TYPE_F32), 1);
    EXPECT_EQ(ggml_type_size(GGML_TYPE_F32), 4u);
    EXPECT_EQ(ggml_blck_size(GGML_TYPE_Q4_K), 256);
    EXPECT_EQ(ggml_type_size(GGML_TYPE_Q4_K), 144u);
    EXPECT_EQ(ggml_row_size(GGML_TYPE_Q8_0, 64), 68u);
    EXPECT_EQ(ggml_row_size(GGML_TYPE_IQ4_KS, 512), 276u) << "two blocks and the row's scale";
    EXPECT_TRUE(ggml_is_quantized(GGML_TYPE_Q8_0));
    EXPECT_FALSE(ggml_is_quantized(GGML_TYPE_BF16));
    EXPECT_STREQ(ggml_type_name(GGML_TYPE_Q4_K), "q4_k");
}

TEST(Ggml, EveryTypeOfAFileIsKnownByItsNumber) {
    // The lists were written from different sources; the numbers must name the same formats.
    const std::pair<ggml_type, const char*> samples[] = {
        {GGML_TYPE_F32, "f32"},
        {GGML_TYPE_Q6_0, "q6_0"},
        {GGML_TYPE_IQ2_XXS, "iq2_xxs"},
        {GGML_TYPE_MXFP4, "mxfp4"},
        {GGML_TYPE_IQ1_KT, "iq1_kt"},
        {GGML_TYPE_Q4_0_R8, "q4_0_r8"},
        {GGML_TYPE_IQ5_KS_R4, "iq5_ks_r4"},
        {GGML_TYPE_Q8_KV, "q8_kv"},
        {GGML_TYPE_IQ2_KL, "iq2_kl"},
    };
    for (const auto& [type, name] : samples) EXPECT_STREQ(ggml_type_name(type), name);
}

TEST(Ggml, UnknownTypesAndNullTensorsGiveNothing) {
    for (const int id : {4, 5, 98, 400, -1, 100000}) {
        ggml_type type{};
        std::memcpy(&type, &id, sizeof id);
        EXPECT_STREQ(ggml_type_name(type), "unknown") << id;
        EXPECT_EQ(ggml_blck_size(type), 0) << id;
        EXPECT_EQ(ggml_type_size(type), 0u) << id;
        EXPECT_EQ(ggml_row_size(type, 256), 0u) << id;
        EXPECT_FALSE(ggml_is_quantized(type)) << id;
    }
    EXPECT_EQ(ggml_row_size(GGML_TYPE_Q4_K, 255), 0u);
    EXPECT_EQ(ggml_row_size(GGML_TYPE_F32, -1), 0u);
    EXPECT_EQ(ggml_row_size(GGML_TYPE_F64, std::numeric_limits<int64_t>::max()), 0u) << "does not fit";
    EXPECT_EQ(ggml_nelements(nullptr), 0);
    EXPECT_EQ(ggml_nrows(nullptr), 0);
    EXPECT_EQ(ggml_nbytes(nullptr), 0u);
    EXPECT_EQ(ggml_n_dims(nullptr), 0);
}

TEST(Ggml, TensorsAreCounted) {
    const ggml_tensor t = tensor_of(GGML_TYPE_Q8_0, 64, 3, 2);
    EXPECT_EQ(ggml_nelements(&t), 384);
    EXPECT_EQ(ggml_nrows(&t), 6);
    EXPECT_EQ(ggml_nbytes(&t), 6u * 68u);
    EXPECT_EQ(ggml_n_dims(&t), 3);
    const ggml_tensor scalar = tensor_of(GGML_TYPE_F32, 1, 1);
    EXPECT_EQ(ggml_n_dims(&scalar), 1);
    EXPECT_EQ(ggml_nbytes(&scalar), 4u);
}

TEST(Ggml, ViewsWithGapsEndAtTheirLastElement) {
    ggml_tensor t = tensor_of(GGML_TYPE_F32, 2, 3);
    t.nb[1] = 100;
    EXPECT_EQ(ggml_nbytes(&t), 2u * 100 + 8);
    t.nb[0] = 100;
    t.nb[1] = 4;
    EXPECT_EQ(ggml_nbytes(&t), 100u + 2 * 4 + 4) << "transposed";
    ggml_tensor rows = tensor_of(GGML_TYPE_Q8_0, 32, 2);
    rows.nb[1] = 1000;
    EXPECT_EQ(ggml_nbytes(&rows), 1000u + 34);
}

TEST(Ggml, AbsurdTensorsHaveNoBytes) {
    ggml_tensor t = tensor_of(GGML_TYPE_F32, 2, 3);
    t.ne[1] = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(ggml_nelements(&t), 0);
    EXPECT_EQ(ggml_nbytes(&t), 0u);
    t.ne[1] = -3;
    EXPECT_EQ(ggml_nelements(&t), 0);
    EXPECT_EQ(ggml_nbytes(&t), 0u);
    t = tensor_of(GGML_TYPE_F32, 2, 3);
    t.nb[1] = std::numeric_limits<size_t>::max();
    EXPECT_EQ(ggml_nbytes(&t), 0u);
}

TEST(Ggml, HalfFloatsConvert) {
    EXPECT_EQ(ggml_fp16_to_fp32(0x3c00), 1.0f);
    EXPECT_EQ(ggml_fp32_to_fp16(1.0f), 0x3c00);
    const float in[] = {0.5f, -2.0f};
    ggml_fp16_t half[2];
    float out[2];
    ggml_fp32_to_fp16_row(in, half, 2);
    ggml_fp16_to_fp32_row(half, out, 2);
    EXPECT_EQ(out[1], -2.0f);
    ggml_fp16_to_fp32_row(half, out, -1);
    ggml_fp16_to_fp32_row(nullptr, out, 2);
    ggml_fp32_to_fp16_row(in, nullptr, 2);
}

TEST(Ggml, FeaturesOfOneAnotherImplyEachOther) {
    EXPECT_LE(ggml_cpu_has_avx512(), ggml_cpu_has_avx2());
    EXPECT_LE(ggml_cpu_has_avx512_vnni(), ggml_cpu_has_avx512());
    EXPECT_LE(ggml_cpu_has_avx2(), ggml_cpu_has_fma());
    EXPECT_EQ(ggml_cpu_has_cuda(), 0);
}

TEST(GgmlBackend, HostMemoryHasAName) {
    EXPECT_STREQ(ggml_backend_buft_name(ggml_backend_cpu_buffer_type()), "CPU");
    EXPECT_TRUE(ggml_backend_buft_is_host(ggml_backend_cpu_buffer_type()));
    EXPECT_STREQ(ggml_backend_buft_name(nullptr), "unknown");
    EXPECT_FALSE(ggml_backend_buft_is_host(nullptr));
    EXPECT_STREQ(ggml_backend_buffer_name(nullptr), "unknown");
    EXPECT_FALSE(ggml_backend_buffer_is_host(nullptr));
    EXPECT_STREQ(ggml_backend_reg_get_name(0), "CPU");
    EXPECT_STREQ(ggml_backend_reg_get_name(ggml_backend_reg_get_count()), "unknown");
}

TEST(GgmlBackend, TensorBytesAreCopiedWithinTheTensor) {
    const LogRecorder log;
    float data[] = {1, 2, 3, 4};
    ggml_tensor t = tensor_of(GGML_TYPE_F32, 2, 2);
    t.data = data;
    float out[2] = {};
    ggml_backend_tensor_get(&t, out, 8, 8);
    EXPECT_EQ(out[0], 3.0f);
    EXPECT_EQ(out[1], 4.0f);
    EXPECT_TRUE(log.lines().empty());
    ggml_backend_tensor_get(&t, out, 12, 8);
    ggml_backend_tensor_get(&t, out, std::numeric_limits<size_t>::max(), 8);
    ggml_backend_tensor_get(&t, nullptr, 0, 8);
    ggml_backend_tensor_get(nullptr, out, 0, 8);
    t.data = nullptr;
    ggml_backend_tensor_get(&t, out, 0, 8);
    EXPECT_EQ(log.lines().size(), 5u);
    EXPECT_EQ(out[0], 3.0f);
}

}  // namespace
}  // namespace cria::capi
