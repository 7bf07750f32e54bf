// See the header: each entry is checked before it is believed.
#include "capi/kv_overrides.h"

#include <cstring>
#include <string_view>

#include "capi/handles.h"

namespace cria::capi {
namespace {

std::string_view terminated(const char (&text)[128], const char* what, size_t index) {
    const void* end = std::memchr(text, '\0', sizeof text);
    if (end == nullptr) {
        fail(ErrorCode::invalid_argument, "kv_overrides[{}].{} has no terminating zero within its {} bytes",
             index, what, sizeof text);
    }
    return {text, static_cast<size_t>(static_cast<const char*>(end) - text)};
}

// Any byte other than 0 is true; as a bool only 0 and 1 could be read.
bool bool_value(const llama_model_kv_override& entry) {
    unsigned char byte = 0;
    std::memcpy(&byte, &entry.val_bool, 1);
    return byte != 0;
}

gguf::Value value_of(const llama_model_kv_override& entry, size_t index) {
    const int32_t tag = raw_value(entry.tag);
    switch (tag) {
        case LLAMA_KV_OVERRIDE_TYPE_INT:
            return gguf::Value::number<int64_t>(entry.val_i64);
        case LLAMA_KV_OVERRIDE_TYPE_FLOAT:
            return gguf::Value::number<double>(entry.val_f64);
        case LLAMA_KV_OVERRIDE_TYPE_BOOL:
            return gguf::Value::number<bool>(bool_value(entry));
        case LLAMA_KV_OVERRIDE_TYPE_STR:
            return gguf::Value::string(terminated(entry.val_str, "val_str", index));
        default:
            break;
    }
    fail(ErrorCode::invalid_argument,
         "kv_overrides[{}].tag is {}; 0 to 3 (integer, float, boolean, string) are known", index, tag);
}

}  // namespace

std::vector<std::pair<std::string, gguf::Value>> read_kv_overrides(const llama_model_kv_override* overrides) {
    std::vector<std::pair<std::string, gguf::Value>> result;
    if (overrides == nullptr) return result;
    for (size_t i = 0; overrides[i].key[0] != '\0'; ++i) {
        result.emplace_back(terminated(overrides[i].key, "key", i), value_of(overrides[i], i));
    }
    return result;
}

}  // namespace cria::capi
