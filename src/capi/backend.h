// The buffer that stands for host memory in tensor views.
#pragma once

#include "ggml-backend.h"

namespace cria::capi {

ggml_backend_buffer_t host_buffer();

}  // namespace cria::capi
