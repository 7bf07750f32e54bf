// Any bytes as a model's answer, for every format: no error, and single bytes give the same message as the
// whole.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "chat/parse/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cria::chat;
    if (size < 1) return 0;
    const auto formats = output_formats();
    const OutputFormat& format = formats[data[0] % formats.size()];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const OutputOptions options{.has_tools = true, .prompt = data[0] & 128 ? "<think>" : ""};
    const Message whole = parse_output(format, options, text);
    OutputParser parser(format, options);
    const auto ignore = [](const OutputEvent&) {};
    for (size_t i = 0; i < text.size(); ++i) parser.feed(text.substr(i, 1), ignore);
    parser.finish(ignore);
    const Message& pieces = parser.message();
    const bool is_same = whole.content == pieces.content &&
                         whole.reasoning_content == pieces.reasoning_content &&
                         whole.tool_calls == pieces.tool_calls;
    if (!is_same) std::abort();
    return 0;
}
