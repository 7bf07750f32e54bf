// The one place where exceptions end.
#include "capi/handles.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "base/log.h"

namespace cria::capi {

void log_current_exception(const char* function) noexcept {
    // A log callback may throw as well; then there is nobody left to tell.
    try {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            log_error("{}: out of memory; free some, or ask for less", function);
        } catch (const std::exception& error) {
            log_error("{}: {}", function, error.what());
        } catch (...) {
            log_error("{}: a callback threw something that is no std::exception", function);
        }
    } catch (...) {
    }
}

void log_not_available(const char* function) noexcept {
    try {
        static std::mutex mutex;
        static std::set<std::string> logged;
        {
            const std::lock_guard lock(mutex);
            if (!logged.insert(function).second) return;
        }
        log_error("{}: not available in this version of Cria; see docs/compatibility.md", function);
    } catch (...) {
    }
}

int32_t put_text(std::string_view text, char* buffer, size_t size) {
    if (text.size() > INT32_MAX) fail(ErrorCode::unsupported, "a text of {} bytes is too long", text.size());
    if (size > 0) {
        const size_t n_copied = std::min(text.size(), size - 1);
        std::copy_n(text.data(), n_copied, &required(buffer, "buf"));
        buffer[n_copied] = '\0';
    }
    return static_cast<int32_t>(text.size());
}

const Model& model_of(const llama_model* model) { return *required(model, "model").model; }

const Vocab& vocab_of(const llama_vocab* vocab) { return required(required(vocab, "vocab").vocab, "vocab"); }

const Vocab& vocab_of(const llama_model* model) { return model_of(model).vocab(); }

Context& context_of(const llama_context* ctx) { return required(required(ctx, "ctx").context.get(), "ctx"); }

}  // namespace cria::capi
