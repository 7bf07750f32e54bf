// Element types, callbacks and small helpers that programs of the llama.cpp family use beside llama.h. Cria
// implements them on its own element types; there is no tensor library behind this header. Plain C; every
// function may be called from any thread.
//
// Edge cases, for all functions here: an unknown type or a null tensor never ends the process. Sizes and
// counts are then 0, names "unknown".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GGML_API __attribute__((visibility("default")))
#else
#define GGML_API
#endif

#define GGML_MAX_DIMS 4   // dimensions of a tensor; unused ones have size 1
#define GGML_MAX_SRC 10   // inputs that a tensor view can name
#define GGML_MAX_NAME 64  // bytes of a tensor's name, with its terminating zero

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------------------
// Element types. The numbers are those stored in GGUF files. A value that is missing here was retired or
// never given out.

enum ggml_type {
    // plain floats, and the quantised types of 32 values with one or two half-precision constants
    GGML_TYPE_F32 = 0,
    GGML_TYPE_F16 = 1,
    GGML_TYPE_Q4_0 = 2,
    GGML_TYPE_Q4_1 = 3,
    GGML_TYPE_Q5_0 = 6,
    GGML_TYPE_Q5_1 = 7,
    GGML_TYPE_Q8_0 = 8,
    GGML_TYPE_Q8_1 = 9,

    // super-blocks of 256 values
    GGML_TYPE_Q2_K = 10,
    GGML_TYPE_Q3_K = 11,
    GGML_TYPE_Q4_K = 12,
    GGML_TYPE_Q5_K = 13,
    GGML_TYPE_Q6_K = 14,
    GGML_TYPE_Q8_K = 15,
    GGML_TYPE_IQ2_XXS = 16,
    GGML_TYPE_IQ2_XS = 17,
    GGML_TYPE_IQ3_XXS = 18,
    GGML_TYPE_IQ1_S = 19,
    GGML_TYPE_IQ4_NL = 20,
    GGML_TYPE_IQ3_S = 21,
    GGML_TYPE_IQ2_S = 22,
    GGML_TYPE_IQ4_XS = 23,

    // whole numbers, double precision and brain floats
    GGML_TYPE_I8 = 24,
    GGML_TYPE_I16 = 25,
    GGML_TYPE_I32 = 26,
    GGML_TYPE_I64 = 27,
    GGML_TYPE_F64 = 28,
    GGML_TYPE_IQ1_M = 29,
    GGML_TYPE_BF16 = 30,

    // old interleavings for Arm, the BitNet format of its authors, four-bit floats, one-bit weights
    GGML_TYPE_Q4_0_4_4 = 31,
    GGML_TYPE_Q4_0_4_8 = 32,
    GGML_TYPE_Q4_0_8_8 = 33,
    GGML_TYPE_I2_S = 36,
    GGML_TYPE_MXFP4 = 39,
    GGML_TYPE_Q1_0_G128 = 41,

    // activations only: no file holds them
    GGML_TYPE_Q8_0_X4 = 97,
    GGML_TYPE_Q8_1_X4 = 98,
    GGML_TYPE_Q8_2_X4 = 99,

    // types of the ik branch of the family: bitnet, non-linear (K, KS, KSS, KL) and trellis (KT)
    GGML_TYPE_Q6_0 = 133,
    GGML_TYPE_IQ1_BN = 134,
    GGML_TYPE_IQ2_BN = 135,
    GGML_TYPE_Q8_K64 = 136,
    GGML_TYPE_IQ2_K = 137,
    GGML_TYPE_IQ3_K = 138,
    GGML_TYPE_IQ4_K = 139,
    GGML_TYPE_IQ5_K = 140,
    GGML_TYPE_IQ6_K = 141,
    GGML_TYPE_IQ4_KS = 144,
    GGML_TYPE_IQ2_KS = 145,
    GGML_TYPE_IQ4_KSS = 146,
    GGML_TYPE_Q8_K16 = 147,
    GGML_TYPE_Q8_K32 = 148,
    GGML_TYPE_Q8_KR8 = 149,
    GGML_TYPE_Q8_K128 = 150,
    GGML_TYPE_Q8_KV = 151,
    GGML_TYPE_IQ5_KS = 152,
    GGML_TYPE_IQ2_KT = 153,
    GGML_TYPE_IQ3_KT = 154,
    GGML_TYPE_IQ4_KT = 155,
    GGML_TYPE_IQ3_KS = 156,
    GGML_TYPE_IQ2_KL = 157,
    GGML_TYPE_IQ1_KT = 158,

    // the same formats with 4, 8 or 16 rows sharing their bytes
    GGML_TYPE_Q4_0_R8 = 202,
    GGML_TYPE_Q5_0_R4 = 206,
    GGML_TYPE_Q8_0_R8 = 208,
    GGML_TYPE_Q2_K_R4 = 210,
    GGML_TYPE_Q3_K_R4 = 211,
    GGML_TYPE_Q4_K_R4 = 212,
    GGML_TYPE_Q5_K_R4 = 213,
    GGML_TYPE_Q6_K_R4 = 214,
    GGML_TYPE_IQ2_XXS_R4 = 216,
    GGML_TYPE_IQ2_XS_R4 = 217,
    GGML_TYPE_IQ3_XXS_R4 = 218,
    GGML_TYPE_IQ1_S_R4 = 219,
    GGML_TYPE_IQ4_NL_R4 = 220,
    GGML_TYPE_IQ3_S_R4 = 221,
    GGML_TYPE_IQ2_S_R4 = 222,
    GGML_TYPE_IQ4_XS_R8 = 223,
    GGML_TYPE_IQ1_M_R4 = 229,
    GGML_TYPE_BF16_R16 = 230,
    GGML_TYPE_Q6_0_R4 = 233,
    GGML_TYPE_IQ2_BN_R4 = 335,
    GGML_TYPE_IQ2_K_R4 = 337,
    GGML_TYPE_IQ3_K_R4 = 338,
    GGML_TYPE_IQ4_K_R4 = 339,
    GGML_TYPE_IQ5_K_R4 = 340,
    GGML_TYPE_IQ4_KS_R4 = 344,
    GGML_TYPE_IQ5_KS_R4 = 352,
    GGML_TYPE_Q8_K_R16 = 397,
    GGML_TYPE_Q8_KV_R8 = 398,
    GGML_TYPE_Q8_K_R8 = 399,

    GGML_TYPE_COUNT = 400,  // not a type: "none chosen" in parameters
};

// ----------------------------------------------------------------------------------------------------------
// Operations. Only their numbers matter: llama_set_offload_policy takes them, and tensor views carry the
// nearest one.

enum ggml_op {
    GGML_OP_NONE = 0,
    GGML_OP_DUP = 1,
    GGML_OP_ADD = 2,
    GGML_OP_ADD_ID = 3,
    GGML_OP_ADD1 = 4,
    GGML_OP_ACC = 5,
    GGML_OP_SUB = 6,
    GGML_OP_MUL = 7,
    GGML_OP_DIV = 8,
    GGML_OP_SQR = 9,
    GGML_OP_SQRT = 10,
    GGML_OP_LOG = 11,
    GGML_OP_SUM = 12,
    GGML_OP_SUM_ROWS = 13,
    GGML_OP_MEAN = 14,
    GGML_OP_ARGMAX = 15,
    GGML_OP_REPEAT = 16,
    GGML_OP_REPEAT_BACK = 17,
    GGML_OP_CONCAT = 18,
    GGML_OP_SILU_BACK = 19,
    GGML_OP_NORM = 20,
    GGML_OP_RMS_NORM = 21,
    GGML_OP_RMS_NORM_BACK = 22,
    GGML_OP_GROUP_NORM = 23,
    GGML_OP_FUSED_RMS_NORM = 24,
    GGML_OP_FUSED_MUL_UNARY = 25,
    GGML_OP_MULTI_ADD = 26,
    GGML_OP_MUL_MAT = 27,
    GGML_OP_MUL_MAT_ID = 28,
    GGML_OP_OUT_PROD = 29,
    GGML_OP_FUSED_UP_GATE = 30,
    GGML_OP_MOE_FUSED_UP_GATE = 31,
    GGML_OP_MUL_MULTI_ADD = 32,
    GGML_OP_HADAMARD = 33,
    GGML_OP_SCALE = 34,
    GGML_OP_SET = 35,
    GGML_OP_CPY = 36,
    GGML_OP_CONT = 37,
    GGML_OP_RESHAPE = 38,
    GGML_OP_VIEW = 39,
    GGML_OP_PERMUTE = 40,
    GGML_OP_TRANSPOSE = 41,
    GGML_OP_GET_ROWS = 42,
    GGML_OP_GET_ROWS_BACK = 43,
    GGML_OP_SET_ROWS = 44,
    GGML_OP_DIAG = 45,
    GGML_OP_DIAG_MASK_INF = 46,
    GGML_OP_DIAG_MASK_ZERO = 47,
    GGML_OP_SOFT_MAX = 48,
    GGML_OP_SOFT_MAX_BACK = 49,
    GGML_OP_ROPE = 50,
    GGML_OP_ROPE_BACK = 51,
    GGML_OP_ROPE_CACHE = 52,
    GGML_OP_ROPE_FAST = 53,
    GGML_OP_CLAMP = 54,
    GGML_OP_CONV_TRANSPOSE_1D = 55,
    GGML_OP_IM2COL = 56,
    GGML_OP_CONV_TRANSPOSE_2D = 57,
    GGML_OP_POOL_1D = 58,
    GGML_OP_POOL_2D = 59,
    GGML_OP_UPSCALE = 60,
    GGML_OP_PAD = 61,
    GGML_OP_ARANGE = 62,
    GGML_OP_TIMESTEP_EMBEDDING = 63,
    GGML_OP_ARGSORT = 64,
    GGML_OP_ARGSORT_THRESH = 65,
    GGML_OP_GROUPED_TOPK = 66,
    GGML_OP_LEAKY_RELU = 67,
    GGML_OP_SOFTCAP = 68,
    GGML_OP_SOFT_CAP_MAX = 69,
    GGML_OP_CONV_2D = 70,
    GGML_OP_CONV_2D_DW = 71,
    GGML_OP_FLASH_ATTN_EXT = 72,
    GGML_OP_FLASH_ATTN_BACK = 73,
    GGML_OP_SSM_CONV = 74,
    GGML_OP_SSM_SCAN = 75,
    GGML_OP_WIN_PART = 76,
    GGML_OP_WIN_UNPART = 77,
    GGML_OP_GET_REL_POS = 78,
    GGML_OP_ADD_REL_POS = 79,
    GGML_OP_UNARY = 80,
    GGML_OP_CUMSUM = 81,
    GGML_OP_L2_NORM = 82,
    GGML_OP_TRI = 83,
    GGML_OP_FILL = 84,
    GGML_OP_SOLVE_TRI = 85,
    GGML_OP_DELTA_NET = 86,
    GGML_OP_MAP_UNARY = 87,
    GGML_OP_MAP_BINARY = 88,
    GGML_OP_MAP_CUSTOM1_F32 = 89,
    GGML_OP_MAP_CUSTOM2_F32 = 90,
    GGML_OP_MAP_CUSTOM3_F32 = 91,
    GGML_OP_MAP_CUSTOM1 = 92,
    GGML_OP_MAP_CUSTOM2 = 93,
    GGML_OP_MAP_CUSTOM3 = 94,
    GGML_OP_CROSS_ENTROPY_LOSS = 95,
    GGML_OP_CROSS_ENTROPY_LOSS_BACK = 96,
    GGML_OP_GLU = 97,
    GGML_OP_REDUCE = 98,
    GGML_OP_FAKE_CPY = 99,
    GGML_OP_FUSED_NORM = 100,
    GGML_OP_FUSED_RMS_RMS_ADD = 101,

    GGML_OP_COUNT = 102,  // not an operation: "all of them" in an off-load policy
};

// ----------------------------------------------------------------------------------------------------------
// Log and abort callbacks

enum ggml_log_level {
    GGML_LOG_LEVEL_NONE = 0,
    GGML_LOG_LEVEL_DEBUG = 1,
    GGML_LOG_LEVEL_INFO = 2,
    GGML_LOG_LEVEL_WARN = 3,
    GGML_LOG_LEVEL_ERROR = 4,
    GGML_LOG_LEVEL_CONT = 5,  // more of the line before; Cria never sends it
};

// Receives one log line that ends in a newline. The text lives only during the call. Called from whatever
// thread logs, one at a time.
typedef void (*ggml_log_callback)(enum ggml_log_level level, const char* text, void* user_data);

// Asked between pieces of a computation; true stops it. Called often and from worker threads: keep it short.
typedef bool (*ggml_abort_callback)(void* data);

// How memory and threads are laid over the nodes of a machine with several memory controllers.
enum ggml_numa_strategy {
    GGML_NUMA_STRATEGY_DISABLED = 0,
    GGML_NUMA_STRATEGY_DISTRIBUTE = 1,  // spread threads and pages evenly over all nodes
    GGML_NUMA_STRATEGY_ISOLATE = 2,     // stay on the node the process started on
    GGML_NUMA_STRATEGY_NUMACTL = 3,     // keep what the numactl program set up
    GGML_NUMA_STRATEGY_MIRROR = 4,      // one copy of the weights for each node
    GGML_NUMA_STRATEGY_COUNT = 5,
};

// ----------------------------------------------------------------------------------------------------------
// Views of tensors

struct ggml_backend_buffer;

// A view of a tensor of a model, or of a named result while it is computed (llama_context_params.cb_eval).
// Read only. These are the fields that programs read; a program that looks inside must be compiled with this
// header, because the layout is Cria's own.
struct ggml_tensor {
    enum ggml_type type;
    struct ggml_backend_buffer* buffer;     // where the bytes are; see ggml-backend.h
    int64_t ne[GGML_MAX_DIMS];              // elements in each dimension; ne[0] is the length of a row
    size_t nb[GGML_MAX_DIMS];               // bytes from one block, row, matrix, cube to the next
    enum ggml_op op;                        // what made it; GGML_OP_NONE for weights
    struct ggml_tensor* src[GGML_MAX_SRC];  // what it was made from: for a matrix product the weights, then
                                            // the input; else null
    void* data;                             // first byte, or null when the bytes are not in host memory
    char name[GGML_MAX_NAME];
};

GGML_API int64_t ggml_nelements(const struct ggml_tensor* tensor);  // product of ne
GGML_API int64_t ggml_nrows(const struct ggml_tensor* tensor);      // product of ne[1] and up
// Bytes from the first to one past the last element.
GGML_API size_t ggml_nbytes(const struct ggml_tensor* tensor);
GGML_API int ggml_n_dims(const struct ggml_tensor* tensor);  // 1 to 4: dimensions up to the last one above 1

// ----------------------------------------------------------------------------------------------------------
// Sizes of types

// Lower-case name ("q4_k"); static storage.
GGML_API const char* ggml_type_name(enum ggml_type type);

// Elements in one block (1 for plain types), and bytes of one block.
GGML_API int64_t ggml_blck_size(enum ggml_type type);
GGML_API size_t ggml_type_size(enum ggml_type type);

// Bytes of one row of ne elements, with its header where the type has one. 0 when ne is negative or no
// multiple of the block.
GGML_API size_t ggml_row_size(enum ggml_type type, int64_t ne);

// False for plain floats and whole numbers.
GGML_API bool ggml_is_quantized(enum ggml_type type);

// ----------------------------------------------------------------------------------------------------------
// Half-precision floats (IEEE 754 binary16), rounded to nearest even

typedef uint16_t ggml_fp16_t;

GGML_API float ggml_fp16_to_fp32(ggml_fp16_t x);
GGML_API ggml_fp16_t ggml_fp32_to_fp16(float x);

// n elements; x and y may not overlap. n <= 0 does nothing.
GGML_API void ggml_fp16_to_fp32_row(const ggml_fp16_t* x, float* y, int64_t n);
GGML_API void ggml_fp32_to_fp16_row(const float* x, ggml_fp16_t* y, int64_t n);

// ----------------------------------------------------------------------------------------------------------
// Time: a clock that never goes back, counted from an arbitrary moment. ggml_time_init need not be called.

GGML_API void ggml_time_init(void);
GGML_API int64_t ggml_time_ms(void);
GGML_API int64_t ggml_time_us(void);

// ----------------------------------------------------------------------------------------------------------
// 1 when this processor has the feature and Cria has code that uses it, else 0. Decided when the process
// starts, not when Cria was built.

GGML_API int ggml_cpu_has_sse3(void);
GGML_API int ggml_cpu_has_ssse3(void);
GGML_API int ggml_cpu_has_avx(void);
GGML_API int ggml_cpu_has_avx_vnni(void);
GGML_API int ggml_cpu_has_avx2(void);
GGML_API int ggml_cpu_has_fma(void);
GGML_API int ggml_cpu_has_f16c(void);
GGML_API int ggml_cpu_has_avx512(void);
GGML_API int ggml_cpu_has_avx512_vbmi(void);
GGML_API int ggml_cpu_has_avx512_vnni(void);
GGML_API int ggml_cpu_has_avx512_bf16(void);
GGML_API int ggml_cpu_has_amx_int8(void);
GGML_API int ggml_cpu_has_neon(void);
GGML_API int ggml_cpu_has_arm_fma(void);
GGML_API int ggml_cpu_has_fp16_va(void);
GGML_API int ggml_cpu_has_sve(void);
GGML_API int ggml_cpu_has_matmul_int8(void);
GGML_API int ggml_cpu_has_wasm_simd(void);
GGML_API int ggml_cpu_has_vsx(void);
GGML_API int ggml_cpu_has_blas(void);
GGML_API int ggml_cpu_has_cuda(void);
GGML_API int ggml_cpu_has_vulkan(void);
GGML_API int ggml_cpu_has_sycl(void);
GGML_API int ggml_cpu_has_metal(void);
GGML_API int ggml_cpu_has_rpc(void);

#ifdef __cplusplus
}
#endif
