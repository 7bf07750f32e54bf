// Names of the files of a split model: PREFIX-00001-of-00003.gguf, counted from 1.
#include <cstring>
#include <string>
#include <string_view>

#include "capi/handles.h"

namespace {

using namespace cria::capi;

std::string split_suffix(int split_no, int split_count) {
    if (split_no < 0 || split_count < 1 || split_no >= split_count) {
        cria::fail(cria::ErrorCode::invalid_argument,
                   "split {} of {} does not exist; splits are counted from 0", split_no, split_count);
    }
    return fmt::format("-{:05}-of-{:05}.gguf", split_no + 1, split_count);
}

// Writes text and a zero, and returns the length of the text.
int put_text(std::string_view text, char* out, size_t capacity) {
    if (text.size() >= capacity || text.size() > INT32_MAX) {
        cria::fail(cria::ErrorCode::invalid_argument, "the result takes {} bytes and a zero; maxlen is {}",
                   text.size(), capacity);
    }
    std::memcpy(out, text.data(), text.size());
    out[text.size()] = '\0';
    return static_cast<int>(text.size());
}

}  // namespace

int llama_split_path(char* split_path, size_t maxlen, const char* path_prefix, int split_no,
                     int split_count) {
    return guard<int>("llama_split_path", 0, [&] {
        const std::string path = &required(path_prefix, "path_prefix") + split_suffix(split_no, split_count);
        return put_text(path, &required(split_path, "split_path"), maxlen);
    });
}

int llama_split_prefix(char* split_prefix, size_t maxlen, const char* split_path, int split_no,
                       int split_count) {
    return guard<int>("llama_split_prefix", 0, [&] {
        const std::string_view path = &required(split_path, "split_path");
        const std::string suffix = split_suffix(split_no, split_count);
        // Asking whether a file is part of a split model is no error.
        if (path.size() <= suffix.size() || !path.ends_with(suffix)) return 0;
        const std::string_view prefix = path.substr(0, path.size() - suffix.size());
        return put_text(prefix, &required(split_prefix, "split_prefix"), maxlen);
    });
}
