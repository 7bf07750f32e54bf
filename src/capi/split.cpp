// Names of the files of a split model.
#include "gguf/split.h"

#include "capi/handles.h"

namespace {

using namespace cria::capi;

int put_whole_text(const std::string& text, char* out, size_t capacity) {
    if (text.size() >= capacity) {
        cria::fail(cria::ErrorCode::invalid_argument, "the result takes {} bytes and a zero; maxlen is {}",
                   text.size(), capacity);
    }
    return put_text(text, out, capacity);
}

}  // namespace

int llama_split_path(char* split_path, size_t maxlen, const char* path_prefix, int split_no,
                     int split_count) {
    return guard<int>("llama_split_path", 0, [&] {
        return put_whole_text(
            cria::gguf::split_path(&required(path_prefix, "path_prefix"), split_no, split_count), split_path,
            maxlen);
    });
}

int llama_split_prefix(char* split_prefix, size_t maxlen, const char* split_path, int split_no,
                       int split_count) {
    return guard<int>("llama_split_prefix", 0, [&] {
        // Asking whether a file is part of a split model is no error.
        const std::string prefix =
            cria::gguf::split_prefix(&required(split_path, "split_path"), split_no, split_count);
        return prefix.empty() ? 0 : put_whole_text(prefix, split_prefix, maxlen);
    });
}
