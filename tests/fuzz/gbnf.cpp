// Any text as a grammar, and its own bytes as the text to match: whole and byte by byte must agree.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "grammar/constraint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        cria::grammar::Matcher matcher(cria::grammar::compile_gbnf(text));
        const std::string_view input = text.substr(0, 200);
        const size_t accepted = matcher.accepted_length(input);
        for (size_t i = 0; i < input.size(); ++i)
            CRIA_BUG_UNLESS(matcher.accept(input.substr(i, 1)) == (i < accepted) || i > accepted);
    } catch (const cria::Error& error) {
        if (error.code() == cria::ErrorCode::internal) throw;
    }
    return 0;
}
