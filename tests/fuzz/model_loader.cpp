// Arbitrary bytes as a model file: loading either works or throws cria::Error.
#include <cstdint>
#include <span>

#include "base/error.h"
#include "base/log.h"
#include "model/model.h"
#include "runtime/context.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    cria::set_log_level(cria::LogLevel::error);
    try {
        const auto model = cria::Model::load(
            cria::gguf::ModelFiles(cria::gguf::Reader::from_bytes(std::as_bytes(std::span(data, size)))));
        cria::forecast_memory(*model, {.n_ctx = 64});
    } catch (const cria::Error&) {
    }
    return 0;
}
