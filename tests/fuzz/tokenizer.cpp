// Any bytes as text for every kind of tokenizer: nothing but Error may be thrown, and every id can be turned
// back.
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "vocab/testing_data.h"
#include "vocab/vocab.h"

using namespace cria;

namespace {

void run(const Vocab& vocab, std::string_view text, bool parse_special) {
    try {
        const auto ids = vocab.tokenize(text, {.parse_special = parse_special});
        vocab.detokenize(ids, {.remove_special = true, .unparse_special = parse_special});
    } catch (const Error& error) {
        CRIA_BUG_UNLESS(error.code() == ErrorCode::invalid_argument);
    }
}

const std::vector<Vocab>& vocabs() {
    static const std::vector<Vocab> all = [] {
        set_log_level(LogLevel::error);
        std::vector<Vocab> made;
        for (const VocabData& data : vocab_testing::all_kinds()) made.emplace_back(data);
        return made;
    }();
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Vocab& vocab : vocabs()) run(vocab, text, size % 2 == 0);
    return 0;
}
