// Any text as a JSON schema; a few steps into what it allows.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "grammar/json_schema.h"
#include "grammar/matcher.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        cria::grammar::Matcher matcher(
            cria::grammar::compile_json_schema({reinterpret_cast<const char*>(data), size}));
        for (const char* piece : {"{", "\"a\"", ":", "[", "1", "]", "}"}) matcher.accept(piece);
    } catch (const cria::Error& error) {
        if (error.code() == cria::ErrorCode::internal) throw;
    }
    return 0;
}
