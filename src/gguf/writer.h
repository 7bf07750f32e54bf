// Makes GGUF files. A FileBuilder says what a file holds; sizes are then known before a byte is written. A
// FileWriter streams the tensor data behind the header into a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/file.h"
#include "base/function_ref.h"
#include "gguf/metadata.h"
#include "gguf/reader.h"

namespace cria::gguf {

// Copies share the bytes of metadata values: these live as long as the reader they came from. Not
// thread-safe.
class FileBuilder {
  public:
    struct Tensor {
        std::string name;
        const TypeInfo* type = nullptr;
        std::vector<int64_t> dims;
        uint64_t n_bytes = 0;
    };

    // version: 1 to 3. Throws Error{invalid_argument}.
    explicit FileBuilder(uint32_t version = kMaxVersion);
    // A file with the same metadata and tensors as a reader, without the keys that say which part of a split
    // model it is.
    static FileBuilder like(const Metadata& metadata, std::span<const TensorInfo> tensors,
                            uint32_t version = kMaxVersion);

    uint32_t version() const { return version_; }
    // To be filled with set(). Key "general.alignment" (u32) decides the alignment; 32 without it.
    Metadata& metadata() { return metadata_; }
    const Metadata& metadata() const { return metadata_; }

    // Adds a tensor behind the others; dims has 0 to 4 entries, the row length first. Throws
    // Error{invalid_argument} for what the reader would refuse: an empty or second name, a dimension below 1,
    // a shape that the type cannot have.
    void add_tensor(std::string_view name, ElementType type, std::span<const int64_t> dims);
    std::span<const Tensor> tensors() const { return tensors_; }

    // Throw Error{invalid_argument} when keys, alignment or (version 1) lengths are not allowed in a file.
    uint32_t alignment() const;
    // All that stands before the data of the first tensor, padded to the alignment.
    std::vector<std::byte> encode_header() const;
    // Bytes of the data section: every tensor padded to the alignment, the last one too.
    uint64_t data_bytes() const;

  private:
    uint32_t version_;
    Metadata metadata_;
    std::vector<Tensor> tensors_;
    std::unordered_set<std::string> names_;
};

// Streams one file. Throws Error{io} with path and reason; without commit() nothing is left behind.
class FileWriter {
  public:
    // Writes the header. The builder must outlive the writer, unchanged.
    FileWriter(const FileBuilder& builder, const std::string& path);

    // The next bytes of the tensor in turn, in pieces of any size. A tensor that is complete is padded, and
    // the next one is in turn. Throws Error{invalid_argument} for more bytes than the tensor has.
    void write(std::span<const std::byte> bytes);
    // Tensors that are complete; equally the index of the one in turn.
    size_t n_complete() const { return tensor_; }
    uint64_t written_bytes() const { return file_.written_bytes(); }
    // Puts the file in its place. Throws Error{invalid_argument} when data are missing.
    void commit();

  private:
    const FileBuilder& builder_;
    AtomicFileWriter file_;
    uint32_t alignment_;
    size_t tensor_ = 0;
    uint64_t tensor_done_ = 0;
};

// The whole file as bytes. fill is called once for every tensor in order, with its bytes zeroed.
std::vector<std::byte> encode_file(const FileBuilder& builder,
                                   FunctionRef<void(const FileBuilder::Tensor&, std::span<std::byte>)> fill);

}  // namespace cria::gguf
