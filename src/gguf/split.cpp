// Names of parts, and the checks that parts belong together.
#include "gguf/split.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "gguf/checks.h"
#include "gguf/text.h"

namespace cria::gguf {
namespace {

constexpr std::string_view kNumberKey = "split.no";
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kTensorsKey = "split.tensors.count";

constexpr size_t kDigits = 5;
constexpr int kMaxNumber = 99999;
// "-00001-of-00005.gguf"
constexpr size_t kSuffixLength = 1 + kDigits + 4 + kDigits + 5;

int parse_number(std::string_view digits) {
    int number = -1;
    if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) return -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::vector<std::string> missing_files(const SplitName& name) {
    std::vector<std::string> missing;
    for (int i = 0; i < name.n_parts; ++i) {
        std::string path = split_path(name.prefix, i, name.n_parts);
        if (!file_exists(path)) missing.push_back(std::move(path));
    }
    return missing;
}

[[noreturn]] void fail_missing(const std::string& path, const std::vector<std::string>& missing,
                               int n_parts) {
    constexpr size_t kListed = 20;
    std::string list;
    for (size_t i = 0; i < std::min(missing.size(), kListed); ++i) {
        list += fmt::format("{}'{}'", i == 0 ? "" : ", ", missing[i]);
    }
    if (missing.size() > kListed) list += fmt::format(" and {} more", missing.size() - kListed);
    fail(ErrorCode::not_found,
         "'{}' is one of {} parts, of which {} are missing: {}; all have to be in the same folder", path,
         n_parts, missing.size(), list);
}

// How many parts the model of this file has, by its metadata.
int part_count(const Reader& reader) {
    const int count = reader.optional_metadata<int32_t>(kCountKey).value_or(1);
    if (count < 0 || count > kMaxParts) {
        fail(ErrorCode::invalid_file, "'{}': '{}' is {}; the limit is {}", reader.path(), kCountKey, count,
             kMaxParts);
    }
    return std::max(count, 1);
}

// The name of a part has to agree with its metadata, or the other parts cannot be found.
SplitName name_of_part(const Reader& reader, int n_parts) {
    const int part = reader.metadata<int32_t>(kNumberKey);
    auto name = parse_split_path(reader.path());
    if (!name || name->n_parts != n_parts || name->part != part) {
        fail(ErrorCode::invalid_file,
             "'{}' holds part {} of {} ('{}' {}, '{}' {}), but its name does not end in "
             "-{:05}-of-{:05}.gguf; give it the name it was made "
             "with",
             reader.path(), int64_t{part} + 1, n_parts, kNumberKey, part, kCountKey, n_parts,
             int64_t{part} + 1, n_parts);
    }
    return *name;
}

void check_part(const Reader& reader, int part, int n_parts) {
    const int stored_count = reader.metadata<int32_t>(kCountKey);
    const int stored_part = reader.metadata<int32_t>(kNumberKey);
    if (stored_count != n_parts || stored_part != part) {
        fail(ErrorCode::invalid_file,
             "'{}' should be part {} of {}, but holds '{}' {} and '{}' {}: files of different models, or "
             "renamed",
             reader.path(), part + 1, n_parts, kNumberKey, stored_part, kCountKey, stored_count);
    }
}

std::vector<Reader> only(Reader whole) {
    std::vector<Reader> parts;
    parts.push_back(std::move(whole));
    return parts;
}

// The next part of a model that is being cut, still without tensors.
FileBuilder next_part(const FileBuilder& whole) {
    FileBuilder part(whole.version());
    if (const Value* alignment = whole.metadata().find(kAlignmentKey))
        part.metadata().set(kAlignmentKey, *alignment);
    return part;
}

}  // namespace

std::string split_path(std::string_view prefix, int part, int n_parts) {
    if (part < 0 || part >= n_parts || n_parts > kMaxNumber) {
        fail(ErrorCode::invalid_argument, "there is no part {} of {}: parts are counted from 0, up to {}",
             part, n_parts, kMaxNumber);
    }
    return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, part + 1, n_parts);
}

std::optional<SplitName> parse_split_path(std::string_view path) {
    if (path.size() <= kSuffixLength) return std::nullopt;
    const std::string_view prefix = path.substr(0, path.size() - kSuffixLength);
    const int number = parse_number(path.substr(prefix.size() + 1, kDigits));
    const int count = parse_number(path.substr(prefix.size() + 1 + kDigits + 4, kDigits));
    if (number < 1 || number > count || split_path(prefix, number - 1, count) != path) return std::nullopt;
    return SplitName{std::string(prefix), number - 1, count};
}

std::string split_prefix(std::string_view path, int part, int n_parts) {
    auto name = parse_split_path(path);
    if (!name || name->part != part || name->n_parts != n_parts) return {};
    return std::move(name->prefix);
}

ModelFiles ModelFiles::open(const std::string& path, const OpenOptions& options) {
    // A part is only mapped to learn of the others; a whole model is not read twice.
    Reader first = Reader::open(path, {.access = FileAccess::mapped});
    const int n_parts = part_count(first);
    if (n_parts == 1) {
        if (options.access == FileAccess::mapped) return ModelFiles(std::move(first));
        return ModelFiles(Reader::open(path, options));
    }
    const SplitName name = name_of_part(first, n_parts);
    if (const auto missing = missing_files(name); !missing.empty()) fail_missing(path, missing, n_parts);
    std::vector<Reader> parts;
    for (int i = 0; i < n_parts; ++i) {
        parts.push_back(Reader::open(split_path(name.prefix, i, n_parts), options));
        check_part(parts.back(), i, n_parts);
    }
    ModelFiles model(std::move(parts));
    const auto n_tensors = model.optional_metadata<uint64_t>(kTensorsKey);
    if (n_tensors && *n_tensors != model.tensors().size()) {
        fail(ErrorCode::invalid_file, "'{}': '{}' is {}, but the {} parts hold {} tensors", model.path(),
             kTensorsKey, *n_tensors, n_parts, model.tensors().size());
    }
    return model;
}

ModelFiles::ModelFiles(Reader whole) : ModelFiles(only(std::move(whole))) {}

ModelFiles::ModelFiles(std::vector<Reader> parts) : parts_(std::move(parts)) {
    for (size_t part = 0; part < parts_.size(); ++part) {
        for (TensorInfo tensor : parts_[part].tensors()) {
            tensor.part = static_cast<int>(part);
            const auto [other, is_new] = tensor_index_.emplace(tensor.name, tensors_.size());
            if (!is_new) {
                fail(ErrorCode::invalid_file, "tensor {} is both in '{}' and in '{}'", quoted(tensor.name),
                     parts_[static_cast<size_t>(tensors_[other->second].part)].path(), parts_[part].path());
            }
            tensors_.push_back(tensor);
        }
    }
}

uint64_t ModelFiles::total_bytes() const {
    uint64_t total = 0;
    for (const Reader& part : parts_) total += part.bytes().size();
    return total;
}

const TensorInfo* ModelFiles::find(std::string_view name) const {
    const auto found = tensor_index_.find(name);
    return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

std::vector<FileBuilder> split_into_parts(const FileBuilder& whole, const SplitLimits& limits) {
    if (limits.max_tensors == 0 || limits.max_data_bytes == 0) {
        fail(ErrorCode::invalid_argument,
             "a part of a split model has to take at least one tensor and one byte");
    }
    std::vector<FileBuilder> parts;
    parts.emplace_back(whole.version());
    parts.back().metadata() = whole.metadata();
    uint64_t taken = 0;
    for (const FileBuilder::Tensor& tensor : whole.tensors()) {
        const uint64_t n_tensors = parts.back().tensors().size();
        const bool has_room = n_tensors < limits.max_tensors && taken <= limits.max_data_bytes &&
                              tensor.n_bytes <= limits.max_data_bytes - taken;
        if (!has_room && n_tensors > 0) {
            parts.push_back(next_part(whole));
            taken = 0;
        }
        parts.back().add_tensor(tensor.name, tensor.type->type, tensor.dims);
        taken += tensor.n_bytes;
    }
    if (parts.size() > static_cast<size_t>(kMaxParts)) {
        fail(ErrorCode::invalid_argument,
             "the model would have {} parts, the limit is {}; make the parts larger", parts.size(),
             kMaxParts);
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        parts[i].metadata().set(kNumberKey, Value::number(static_cast<uint16_t>(i)));
        parts[i].metadata().set(kCountKey, Value::number(static_cast<uint16_t>(parts.size())));
        parts[i].metadata().set(kTensorsKey, Value::number(static_cast<int32_t>(whole.tensors().size())));
    }
    return parts;
}

}  // namespace cria::gguf
