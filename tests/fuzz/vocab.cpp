// Vocabularies made of any values: they are refused with Error, or tokenize without harm.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "vocab/testing_data.h"
#include "vocab/vocab.h"

using namespace cria;

namespace {

// Reads values from the fuzzer's bytes; zeros when they have run out.
class Source {
  public:
    Source(const uint8_t* data, size_t size) : data_(data), left_(size) {}
    size_t left() const { return left_; }
    uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *data_++;
    }
    std::string text(size_t longest) {
        std::string out;
        for (size_t n = byte() % (longest + 1); n > 0 && left_ > 0; --n) out += static_cast<char>(byte());
        return out;
    }
    float number() {
        uint32_t bits = 0;
        for (int i = 0; i < 4; ++i) bits = bits << 8 | byte();
        float value;
        std::memcpy(&value, &bits, 4);
        return value;
    }

  private:
    const uint8_t* data_;
    size_t left_;
};

// One of the small vocabularies with a few things changed.
VocabData changed(Source& source) {
    static const std::vector<VocabData> kinds = vocab_testing::all_kinds();
    VocabData data = kinds[source.byte() % kinds.size()];
    while (source.left() > 0) {
        const size_t id = source.byte() * 2u % data.tokens.size();
        switch (source.byte() % 10) {
            case 0:
                data.tokens[id] = source.text(12);
                break;
            case 1:
                data.scores[id % data.scores.size()] = source.number();
                break;
            case 2:
                data.types[id % data.types.size()] = source.byte() % 9;
                break;
            case 3:
                data.merges.push_back(source.text(12));
                break;
            case 4:
                data.special_ids[source.byte() % kSpecialTokenCount] = source.byte() * 256 - source.byte() * 3;
                break;
            case 5:
                data.scores.resize(std::max<size_t>(1, id));
                break;
            case 6:
                data.charsmap += source.text(200);
                break;
            case 7:
                data.remove_extra_whitespaces = source.byte() % 2 == 0;
                break;
            case 8:
                data.add_space_prefix = source.byte() % 2 == 0;
                break;
            case 9:
                return data;
        }
    }
    return data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    set_log_level(LogLevel::error);
    Source source(bytes, size);
    try {
        const Vocab vocab(changed(source));
        const std::string text = "hello <s>\n\xc3\xa9 " + source.text(100);
        const auto ids = vocab.tokenize(text, {.parse_special = true});
        CRIA_BUG_UNLESS(std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return vocab.contains(id); }));
        vocab.detokenize(ids);
    } catch (const Error& error) {
        CRIA_BUG_UNLESS(error.code() != ErrorCode::internal);
    }
    return 0;
}
