// The functions of ggml-backend.h. There is one kind of memory so far: the host's.
#include "capi/backend.h"

#include <cstring>

#include "base/checked.h"
#include "capi/handles.h"

struct ggml_backend_buffer_type {
    const char* name;
    bool is_host;
};

struct ggml_backend_buffer {
    const ggml_backend_buffer_type* type;
};

namespace {

using namespace cria::capi;

ggml_backend_buffer_type cpu_buffer_type{.name = "CPU", .is_host = true};
ggml_backend_buffer cpu_buffer{.type = &cpu_buffer_type};

}  // namespace

ggml_backend_buffer_t cria::capi::host_buffer() { return &cpu_buffer; }

ggml_backend_buffer_type_t ggml_backend_cpu_buffer_type() { return &cpu_buffer_type; }

const char* ggml_backend_buft_name(ggml_backend_buffer_type_t buft) {
    return buft != nullptr ? buft->name : "unknown";
}

bool ggml_backend_buft_is_host(ggml_backend_buffer_type_t buft) { return buft != nullptr && buft->is_host; }

const char* ggml_backend_buffer_name(ggml_backend_buffer_t buffer) {
    return buffer != nullptr ? buffer->type->name : "unknown";
}

bool ggml_backend_buffer_is_host(ggml_backend_buffer_t buffer) {
    return buffer != nullptr && buffer->type->is_host;
}

void ggml_backend_tensor_get(const ggml_tensor* tensor, void* data, size_t offset, size_t size) {
    guard("ggml_backend_tensor_get", [&] {
        const ggml_tensor& source = required(tensor, "tensor");
        const size_t n_bytes = ggml_nbytes(tensor);
        const auto end = cria::checked_add(offset, size);
        if (!end || *end > n_bytes) {
            cria::fail(cria::ErrorCode::invalid_argument,
                       "offset {} + size {} is beyond the {} bytes of the tensor", offset, size, n_bytes);
        }
        if (size == 0) return;
        const auto* bytes = &required(static_cast<const char*>(source.data), "tensor->data");
        std::memcpy(&required(static_cast<char*>(data), "data"), bytes + offset, size);
    });
}

size_t ggml_backend_reg_get_count() { return 1; }

const char* ggml_backend_reg_get_name(size_t i) { return i == 0 ? cpu_buffer_type.name : "unknown"; }
