// The checks of a GGUF file, one function per part of the file, in the order of docs/gguf.md.
#include "gguf/reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "gguf/checks.h"
#include "gguf/sniff.h"
#include "gguf/text.h"

namespace cria::gguf {
namespace {

// A place in the file, as words only when something is wrong there: "length of metadata value 'a.b'",
// "dimension 2 of tensor 'x'".
struct Field {
    const char* what;
    const char* owner = "";      // "metadata value", "tensor"
    std::string_view name = {};  // of the owner
    int64_t index = -1;          // of the field within the owner, from 0

    std::string words() const {
        std::string out = what;
        if (index >= 0) out += fmt::format(" {}", index);
        if (*owner != '\0') out += fmt::format(" of {} {}", owner, quoted(name));
        return out;
    }
};

// Walks over the bytes of a file; every step is checked against its end.
class Cursor {
  public:
    Cursor(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    uint64_t position() const { return position_; }
    uint64_t remaining() const { return bytes_.size() - position_; }
    LengthWidth width() const { return width_; }
    void set_width(LengthWidth width) { width_ = width; }
    uint64_t length_bytes() const { return static_cast<uint64_t>(width_); }
    std::span<const std::byte> since(uint64_t start) const {
        return bytes_.subspan(start, position_ - start);
    }

    std::span<const std::byte> take(uint64_t n_bytes, const Field& field) {
        if (n_bytes > remaining()) {
            fail(ErrorCode::invalid_file,
                 "'{}': {} needs {} bytes at byte {}, but the file ends after {}; it is truncated or "
                 "damaged, get another copy",
                 path_, field.words(), n_bytes, position_, remaining());
        }
        const auto taken = bytes_.subspan(position_, n_bytes);
        position_ += n_bytes;
        return taken;
    }

    template <typename T>
    T read(const Field& field) {
        T value;
        std::memcpy(&value, take(sizeof(T), field).data(), sizeof(T));
        return value;
    }

    // A count, length or dimension: 32 bits in version 1, 64 since.
    uint64_t read_length(const Field& field) {
        return width_ == LengthWidth::wide ? read<uint64_t>(field) : read<uint32_t>(field);
    }

    // A count of things that take at least `least_bytes` each in what remains of the file.
    uint64_t read_count(const Field& field, uint64_t least_bytes,
                        uint64_t limit = std::numeric_limits<uint64_t>::max()) {
        const uint64_t count = read_length(field);
        if (count > limit) refuse(field, count, fmt::format("the limit is {}", limit));
        if (count > remaining() / least_bytes) {
            refuse(field, count,
                   fmt::format("the {} bytes that follow hold at most {}", remaining(),
                               remaining() / least_bytes));
        }
        return count;
    }

    std::string_view read_string(const Field& field, uint64_t limit = std::numeric_limits<uint64_t>::max()) {
        const uint64_t length = read_count(field, 1, limit);
        const auto bytes = take(length, field);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    // Throws: the field just read has this value, and why that cannot be.
    template <typename T>
    [[noreturn]] void refuse(const Field& field, const T& value, std::string_view why,
                             ErrorCode code = ErrorCode::invalid_file) const {
        fail(code, "'{}': {} is {}; {} (before byte {})", path_, field.words(), value, why, position_);
    }

  private:
    std::span<const std::byte> bytes_;
    const std::string& path_;
    uint64_t position_ = 0;
    LengthWidth width_ = LengthWidth::wide;
};

uint32_t read_version(Cursor& in, std::span<const std::byte> bytes, const std::string& path) {
    if (bytes.size() < 4 || std::memcmp(bytes.data(), "GGUF", 4) != 0) {
        fail(ErrorCode::invalid_file, "'{}' is not a GGUF file: {}", path, describe_other_file(bytes));
    }
    in.take(4, {"magic"});
    const auto version = in.read<uint32_t>({"version"});
    if (version >= 1 && version <= kMaxVersion) return version;
    const uint32_t swapped = __builtin_bswap32(version);
    if (swapped >= 1 && swapped <= kMaxVersion) {
        in.refuse(
            {"version"}, version,
            fmt::format(
                "this is version {} in big-endian order, which Cria does not read: convert the model again "
                "for little-endian machines",
                swapped),
            ErrorCode::unsupported);
    }
    in.refuse({"version"}, version, fmt::format("Cria reads 1 to {}", kMaxVersion), ErrorCode::unsupported);
}

ValueType read_value_type(Cursor& in, const Field& field) {
    const auto id = in.read<uint32_t>(field);
    if (id >= kValueTypeCount)
        in.refuse(field, id, fmt::format("value types are 0 to {}", kValueTypeCount - 1));
    return ValueType{id};
}

void check_booleans(const Cursor& in, std::span<const std::byte> bytes, const Field& field) {
    for (const std::byte byte : bytes) {
        if (std::to_integer<unsigned>(byte) > 1) {
            in.refuse(field, std::to_integer<unsigned>(byte), "a boolean is 0 or 1");
        }
    }
}

uint64_t least_bytes_of(const Cursor& in, ValueType type) {
    if (type == ValueType::string) return in.length_bytes();
    return type == ValueType::array ? 4 + in.length_bytes() : value_type_bytes(type);
}

struct ArrayHeader {
    ValueType element_type;
    uint64_t size;
};

ArrayHeader read_array_header(Cursor& in, std::string_view key) {
    const ValueType element_type = read_value_type(in, {"element type", "metadata value", key});
    const uint64_t size =
        in.read_count({"element count", "metadata value", key}, least_bytes_of(in, element_type));
    return {element_type, size};
}

// Walks over the elements of an array, checking them. depth: 1 for an array that is a value.
void skip_elements(Cursor& in, const ArrayHeader& array, std::string_view key, int depth) {
    const Field field{"elements", "metadata value", key};
    if (array.element_type == ValueType::string) {
        for (uint64_t i = 0; i < array.size; ++i) {
            in.read_string({"length of element", "metadata value", key, static_cast<int64_t>(i)});
        }
    } else if (array.element_type == ValueType::array) {
        if (depth >= kMaxArrayDepth) {
            in.refuse({"depth of arrays", "metadata value", key}, depth + 1,
                      fmt::format("the limit is {}", kMaxArrayDepth));
        }
        for (uint64_t i = 0; i < array.size; ++i)
            skip_elements(in, read_array_header(in, key), key, depth + 1);
    } else {
        const auto bytes = in.take(array.size * value_type_bytes(array.element_type), field);
        if (array.element_type == ValueType::boolean) check_booleans(in, bytes, field);
    }
}

Value read_value(Cursor& in, ValueType type, std::string_view key) {
    const Field field{"content", "metadata value", key};
    Value::Place place{.type = type, .width = in.width()};
    if (type == ValueType::string) {
        const std::string_view text = in.read_string({"length", "metadata value", key});
        place.bytes = std::as_bytes(std::span(text));
    } else if (type == ValueType::array) {
        const ArrayHeader header = read_array_header(in, key);
        const uint64_t start = in.position();
        skip_elements(in, header, key, 1);
        place.element_type = header.element_type;
        place.size = header.size;
        place.bytes = in.since(start);
    } else {
        place.bytes = in.take(value_type_bytes(type), field);
        if (type == ValueType::boolean) check_booleans(in, place.bytes, field);
    }
    return Value(place);
}

struct NameWords {
    const char* name;
    const char* length;
};
constexpr NameWords kKeyWords{"metadata key", "length of metadata key"};
constexpr NameWords kTensorWords{"name of tensor", "length of name of tensor"};

std::string_view read_name(Cursor& in, const NameWords& words, uint64_t index, uint64_t limit) {
    const std::string_view name = in.read_string({words.length, "", {}, static_cast<int64_t>(index)}, limit);
    const Field field{words.name, "", {}, static_cast<int64_t>(index)};
    if (const std::string fault = name_fault(name, limit); !fault.empty())
        in.refuse(field, quoted(name), fault);
    return name;
}

void read_metadata(Cursor& in, uint64_t count, Metadata& metadata) {
    for (uint64_t i = 0; i < count; ++i) {
        const std::string_view key = read_name(in, kKeyWords, i, kMaxKeyBytes);
        if (metadata.contains(key)) {
            in.refuse({"metadata key", "", {}, static_cast<int64_t>(i)}, quoted(key),
                      "the file has this key twice");
        }
        const ValueType type = read_value_type(in, {"type", "metadata value", key});
        metadata.set(key, read_value(in, type, key));
    }
}

uint32_t find_alignment(const Cursor& in, const Metadata& metadata) {
    const Value* value = metadata.find(kAlignmentKey);
    if (value == nullptr) return kDefaultAlignment;
    const Field field{"content", "metadata value", kAlignmentKey};
    if (value->type() != ValueType::u32) {
        in.refuse({"type", "metadata value", kAlignmentKey}, value->type_name(), "it has to be u32");
    }
    const auto alignment = metadata.get<uint32_t>(kAlignmentKey);
    if (const std::string fault = alignment_fault(alignment); !fault.empty())
        in.refuse(field, alignment, fault);
    return alignment;
}

// Type ids that were given away once and cannot be read, so that the message can say more than "unknown".
const char* words_for_unknown_type(uint32_t id) {
    if (id == 4 || id == 5)
        return "this type (q4_2, q4_3) was retired in 2023; convert the original model again";
    if (id == 142 || id == 143) return "this type was retired; quantise the original model again";
    if (id == 37 || id == 38) return "this interleaved type was retired; quantise the original model again";
    if ((id >= 97 && id <= 99) || id == 136 || (id >= 147 && id <= 150)) {
        return "this type only exists while a program runs, never in a file";
    }
    return "Cria knows no type with this id; the file is damaged, or newer than this Cria";
}

const TypeInfo* read_element_type(Cursor& in, std::string_view name) {
    const Field field{"type", "tensor", name};
    const auto id = in.read<uint32_t>(field);
    const TypeInfo* type =
        id <= std::numeric_limits<int32_t>::max() ? find_type(static_cast<int32_t>(id)) : nullptr;
    if (type == nullptr) in.refuse(field, id, words_for_unknown_type(id), ErrorCode::unsupported);
    return type;
}

void read_dims(Cursor& in, TensorInfo& tensor) {
    const Field count_field{"dimension count", "tensor", tensor.name};
    const auto n_dims = in.read<uint32_t>(count_field);
    if (n_dims > kMaxDims) in.refuse(count_field, n_dims, fmt::format("the limit is {}", kMaxDims));
    tensor.n_dims = static_cast<int>(n_dims);
    int64_t n_elements = 1;
    for (uint32_t i = 0; i < n_dims; ++i) {
        const Field field{"dimension", "tensor", tensor.name, i};
        const uint64_t dim = in.read_length(field);
        if (dim == 0) in.refuse(field, dim, "it has to be at least 1");
        if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            in.refuse(field, dim, "the limit is 2^63 - 1");
        tensor.dims[i] = static_cast<int64_t>(dim);
        const auto product = checked_mul(n_elements, tensor.dims[i]);
        if (!product) in.refuse(field, dim, "the product of the dimensions exceeds 2^63 - 1");
        n_elements = *product;
    }
}

// offset stays as in the file: from the start of the data section.
TensorInfo read_tensor(Cursor& in, uint64_t index, uint32_t alignment) {
    TensorInfo tensor;
    tensor.name = read_name(in, kTensorWords, index, kMaxTensorNameBytes);
    read_dims(in, tensor);
    tensor.type = read_element_type(in, tensor.name);
    if (const std::string fault = size_fault(tensor); !fault.empty()) {
        in.refuse({"shape", "tensor", tensor.name}, tensor.shape(), fault);
    }
    const Field field{"offset", "tensor", tensor.name};
    tensor.offset = in.read<uint64_t>(field);
    if (tensor.offset % alignment != 0) {
        in.refuse(field, tensor.offset,
                  fmt::format("it has to be a multiple of the alignment, {}", alignment));
    }
    return tensor;
}

// Turns offsets into places in the file.
void place_tensor(const Cursor& in, std::span<const std::byte> bytes, uint64_t data_offset,
                  TensorInfo& tensor) {
    const auto start = checked_add(data_offset, tensor.offset);
    const auto end = start ? checked_add(*start, tensor.n_bytes) : std::nullopt;
    if (!end) in.refuse({"offset", "tensor", tensor.name}, tensor.offset, "its end exceeds 2^64");
    if (*end > bytes.size()) {
        in.refuse({"end", "tensor", tensor.name}, fmt::format("byte {}", *end),
                  fmt::format("the file has {} bytes and is incomplete or damaged, get another copy",
                              bytes.size()));
    }
    tensor.offset = *start;
    tensor.data = bytes.data() + *start;
}

void refuse_overlaps(const Cursor& in, std::span<const TensorInfo> tensors) {
    std::vector<const TensorInfo*> by_offset;
    by_offset.reserve(tensors.size());
    for (const TensorInfo& tensor : tensors) by_offset.push_back(&tensor);
    std::sort(by_offset.begin(), by_offset.end(),
              [](const TensorInfo* a, const TensorInfo* b) { return a->offset < b->offset; });
    for (size_t i = 1; i < by_offset.size(); ++i) {
        const TensorInfo& before = *by_offset[i - 1];
        const TensorInfo& after = *by_offset[i];
        if (after.offset < before.offset + before.n_bytes) {
            in.refuse({"start", "tensor", after.name}, fmt::format("byte {}", after.offset),
                      fmt::format("it overlaps tensor {}, which ends at byte {}", quoted(before.name),
                                  before.offset + before.n_bytes));
        }
    }
}

}  // namespace

std::string TensorInfo::shape() const {
    std::string out = "[";
    for (int i = 0; i < n_dims; ++i)
        out += fmt::format("{}{}", i == 0 ? "" : ", ", dims[static_cast<size_t>(i)]);
    return out + "]";
}

void Reader::parse() {
    Cursor in(bytes_, path_);
    version_ = read_version(in, bytes_, path_);
    in.set_width(version_ == 1 ? LengthWidth::narrow : LengthWidth::wide);
    // The least a table row takes: a name of one byte, and an empty shape or a one-byte value.
    const uint64_t least_tensor_bytes = in.length_bytes() + 1 + 4 + 4 + 8;
    const uint64_t least_key_bytes = in.length_bytes() + 1 + 4 + 1;
    const uint64_t n_tensors = in.read_count({"tensor count"}, least_tensor_bytes, kMaxTensors);
    const uint64_t n_keys = in.read_count({"metadata count"}, least_key_bytes, kMaxKeys);

    read_metadata(in, n_keys, metadata_);
    alignment_ = find_alignment(in, metadata_);
    for (uint64_t i = 0; i < n_tensors; ++i) tensors_.push_back(read_tensor(in, i, alignment_));

    const auto data_offset = checked_align(in.position(), alignment_);
    CRIA_BUG_UNLESS(data_offset);
    data_offset_ = *data_offset;
    for (size_t i = 0; i < tensors_.size(); ++i) {
        place_tensor(in, bytes_, data_offset_, tensors_[i]);
        if (!tensor_index_.emplace(tensors_[i].name, i).second) {
            in.refuse({"name of tensor", "", {}, static_cast<int64_t>(i)}, quoted(tensors_[i].name),
                      "the file has this name twice");
        }
    }
    refuse_overlaps(in, tensors_);
}

Reader Reader::open(const std::string& path, const OpenOptions& options) {
    // A damaged file is refused before it is read whole.
    if (options.access == FileAccess::copied) open(path, {.access = FileAccess::mapped});
    Reader reader;
    reader.path_ = path;
    reader.file_ = ReadOnlyFile::open(path, options.access);
    reader.bytes_ = reader.file_->bytes();
    reader.metadata_ = Metadata(fmt::format("'{}'", path));
    reader.parse();
    return reader;
}

Reader Reader::from_bytes(std::span<const std::byte> bytes, std::string name) {
    Reader reader;
    reader.metadata_ = Metadata(fmt::format("'{}'", name));
    reader.path_ = std::move(name);
    reader.bytes_ = bytes;
    reader.parse();
    return reader;
}

const TensorInfo* Reader::find(std::string_view name) const {
    const auto found = tensor_index_.find(name);
    return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace cria::gguf
