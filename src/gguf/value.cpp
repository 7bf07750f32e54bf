// Conversions between what a file holds and what a program asks for, and the encoding of values that Cria
// makes.
#include "gguf/value.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace cria::gguf {
static_assert(std::endian::native == std::endian::little, "GGUF numbers are read as they lie in the file");

namespace {

struct TypeRow {
    const char* name;
    size_t n_bytes;
};
constexpr std::array<TypeRow, kValueTypeCount> kTypes = {{{"u8", 1},
                                                          {"i8", 1},
                                                          {"u16", 2},
                                                          {"i16", 2},
                                                          {"u32", 4},
                                                          {"i32", 4},
                                                          {"f32", 4},
                                                          {"boolean", 1},
                                                          {"string", 0},
                                                          {"array", 0},
                                                          {"u64", 8},
                                                          {"i64", 8},
                                                          {"f64", 8}}};

template <typename T>
constexpr ValueType type_of() {
    if constexpr (std::is_same_v<T, bool>) return ValueType::boolean;
    if constexpr (std::is_same_v<T, float>) return ValueType::f32;
    if constexpr (std::is_same_v<T, double>) return ValueType::f64;
    if constexpr (std::is_signed_v<T>) {
        return std::array{ValueType::i8, ValueType::i16, ValueType::i32,
                          ValueType::i64}[std::bit_width(sizeof(T)) - 1];
    }
    return std::array{ValueType::u8, ValueType::u16, ValueType::u32,
                      ValueType::u64}[std::bit_width(sizeof(T)) - 1];
}

template <typename T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

template <typename T>
void append(std::vector<std::byte>& out, T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
}

// What a number in a file converts to on its way to the type asked for.
enum class Kind { whole, real, truth };

Kind kind_of(ValueType type) {
    if (type == ValueType::boolean) return Kind::truth;
    return type == ValueType::f32 || type == ValueType::f64 ? Kind::real : Kind::whole;
}

bool is_number(ValueType type) { return value_type_bytes(type) != 0; }

template <typename T>
bool converts_to(ValueType from) {
    if (!is_number(from)) return false;
    if constexpr (std::is_same_v<T, bool>) return kind_of(from) == Kind::truth;
    if constexpr (std::is_integral_v<T>) return kind_of(from) != Kind::real;
    return kind_of(from) != Kind::truth;
}

template <typename T, typename Stored>
T narrow(Stored stored, std::string_view what) {
    if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
        return static_cast<T>(stored);
    } else {
        if (std::in_range<T>(stored)) return static_cast<T>(stored);
        fail(ErrorCode::invalid_file, "{} is {}, outside {}..{}", what, stored,
             int64_t{std::numeric_limits<T>::min()}, uint64_t{std::numeric_limits<T>::max()});
    }
}

// Precondition: converts_to<T>(type).
template <typename T>
T load_as(ValueType type, const std::byte* at, std::string_view what) {
    switch (type) {
        case ValueType::u8:
            return narrow<T>(unsigned{load<uint8_t>(at)}, what);
        case ValueType::i8:
            return narrow<T>(int{load<int8_t>(at)}, what);
        case ValueType::u16:
            return narrow<T>(load<uint16_t>(at), what);
        case ValueType::i16:
            return narrow<T>(load<int16_t>(at), what);
        case ValueType::u32:
            return narrow<T>(load<uint32_t>(at), what);
        case ValueType::i32:
            return narrow<T>(load<int32_t>(at), what);
        case ValueType::u64:
            return narrow<T>(load<uint64_t>(at), what);
        case ValueType::i64:
            return narrow<T>(load<int64_t>(at), what);
        case ValueType::boolean:
            return static_cast<T>(load<uint8_t>(at) != 0);
        case ValueType::f32:
            return static_cast<T>(load<float>(at));
        case ValueType::f64:
            return static_cast<T>(load<double>(at));
        case ValueType::string:
        case ValueType::array:
            break;
    }
    CRIA_BUG_UNLESS(is_number(type));
    return T{};
}

[[noreturn]] void fail_type(const Value& value, std::string_view what, const std::string& wanted) {
    fail(ErrorCode::invalid_file, "{} is {}; {} is needed", what, value.type_name(), wanted);
}

std::string array_of(ValueType element) { return fmt::format("array of {}", value_type_name(element)); }

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const Value::Place& array_place(const Value& value, ValueType element, std::string_view what) {
    if (!value.is_array() || value.element_type() != element) fail_type(value, what, array_of(element));
    return value.place();
}

// One reading per type that Value::as offers; the tag only selects.
template <typename T>
struct As {
    static T read(const Value& value, std::string_view what) {
        if (!converts_to<T>(value.type())) fail_type(value, what, value_type_name(type_of<T>()));
        return load_as<T>(value.type(), value.place().bytes.data(), what);
    }
};

template <>
struct As<std::string_view> {
    static std::string_view read(const Value& value, std::string_view what) {
        if (value.type() != ValueType::string) fail_type(value, what, value_type_name(ValueType::string));
        return text_of(value.place().bytes);
    }
};

template <>
struct As<std::string> {
    static std::string read(const Value& value, std::string_view what) {
        return std::string(As<std::string_view>::read(value, what));
    }
};

template <typename T>
struct As<NumberArray<T>> {
    static NumberArray<T> read(const Value& value, std::string_view what) {
        const Value::Place& place = array_place(value, type_of<T>(), what);
        return {place.bytes.data(), place.size};
    }
};

template <>
struct As<StringArray> {
    static StringArray read(const Value& value, std::string_view what) {
        const Value::Place& place = array_place(value, ValueType::string, what);
        return {place.bytes.data(), place.size, place.width};
    }
};

template <typename T>
struct As<std::vector<T>> {
    static std::vector<T> read(const Value& value, std::string_view what) {
        if (!value.is_array() || !converts_to<T>(value.element_type()))
            fail_type(value, what, array_of(type_of<T>()));
        const Value::Place& place = value.place();
        const size_t stride = value_type_bytes(place.element_type);
        std::vector<T> out(place.size);
        for (size_t i = 0; i < out.size(); ++i) {
            out[i] = load_as<T>(place.element_type, place.bytes.data() + i * stride, what);
        }
        return out;
    }
};

template <>
struct As<std::vector<std::string_view>> {
    static std::vector<std::string_view> read(const Value& value, std::string_view what) {
        return As<StringArray>::read(value, what).vector();
    }
};

template <>
struct As<std::vector<std::string>> {
    static std::vector<std::string> read(const Value& value, std::string_view what) {
        const StringArray texts = As<StringArray>::read(value, what);
        std::vector<std::string> out;
        out.reserve(texts.size());
        for (const std::string_view text : texts) out.emplace_back(text);
        return out;
    }
};

}  // namespace

const char* value_type_name(ValueType type) { return kTypes[static_cast<size_t>(type)].name; }
size_t value_type_bytes(ValueType type) { return kTypes[static_cast<size_t>(type)].n_bytes; }

uint64_t load_length(const std::byte* at, LengthWidth width) {
    return width == LengthWidth::wide ? load<uint64_t>(at) : load<uint32_t>(at);
}

std::vector<std::string_view> StringArray::vector() const {
    std::vector<std::string_view> out;
    out.reserve(size_);
    for (const std::string_view text : *this) out.push_back(text);
    return out;
}

size_t checked_elements_bytes(const std::byte* at, ValueType element_type, uint64_t size, LengthWidth width) {
    if (is_number(element_type)) return size * value_type_bytes(element_type);
    const auto length_bytes = static_cast<size_t>(width);
    size_t total = 0;
    for (uint64_t i = 0; i < size; ++i) {
        if (element_type == ValueType::string) {
            total += length_bytes + load_length(at + total, width);
            continue;
        }
        const auto inner = ValueType{load<uint32_t>(at + total)};
        const uint64_t inner_size = load_length(at + total + 4, width);
        total += 4 + length_bytes;
        total += checked_elements_bytes(at + total, inner, inner_size, width);
    }
    return total;
}

std::string Value::type_name() const {
    return is_array() ? array_of(place_.element_type) : value_type_name(place_.type);
}

template <typename T>
T Value::as(std::string_view what) const {
    return As<T>::read(*this, what);
}

void Value::for_each(FunctionRef<bool(const Value&)> visit) const {
    if (!is_array()) {
        visit(*this);
        return;
    }
    const std::byte* at = place_.bytes.data();
    for (uint64_t i = 0; i < place_.size; ++i) {
        Place element{.type = place_.element_type, .width = place_.width};
        size_t n_bytes = value_type_bytes(element.type);
        if (element.type == ValueType::string) {
            n_bytes = load_length(at, place_.width);
            at += static_cast<size_t>(place_.width);
        } else if (element.type == ValueType::array) {
            element.element_type = ValueType{load<uint32_t>(at)};
            element.size = load_length(at + 4, place_.width);
            at += 4 + static_cast<size_t>(place_.width);
            n_bytes = checked_elements_bytes(at, element.element_type, element.size, place_.width);
        }
        element.bytes = {at, n_bytes};
        at += n_bytes;
        if (!visit(Value(element))) return;
    }
}

namespace {

int array_depth(const Value& value) {
    if (!value.is_array()) return 0;
    int deepest = 0;
    if (value.element_type() == ValueType::array) {
        value.for_each([&](const Value& element) {
            deepest = std::max(deepest, array_depth(element));
            return true;
        });
    }
    return deepest + 1;
}

}  // namespace

void append_length(std::vector<std::byte>& out, uint64_t length, LengthWidth width) {
    if (width == LengthWidth::wide) return append(out, length);
    if (length > std::numeric_limits<uint32_t>::max()) {
        fail(ErrorCode::invalid_argument, "a length of {} does not fit the 32 bits of GGUF version 1",
             length);
    }
    append(out, static_cast<uint32_t>(length));
}

void append_value(std::vector<std::byte>& out, const Value& value, LengthWidth width) {
    const Value::Place& place = value.place();
    if (value.is_array()) {
        append(out, static_cast<uint32_t>(place.element_type));
        append_length(out, place.size, width);
        if (!is_number(place.element_type)) {
            value.for_each([&](const Value& element) {
                append_value(out, element, width);
                return true;
            });
            return;
        }
    } else if (value.type() == ValueType::string) {
        append_length(out, place.bytes.size(), width);
    }
    out.insert(out.end(), place.bytes.begin(), place.bytes.end());
}

Value Value::owning(Place place, std::vector<std::byte> bytes) {
    Value value(place);
    value.owned_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    value.place_.bytes = *value.owned_;
    return value;
}

template <typename T>
Value Value::number(T value) {
    std::vector<std::byte> bytes;
    append(bytes, value);
    return owning({.type = type_of<T>()}, std::move(bytes));
}

Value Value::string(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return owning({.type = ValueType::string}, {bytes.begin(), bytes.end()});
}

template <typename T>
Value Value::numbers(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return owning({.type = ValueType::array, .element_type = type_of<T>(), .size = values.size()},
                  {bytes.begin(), bytes.end()});
}

Value Value::strings(std::span<const std::string_view> texts) {
    std::vector<std::byte> bytes;
    for (const std::string_view text : texts) {
        const auto characters = std::as_bytes(std::span(text));
        append_length(bytes, text.size(), LengthWidth::wide);
        bytes.insert(bytes.end(), characters.begin(), characters.end());
    }
    return owning({.type = ValueType::array, .element_type = ValueType::string, .size = texts.size()},
                  std::move(bytes));
}

Value Value::arrays(std::span<const Value> values) {
    std::vector<std::byte> bytes;
    for (const Value& value : values) {
        if (!value.is_array()) {
            fail(ErrorCode::invalid_argument, "an array of arrays cannot hold a {}", value.type_name());
        }
        if (array_depth(value) >= kMaxArrayDepth) {
            fail(ErrorCode::invalid_argument, "arrays within arrays go at most {} deep", kMaxArrayDepth);
        }
        append_value(bytes, value, LengthWidth::wide);
    }
    return owning({.type = ValueType::array, .element_type = ValueType::array, .size = values.size()},
                  std::move(bytes));
}

// Everything that value.h promises, by name, so that the conversions stay out of the header.
template Value Value::number(bool);
template Value Value::number(uint8_t);
template Value Value::number(int8_t);
template Value Value::number(uint16_t);
template Value Value::number(int16_t);
template Value Value::number(uint32_t);
template Value Value::number(int32_t);
template Value Value::number(uint64_t);
template Value Value::number(int64_t);
template Value Value::number(float);
template Value Value::number(double);
template Value Value::numbers(std::span<const bool>);
template Value Value::numbers(std::span<const uint8_t>);
template Value Value::numbers(std::span<const int8_t>);
template Value Value::numbers(std::span<const uint16_t>);
template Value Value::numbers(std::span<const int16_t>);
template Value Value::numbers(std::span<const uint32_t>);
template Value Value::numbers(std::span<const int32_t>);
template Value Value::numbers(std::span<const uint64_t>);
template Value Value::numbers(std::span<const int64_t>);
template Value Value::numbers(std::span<const float>);
template Value Value::numbers(std::span<const double>);
template bool Value::as(std::string_view) const;
template uint8_t Value::as(std::string_view) const;
template int8_t Value::as(std::string_view) const;
template uint16_t Value::as(std::string_view) const;
template int16_t Value::as(std::string_view) const;
template uint32_t Value::as(std::string_view) const;
template int32_t Value::as(std::string_view) const;
template uint64_t Value::as(std::string_view) const;
template int64_t Value::as(std::string_view) const;
template float Value::as(std::string_view) const;
template double Value::as(std::string_view) const;
template std::string_view Value::as(std::string_view) const;
template std::string Value::as(std::string_view) const;
template StringArray Value::as(std::string_view) const;
template NumberArray<uint8_t> Value::as(std::string_view) const;
template NumberArray<int8_t> Value::as(std::string_view) const;
template NumberArray<uint16_t> Value::as(std::string_view) const;
template NumberArray<int16_t> Value::as(std::string_view) const;
template NumberArray<uint32_t> Value::as(std::string_view) const;
template NumberArray<int32_t> Value::as(std::string_view) const;
template NumberArray<uint64_t> Value::as(std::string_view) const;
template NumberArray<int64_t> Value::as(std::string_view) const;
template NumberArray<float> Value::as(std::string_view) const;
template NumberArray<double> Value::as(std::string_view) const;
template std::vector<bool> Value::as(std::string_view) const;
template std::vector<int32_t> Value::as(std::string_view) const;
template std::vector<uint32_t> Value::as(std::string_view) const;
template std::vector<int64_t> Value::as(std::string_view) const;
template std::vector<uint64_t> Value::as(std::string_view) const;
template std::vector<float> Value::as(std::string_view) const;
template std::vector<double> Value::as(std::string_view) const;
template std::vector<std::string_view> Value::as(std::string_view) const;
template std::vector<std::string> Value::as(std::string_view) const;

}  // namespace cria::gguf
