// Encoding of GGUF files, in the order of docs/gguf.md.
#include "gguf/writer.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "gguf/checks.h"
#include "gguf/text.h"

namespace cria::gguf {
namespace {

template <typename T>
void append(std::vector<std::byte>& out, T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
}

// Sizes of tensors that exist fit easily; a builder may be asked for more.
uint64_t padded(uint64_t n_bytes, uint32_t alignment) {
    const auto result = checked_align(n_bytes, alignment);
    if (!result)
        fail(ErrorCode::invalid_argument, "a size of {} bytes cannot be padded to {}", n_bytes, alignment);
    return *result;
}

void pad(std::vector<std::byte>& out, uint32_t alignment) { out.resize(padded(out.size(), alignment)); }

TensorInfo checked_tensor(std::string_view name, ElementType type, std::span<const int64_t> dims) {
    if (const std::string fault = name_fault(name, kMaxTensorNameBytes); !fault.empty()) {
        fail(ErrorCode::invalid_argument, "tensor name {} cannot be written: {}", quoted(name), fault);
    }
    if (dims.size() > kMaxDims) {
        fail(ErrorCode::invalid_argument, "tensor {} has {} dimensions, the limit is {}", quoted(name),
             dims.size(), kMaxDims);
    }
    TensorInfo tensor{.name = name, .type = &type_info(type), .n_dims = static_cast<int>(dims.size())};
    std::copy(dims.begin(), dims.end(), tensor.dims.begin());
    int64_t n_elements = 1;
    for (const int64_t dim : dims) {
        const auto product = checked_mul(n_elements, dim);
        if (dim < 1 || !product) {
            fail(ErrorCode::invalid_argument,
                 "tensor {} cannot have the shape {}: dimensions are at least 1, their product below 2^63",
                 quoted(name), tensor.shape());
        }
        n_elements = *product;
    }
    if (const std::string fault = size_fault(tensor); !fault.empty()) {
        fail(ErrorCode::invalid_argument, "tensor {} cannot have the shape {}: {}", quoted(name),
             tensor.shape(), fault);
    }
    return tensor;
}

}  // namespace

FileBuilder::FileBuilder(uint32_t version) : version_(version), metadata_("the metadata to be written") {
    if (version < 1 || version > kMaxVersion) {
        fail(ErrorCode::invalid_argument, "GGUF version {} cannot be written; choose 1 to {}", version,
             kMaxVersion);
    }
}

FileBuilder FileBuilder::like(const Metadata& metadata, std::span<const TensorInfo> tensors,
                              uint32_t version) {
    FileBuilder builder(version);
    for (const Metadata::Entry& entry : metadata.entries()) {
        if (!entry.key.starts_with("split.")) builder.metadata_.set(entry.key, entry.value);
    }
    for (const TensorInfo& tensor : tensors) {
        builder.add_tensor(tensor.name, tensor.type->type,
                           std::span(tensor.dims).first(static_cast<size_t>(tensor.n_dims)));
    }
    return builder;
}

void FileBuilder::add_tensor(std::string_view name, ElementType type, std::span<const int64_t> dims) {
    const TensorInfo tensor = checked_tensor(name, type, dims);
    if (!names_.emplace(name).second)
        fail(ErrorCode::invalid_argument, "tensor {} is added twice", quoted(name));
    tensors_.push_back({std::string(name), tensor.type, {dims.begin(), dims.end()}, tensor.n_bytes});
}

uint32_t FileBuilder::alignment() const {
    const Value* value = metadata_.find(kAlignmentKey);
    if (value == nullptr) return kDefaultAlignment;
    if (value->type() != ValueType::u32) {
        fail(ErrorCode::invalid_argument, "'{}' is {}; it has to be u32", kAlignmentKey, value->type_name());
    }
    const auto alignment = metadata_.get<uint32_t>(kAlignmentKey);
    if (const std::string fault = alignment_fault(alignment); !fault.empty()) {
        fail(ErrorCode::invalid_argument, "'{}' is {}; {}", kAlignmentKey, alignment, fault);
    }
    return alignment;
}

std::vector<std::byte> FileBuilder::encode_header() const {
    const uint32_t tensor_alignment = alignment();
    const LengthWidth width = version_ == 1 ? LengthWidth::narrow : LengthWidth::wide;
    std::vector<std::byte> out;
    for (const char character : std::string_view("GGUF")) append(out, character);
    append(out, version_);
    append_length(out, tensors_.size(), width);
    append_length(out, metadata_.size(), width);
    for (const auto& [key, value] : metadata_.entries()) {
        if (const std::string fault = name_fault(key, kMaxKeyBytes); !fault.empty()) {
            fail(ErrorCode::invalid_argument, "metadata key {} cannot be written: {}", quoted(key), fault);
        }
        append_value(out, Value::string(key), width);
        append(out, static_cast<uint32_t>(value.type()));
        append_value(out, value, width);
    }
    uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
        append_value(out, Value::string(tensor.name), width);
        append(out, static_cast<uint32_t>(tensor.dims.size()));
        for (const int64_t dim : tensor.dims) append_length(out, static_cast<uint64_t>(dim), width);
        append(out, static_cast<uint32_t>(tensor.type->type));
        append(out, offset);
        offset += padded(tensor.n_bytes, tensor_alignment);
    }
    pad(out, tensor_alignment);
    return out;
}

uint64_t FileBuilder::data_bytes() const {
    const uint32_t tensor_alignment = alignment();
    uint64_t total = 0;
    for (const Tensor& tensor : tensors_) {
        const auto sum = checked_add(total, padded(tensor.n_bytes, tensor_alignment));
        if (!sum)
            fail(ErrorCode::invalid_argument, "the tensors up to {} take more than 2^64 bytes",
                 quoted(tensor.name));
        total = *sum;
    }
    return total;
}

FileWriter::FileWriter(const FileBuilder& builder, const std::string& path)
    : builder_(builder), file_(path), alignment_(builder.alignment()) {
    file_.write(builder.encode_header());
}

void FileWriter::write(std::span<const std::byte> bytes) {
    if (tensor_ == builder_.tensors().size()) {
        if (bytes.empty()) return;
        fail(ErrorCode::invalid_argument, "{} bytes too many: all {} tensors are written", bytes.size(),
             tensor_);
    }
    const FileBuilder::Tensor& tensor = builder_.tensors()[tensor_];
    if (bytes.size() > tensor.n_bytes - tensor_done_) {
        fail(ErrorCode::invalid_argument,
             "{} bytes are too many for tensor {}: {} of its {} bytes are written", bytes.size(),
             quoted(tensor.name), tensor_done_, tensor.n_bytes);
    }
    file_.write(bytes);
    tensor_done_ += bytes.size();
    if (tensor_done_ < tensor.n_bytes) return;
    const std::vector<std::byte> padding(padded(tensor.n_bytes, alignment_) - tensor.n_bytes);
    file_.write(padding);
    ++tensor_;
    tensor_done_ = 0;
}

void FileWriter::commit() {
    if (tensor_ != builder_.tensors().size()) {
        const FileBuilder::Tensor& tensor = builder_.tensors()[tensor_];
        fail(ErrorCode::invalid_argument,
             "the file is not complete: tensor {} has {} of {} bytes, {} more follow", quoted(tensor.name),
             tensor_done_, tensor.n_bytes, builder_.tensors().size() - tensor_ - 1);
    }
    file_.commit();
}

std::vector<std::byte> encode_file(const FileBuilder& builder,
                                   FunctionRef<void(const FileBuilder::Tensor&, std::span<std::byte>)> fill) {
    std::vector<std::byte> out = builder.encode_header();
    const uint32_t alignment = builder.alignment();
    size_t start = out.size();
    out.resize(start + builder.data_bytes());
    for (const FileBuilder::Tensor& tensor : builder.tensors()) {
        fill(tensor, std::span(out).subspan(start, tensor.n_bytes));
        start += padded(tensor.n_bytes, alignment);
    }
    return out;
}

}  // namespace cria::gguf
