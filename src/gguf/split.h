// Models in several files, NAME-00001-of-00005.gguf and so on: their names, opening all parts through any one
// of them, and cutting a model into parts. Tools open models with ModelFiles, which is the same for one file
// and for many.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gguf/reader.h"
#include "gguf/writer.h"

namespace cria::gguf {

// Each part is a mapping, of which Linux gives a process 65 530; the largest models have some hundred parts.
inline constexpr int kMaxParts = 4096;

// PREFIX-00001-of-00005.gguf for part 0 of 5. Throws Error{invalid_argument} unless 0 <= part < n_parts <=
// 99999.
std::string split_path(std::string_view prefix, int part, int n_parts);

// What such a name says; nothing for other names. prefix includes folders and is not empty.
struct SplitName {
    std::string prefix;
    int part = 0;  // from 0
    int n_parts = 1;
};
std::optional<SplitName> parse_split_path(std::string_view path);

// The prefix, if the path is the name of exactly this part; empty otherwise.
std::string split_prefix(std::string_view path, int part, int n_parts);

// A model: one tensor table over all parts, the metadata of the first. Move-only; views live as long as this
// or what it was moved to. Const calls are thread-safe.
class ModelFiles {
  public:
    // path: the file, or any part of a split model. Throws what Reader::open throws for any part;
    // Error{not_found} listing all parts that are missing; Error{invalid_file} when parts disagree (split.no,
    // split.count, split.tensors.count), or a tensor is in two.
    static ModelFiles open(const std::string& path, const OpenOptions& options = {});
    // A model of one file, for example from bytes in memory.
    explicit ModelFiles(Reader whole);

    ModelFiles(ModelFiles&&) noexcept = default;
    ModelFiles& operator=(ModelFiles&&) noexcept = default;

    // TensorInfo::part is an index into this.
    std::span<const Reader> parts() const { return parts_; }
    // The path of the first part.
    const std::string& path() const { return parts_.front().path(); }
    uint64_t total_bytes() const;

    // Part after part, in the order of the files.
    std::span<const TensorInfo> tensors() const { return tensors_; }
    // Null when there is none.
    const TensorInfo* find(std::string_view name) const;

    const Metadata& metadata() const { return parts_.front().metadata(); }
    template <typename T>
    T metadata(std::string_view key) const {
        return metadata().get<T>(key);
    }
    template <typename T>
    std::optional<T> optional_metadata(std::string_view key) const {
        return metadata().get_optional<T>(key);
    }

  private:
    explicit ModelFiles(std::vector<Reader> parts);

    std::vector<Reader> parts_;
    std::vector<TensorInfo> tensors_;
    std::unordered_map<std::string_view, size_t> tensor_index_;
};

// A part takes tensors in order until one of these would be exceeded; at least one each.
struct SplitLimits {
    uint64_t max_tensors = std::numeric_limits<uint64_t>::max();
    uint64_t max_data_bytes = std::numeric_limits<uint64_t>::max();
};
// The parts of a model, to be written as split_path(prefix, i, n). All metadata go to the first part, the
// split.* keys to every one. Throws Error{invalid_argument} for a limit of 0 and for more than kMaxParts
// parts.
std::vector<FileBuilder> split_into_parts(const FileBuilder& whole, const SplitLimits& limits);

}  // namespace cria::gguf
