// The one place where exceptions end.
#include "capi/handles.h"

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

}  // namespace cria::capi
