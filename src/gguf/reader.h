// Reads GGUF files of versions 1, 2 and 3 (docs/gguf.md). Nothing in a file is trusted: a Reader that exists
// has checked every count, length, name, type, shape and offset of its file, so that its users need not.
// Tensor data are not looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "gguf/metadata.h"
#include "quant/types.h"

namespace cria::gguf {

inline constexpr uint32_t kMaxVersion = 3;
// Dimensions of a tensor: what the family's tools can hold.
inline constexpr uint32_t kMaxDims = 4;
// Where tensors start unless general.alignment says otherwise.
inline constexpr uint32_t kDefaultAlignment = 32;
// The format's own lower bound (f64 and i64 elements are then aligned), and the size of a huge page: more
// serves nobody.
inline constexpr uint32_t kMinAlignment = 8;
inline constexpr uint32_t kMaxAlignment = 2u << 20;
// Real files have ten to a hundred keys, and 50 000 tensors when every expert is stored by itself. Beyond
// that the table is the attack.
inline constexpr uint64_t kMaxKeys = 1u << 16;
inline constexpr uint64_t kMaxTensors = 1u << 20;
// The format's own bound for keys. Tensor names are at most 63 bytes in the family; longer ones harm nothing
// here.
inline constexpr uint64_t kMaxKeyBytes = 65535;
inline constexpr uint64_t kMaxTensorNameBytes = 1024;

// One row of the tensor table. Dimension 0 is the row length (elements that lie together); unused dimensions
// are 1. All are at least 1, their product fits int64_t, row length and rows suit the type, and the bytes lie
// within the file and overlap no other tensor.
struct TensorInfo {
    std::string_view name;
    const TypeInfo* type = nullptr;
    int n_dims = 0;  // as stored: 0..4
    std::array<int64_t, kMaxDims> dims{1, 1, 1, 1};
    uint64_t offset = 0;  // bytes from the start of the file
    uint64_t n_bytes = 0;
    const std::byte* data = nullptr;
    int part = 0;  // which file of a split model; 0 for a Reader

    int64_t n_elements() const { return dims[0] * n_rows(); }
    int64_t n_rows() const { return dims[1] * dims[2] * dims[3]; }
    std::span<const std::byte> bytes() const { return {data, n_bytes}; }
    // "[4096, 32000]", for people
    std::string shape() const;
};

struct OpenOptions {
    // copied: the file is checked through a mapping first, then read whole; for systems and disks where
    // mapping is slow.
    FileAccess access = FileAccess::mapped;
};

// A checked file. Move-only. Views (names, strings, tensor data) live as long as the reader or the one it was
// moved to. Const calls are thread-safe. Metadata and tensors are found by hash.
class Reader {
  public:
    // Costs a walk over metadata and tensor table (a few ms for 150 000 tokens), no tensor data. Throws
    // Error{not_found or io} from the system, Error{unsupported} for newer versions, big-endian files and
    // types this Cria does not know, Error{invalid_file} for anything damaged or not GGUF at all. Memory
    // taken before that is in proportion to the bytes that were in order.
    static Reader open(const std::string& path, const OpenOptions& options = {});
    // Reads bytes that the caller keeps alive and unchanged. `name` stands for the path in messages. Tensor
    // data are aligned as the file says only if `bytes` starts at such an address.
    static Reader from_bytes(std::span<const std::byte> bytes, std::string name = "memory");

    Reader(Reader&&) noexcept = default;
    Reader& operator=(Reader&&) noexcept = default;

    // The path, or the name given to from_bytes.
    const std::string& path() const { return path_; }
    uint32_t version() const { return version_; }
    uint32_t alignment() const { return alignment_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    // Where the first tensor may start; beyond the file's end only when there are no tensors.
    uint64_t data_offset() const { return data_offset_; }
    // The mapping behind bytes(), for locking and read-ahead; null for from_bytes.
    const ReadOnlyFile* file() const { return file_ ? &*file_ : nullptr; }

    // In the order of the file.
    std::span<const TensorInfo> tensors() const { return tensors_; }
    // Null when there is none.
    const TensorInfo* find(std::string_view name) const;

    const Metadata& metadata() const { return metadata_; }
    // Metadata::get and get_optional under shorter names.
    template <typename T>
    T metadata(std::string_view key) const {
        return metadata_.get<T>(key);
    }
    template <typename T>
    std::optional<T> optional_metadata(std::string_view key) const {
        return metadata_.get_optional<T>(key);
    }

  private:
    Reader() = default;
    void parse();

    std::string path_;
    std::optional<ReadOnlyFile> file_;
    std::span<const std::byte> bytes_;
    uint32_t version_ = 0;
    uint32_t alignment_ = kDefaultAlignment;
    uint64_t data_offset_ = 0;
    Metadata metadata_;
    std::vector<TensorInfo> tensors_;
    std::unordered_map<std::string_view, size_t> tensor_index_;
};

}  // namespace cria::gguf
