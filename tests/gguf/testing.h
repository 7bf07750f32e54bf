// GGUF files for tests, made in memory. For any room: a valid small model file (small_builder, bytes_of,
// TempFolder). For this room: RawFile, which writes whatever it is told, right or wrong.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "gguf/writer.h"

namespace cria::gguf::testing {

// The file of a builder, with bytes in its tensors that differ from place to place and from tensor to tensor.
inline std::vector<std::byte> bytes_of(const FileBuilder& builder) {
    unsigned seed = 1;
    return encode_file(builder, [&](const FileBuilder::Tensor&, std::span<std::byte> out) {
        for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>((i * 7 + seed * 31) & 0xff);
        ++seed;
    });
}

// Two keys, two tensors: the least that has one of everything.
inline FileBuilder small_builder(uint32_t version = kMaxVersion) {
    FileBuilder builder(version);
    builder.metadata().set("general.architecture", Value::string("test"));
    builder.metadata().set("test.block_count", Value::number(uint32_t{2}));
    const int64_t matrix[] = {32, 3};
    const int64_t vector[] = {5};
    builder.add_tensor("a.weight", ElementType::f32, matrix);
    builder.add_tensor("b.bias", ElementType::f16, vector);
    return builder;
}

// Little-endian fields, one after the other. Lengths are as wide as the version has them.
class RawFile {
  public:
    // The header; counts may lie.
    RawFile(uint32_t version, uint64_t n_tensors, uint64_t n_keys) : version_(version) {
        characters("GGUF").u32(version).length(n_tensors).length(n_keys);
    }

    RawFile& u8(uint8_t value) { return number(value); }
    RawFile& u32(uint32_t value) { return number(value); }
    RawFile& u64(uint64_t value) { return number(value); }
    RawFile& length(uint64_t value) { return version_ == 1 ? u32(static_cast<uint32_t>(value)) : u64(value); }
    RawFile& characters(std::string_view text) {
        const auto more = std::as_bytes(std::span(text));
        bytes_.insert(bytes_.end(), more.begin(), more.end());
        return *this;
    }
    RawFile& text(std::string_view value) { return length(value.size()).characters(value); }
    // What stands before a value.
    RawFile& key(std::string_view name, uint32_t type) { return text(name).u32(type); }
    RawFile& tensor(std::string_view name, std::initializer_list<uint64_t> dims, uint32_t type,
                    uint64_t offset) {
        text(name).u32(static_cast<uint32_t>(dims.size()));
        for (const uint64_t dim : dims) length(dim);
        return u32(type).u64(offset);
    }
    // Zeros up to the next multiple, then n_bytes more: the data section.
    RawFile& data(size_t n_bytes, size_t alignment = kDefaultAlignment) {
        bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment + n_bytes);
        return *this;
    }
    RawFile& zeros(size_t n_bytes) {
        bytes_.resize(bytes_.size() + n_bytes);
        return *this;
    }

    const std::vector<std::byte>& bytes() const { return bytes_; }
    operator std::vector<std::byte>() const { return bytes_; }  // NOLINT: for tables of files

  private:
    template <typename T>
    RawFile& number(T value) {
        return characters({reinterpret_cast<const char*>(&value), sizeof(T)});
    }

    uint32_t version_;
    std::vector<std::byte> bytes_;
};

// Reads everything that a reader offers, so that a sanitizer sees it.
inline size_t touch_everything(const Reader& reader) {
    size_t sum = 0;
    for (const auto& [key, value] : reader.metadata().entries()) {
        std::vector<std::byte> copy;
        append_value(copy, value, LengthWidth::wide);
        sum += key.size() + copy.size();
    }
    for (const TensorInfo& tensor : reader.tensors()) {
        for (const std::byte byte : tensor.bytes()) sum += std::to_integer<size_t>(byte);
    }
    return sum;
}

// What a call throws; nothing when it returns.
template <typename Call>
std::optional<Error> error_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

// The words of what a call throws; "" when it returns.
template <typename Call>
std::string message_of(Call&& call) {
    const auto error = error_of(call);
    return error ? error->what() : "";
}

inline bool contains(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

// An empty folder that is gone at the end of the test.
class TempFolder {
  public:
    TempFolder() {
        std::string pattern = std::filesystem::temp_directory_path() / "cria-test-XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    std::string file(std::string_view name) const { return path_ / name; }
    // Writes a file and returns its path.
    std::string write(std::string_view name, std::span<const std::byte> bytes) const {
        AtomicFileWriter writer(file(name));
        writer.write(bytes);
        writer.commit();
        return file(name);
    }

  private:
    std::filesystem::path path_;
};

}  // namespace cria::gguf::testing
