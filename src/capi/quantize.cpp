// Conversion of files.
#include "capi/handles.h"

using namespace cria::capi;

uint32_t llama_model_quantize(const char* fname_inp, const char* fname_out,
                              const llama_model_quantize_params* params) {
    return not_available("llama_model_quantize", 1u);
}
