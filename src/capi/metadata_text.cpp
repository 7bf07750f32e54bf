// See the header.
#include "capi/metadata_text.h"

#include <fmt/core.h>

namespace cria::capi {
namespace {

constexpr size_t kMaxElements = 16;

std::string scalar_text(const gguf::Value& value) {
    using gguf::ValueType;
    switch (value.type()) {
        case ValueType::f32:
            return fmt::format("{}", value.as<float>("value"));
        case ValueType::f64:
            return fmt::format("{}", value.as<double>("value"));
        case ValueType::boolean:
            return value.as<bool>("value") ? "true" : "false";
        case ValueType::string:
            return value.as<std::string>("value");
        case ValueType::u64:
            return fmt::format("{}", value.as<uint64_t>("value"));
        default:
            return fmt::format("{}", value.as<int64_t>("value"));
    }
}

}  // namespace

std::string metadata_text(const gguf::Value& value) {
    if (!value.is_array()) return scalar_text(value);
    std::string text = "[";
    size_t n = 0;
    value.for_each([&](const gguf::Value& element) {
        if (n++ > 0) text += ", ";
        if (n > kMaxElements) {
            text += "...";
            return false;
        }
        // Arrays in arrays are not known to occur; their type says enough.
        if (element.is_array()) {
            text += element.type_name();
        } else if (element.type() == gguf::ValueType::string) {
            text += '"' + scalar_text(element) + '"';
        } else {
            text += scalar_text(element);
        }
        return true;
    });
    return text + "]";
}

}  // namespace cria::capi
