// Filling in sizes, strides and names.
#include "capi/tensor_view.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "capi/backend.h"

namespace cria::capi {
namespace {

void set_name(ggml_tensor& tensor, std::string_view name) {
    const size_t n = std::min(name.size(), sizeof tensor.name - 1);
    std::memcpy(tensor.name, name.data(), n);
    tensor.name[n] = '\0';
}

void set_shape(ggml_tensor& tensor, const TypeInfo& type, const std::array<int64_t, 4>& dims) {
    tensor.type = static_cast<ggml_type>(type.type);
    std::copy(dims.begin(), dims.end(), tensor.ne);
    tensor.nb[0] = static_cast<size_t>(type.block_bytes);
    tensor.nb[1] = static_cast<size_t>(row_bytes(type, dims[0]));
    tensor.nb[2] = tensor.nb[1] * static_cast<size_t>(dims[1]);
    tensor.nb[3] = tensor.nb[2] * static_cast<size_t>(dims[2]);
}

}  // namespace

// The interface has no const: callers are told not to write.
ggml_tensor view_of(const Weight& weight) {
    ggml_tensor tensor{};
    set_shape(tensor, *weight.type, weight.dims);
    tensor.buffer = host_buffer();
    tensor.data = const_cast<std::byte*>(weight.data);
    set_name(tensor, weight.name);
    return tensor;
}

ggml_tensor view_of_value(std::string_view name, int64_t width, int64_t n_rows, const float* data) {
    ggml_tensor tensor{};
    set_shape(tensor, type_info(ElementType::f32), {width, n_rows, 1, 1});
    tensor.buffer = host_buffer();
    tensor.data = const_cast<float*>(data);
    set_name(tensor, name);
    return tensor;
}

}  // namespace cria::capi
