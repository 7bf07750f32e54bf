// A pattern, a line break, and a text: search, scanner and language must agree.
#include "grammar/regex.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cria::grammar;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const size_t split = all.find('\n');
    if (split == std::string_view::npos || split > 100 || size > 1000) return 0;
    const std::string_view text = all.substr(split + 1);
    try {
        const Regex regex = Regex::compile(all.substr(0, split));
        const bool found = regex.search(text).has_value();
        RegexScanner scanner(regex);
        for (const char byte : text) scanner.feed({&byte, 1});
        if (incomplete_utf8_tail(text) == 0) CRIA_BUG_UNLESS(scanner.found() == found);
        bool is_valid = true;
        for (size_t i = 0; i < text.size();) {
            const DecodedCodePoint next = decode_utf8(text, i);
            is_valid &= next.code_point != DecodedCodePoint::kInvalid;
            i += next.n_bytes;
        }
        if (is_valid) CRIA_BUG_UNLESS(regex.language(RegexUse::search).contains(text) == found);
    } catch (const cria::Error& error) {
        if (error.code() == cria::ErrorCode::internal) throw;
    }
    return 0;
}
