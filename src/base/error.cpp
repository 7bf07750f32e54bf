// Names of error codes, and the report of a broken invariant.
#include "base/error.h"

namespace cria {

const char* error_code_name(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return "invalid_argument";
        case ErrorCode::invalid_file:
            return "invalid_file";
        case ErrorCode::unsupported:
            return "unsupported";
        case ErrorCode::not_found:
            return "not_found";
        case ErrorCode::io:
            return "io";
        case ErrorCode::out_of_memory:
            return "out_of_memory";
        case ErrorCode::no_space:
            return "no_space";
        case ErrorCode::cancelled:
            return "cancelled";
        case ErrorCode::internal:
            return "internal";
    }
    return "unknown";
}

void report_bug(const char* condition, const char* file, int line) {
    fail(ErrorCode::internal,
         "bug in Cria: {} does not hold at {}:{}; please report it with the command you ran", condition, file,
         line);
}

}  // namespace cria
