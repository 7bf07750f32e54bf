// Any bytes are either refused with an Error or a model whose every part can be read, written again, and read
// back.
#include <cstdint>
#include <optional>

#include "gguf/reader.h"
#include "gguf/testing.h"
#include "gguf/writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace cria::gguf;
    std::optional<Reader> reader;
    try {
        reader = Reader::from_bytes(std::as_bytes(std::span(data, size)));
    } catch (const cria::Error& error) {
        if (error.code() == cria::ErrorCode::internal) throw;
        return 0;
    }
    testing::touch_everything(*reader);
    const auto copy = testing::bytes_of(FileBuilder::like(reader->metadata(), reader->tensors()));
    if (Reader::from_bytes(copy).tensors().size() != reader->tensors().size()) __builtin_trap();
    return 0;
}
