// Any bytes as a chat template: it compiles and renders, or raises an error, within its limits.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "chat/jinja/template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cria::chat::jinja;
    static const Value variables = Value::from_json(nlohmann::ordered_json::parse(
        R"({"messages": [{"role": "user", "content": "héllo"}, {"role": "tool", "content": [{"type": "text", "text": "x"}]}],
            "tools": [{"name": "f", "parameters": {"a": 1, "b": [1.5, null, true]}}], "bos_token": "<s>", "n": 3})"));
    RenderOptions options{.now = 1721993123};
    options.limits = {.max_output_bytes = size_t{1} << 20, .max_work = int64_t{1} << 22, .max_seconds = 5};
    try {
        Template::compile({reinterpret_cast<const char*>(data), size}).render(variables.as_dict(), options);
    } catch (const TemplateError&) {
    }
    return 0;
}
