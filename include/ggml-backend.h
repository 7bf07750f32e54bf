// Names for the places where tensors can live, and the callback that watches a computation: what llama.h
// needs of them, and the few questions programs ask. The handles are opaque and never freed by the caller.
// Plain C; any thread. A null handle answers "unknown", 0 or false.
#pragma once

#include "ggml.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ggml_backend_buffer_type*
    ggml_backend_buffer_type_t;  // a kind of memory: host memory, memory of one device
typedef struct ggml_backend_buffer* ggml_backend_buffer_t;  // one allocation of such memory
typedef struct ggml_backend* ggml_backend_t;                // a device with its queue

// Watches named results while llama_decode runs. It is called twice for each: with ask = true before (return
// true to see the values), and, where it said so, with ask = false after (return false to stop the
// computation). t lives only during the call.
typedef bool (*ggml_backend_sched_eval_callback)(struct ggml_tensor* t, bool ask, void* user_data);

// Ordinary host memory: the value for llama_model_tensor_buft_override.buft that keeps tensors on the CPU.
GGML_API ggml_backend_buffer_type_t ggml_backend_cpu_buffer_type(void);

GGML_API const char* ggml_backend_buft_name(ggml_backend_buffer_type_t buft);  // "CPU"
GGML_API bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t buft);      // the CPU can read it directly

GGML_API const char* ggml_backend_buffer_name(ggml_backend_buffer_t buffer);
GGML_API bool ggml_backend_buffer_is_host(ggml_backend_buffer_t buffer);

// Copies `size` bytes of a tensor's data, from `offset` on, to `data`. A range outside the tensor copies
// nothing and logs one line.
GGML_API void ggml_backend_tensor_get(const struct ggml_tensor* tensor, void* data, size_t offset,
                                      size_t size);

// Devices that Cria can compute on here; index 0 is always the CPU. A name out of range is "unknown".
GGML_API size_t ggml_backend_reg_get_count(void);
GGML_API const char* ggml_backend_reg_get_name(size_t i);

#ifdef __cplusplus
}
#endif
