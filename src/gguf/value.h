// Metadata values of a GGUF file, read where they lie: a Value points at checked bytes and converts on
// demand, so a list of 150 000 tokens costs nothing until it is asked for. Values made by Cria (for writing,
// or to override a file's) own their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"

namespace cria::gguf {

// Ids as in the file.
enum class ValueType : uint32_t {
    u8 = 0,
    i8 = 1,
    u16 = 2,
    i16 = 3,
    u32 = 4,
    i32 = 5,
    f32 = 6,
    boolean = 7,
    string = 8,
    array = 9,
    u64 = 10,
    i64 = 11,
    f64 = 12,
};
inline constexpr uint32_t kValueTypeCount = 13;

// "u32", "string", ...
const char* value_type_name(ValueType type);
// Bytes of one number or boolean; 0 for strings and arrays, whose size depends on the value.
size_t value_type_bytes(ValueType type);

// Arrays within arrays: no known file has any, and reading them is recursive.
inline constexpr int kMaxArrayDepth = 8;

// Bytes of a length in the file: 4 in version 1, 8 since version 2.
enum class LengthWidth : uint8_t { narrow = 4, wide = 8 };
uint64_t load_length(const std::byte* at, LengthWidth width);

// Numbers of exactly type T as they lie in the file, which need not be aligned. Valid as long as what they
// came from.
template <typename T>
class NumberArray {
  public:
    NumberArray() = default;
    NumberArray(const std::byte* data, size_t size) : data_(data), size_(size) {}

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T operator[](size_t i) const {
        T value;
        std::memcpy(&value, data_ + i * sizeof(T), sizeof(T));
        return value;
    }

  private:
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
};

// Strings as they lie in the file, to be walked in order: `for (std::string_view token : tokens)`. Valid as
// long as what they came from. A place in the middle is only found by walking: vector() makes the table when
// it is needed.
class StringArray {
  public:
    class Iterator {
      public:
        using value_type = std::string_view;
        using difference_type = std::ptrdiff_t;

        Iterator() = default;
        Iterator(const std::byte* at, size_t left, LengthWidth width) : at_(at), left_(left), width_(width) {}
        std::string_view operator*() const {
            return {reinterpret_cast<const char*>(at_) + static_cast<size_t>(width_),
                    load_length(at_, width_)};
        }
        Iterator& operator++() {
            at_ += static_cast<size_t>(width_) + load_length(at_, width_);
            --left_;
            return *this;
        }
        Iterator operator++(int) {
            Iterator old = *this;
            ++*this;
            return old;
        }
        bool operator==(const Iterator& other) const { return left_ == other.left_; }

      private:
        const std::byte* at_ = nullptr;
        size_t left_ = 0;
        LengthWidth width_ = LengthWidth::wide;
    };

    StringArray() = default;
    StringArray(const std::byte* data, size_t size, LengthWidth width)
        : data_(data), size_(size), width_(width) {}

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Iterator begin() const { return {data_, size_, width_}; }
    Iterator end() const { return {nullptr, 0, width_}; }
    std::vector<std::string_view> vector() const;

  private:
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
    LengthWidth width_ = LengthWidth::wide;
};

// One value of any of the 13 types. Copies are cheap and share their bytes. Const calls are thread-safe.
class Value {
  public:
    // Makers; the value owns its bytes. numbers<bool> makes an array of booleans. Defined for bool, the eight
    // integer types, float and double. arrays() takes values that are arrays themselves;
    // Error{invalid_argument} otherwise.
    template <typename T>
    static Value number(T value);
    static Value string(std::string_view text);
    template <typename T>
    static Value numbers(std::span<const T> values);
    static Value strings(std::span<const std::string_view> texts);
    static Value arrays(std::span<const Value> values);

    // What a checked file holds; the bytes are not copied. `size` counts elements (1 unless type is array).
    // bytes: numbers as in the file, the characters of a string, the elements of an array one after the
    // other.
    struct Place {
        ValueType type = ValueType::u8;
        ValueType element_type = ValueType::u8;  // of an array
        uint64_t size = 1;
        std::span<const std::byte> bytes{};
        LengthWidth width = LengthWidth::wide;
    };
    explicit Value(const Place& place) : place_(place) {}

    ValueType type() const { return place_.type; }
    bool is_array() const { return place_.type == ValueType::array; }
    ValueType element_type() const { return place_.element_type; }
    uint64_t size() const { return place_.size; }
    const Place& place() const { return place_; }
    // "u32", "array of string"
    std::string type_name() const;

    // The value as T, one of
    //   bool, (u)int8_t .. (u)int64_t, float, double, std::string_view (a view) or std::string (a copy);
    //   StringArray and NumberArray<T> (views; the element type must be exactly T);
    //   std::vector of bool, int32_t, uint32_t, int64_t, uint64_t, float, double, std::string_view,
    //   std::string (converted copies).
    // Integers convert to any integer type that holds the value, and to float and double; booleans to
    // integers 0 and 1; f32 and f64 to each other. Nothing else converts: in particular no float becomes an
    // integer and no integer a boolean. Otherwise throws Error{invalid_file}, which starts with `what`, the
    // words for this value, and names both types, or value and limit.
    template <typename T>
    T as(std::string_view what) const;

    // Calls visit for the elements of an array in order until it returns false; for other types once, with
    // the value itself.
    void for_each(FunctionRef<bool(const Value&)> visit) const;

  private:
    static Value owning(Place place, std::vector<std::byte> bytes);

    Place place_;
    std::shared_ptr<const std::vector<std::byte>> owned_;  // null: the bytes are somebody else's
};

// Appends a length of the given width. Throws Error{invalid_argument} when it does not fit.
void append_length(std::vector<std::byte>& out, uint64_t length, LengthWidth width);
// The same for a whole value as it stands in a file after its type.
void append_value(std::vector<std::byte>& out, const Value& value, LengthWidth width);

// Bytes that `size` elements of an array take, given that they have been checked.
size_t checked_elements_bytes(const std::byte* at, ValueType element_type, uint64_t size, LengthWidth width);

}  // namespace cria::gguf
