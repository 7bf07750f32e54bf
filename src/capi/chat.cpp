// The built-in chat formats.
#include "capi/handles.h"

using namespace cria::capi;

int32_t llama_chat_apply_template(const char* tmpl, const llama_chat_message* chat, size_t n_msg,
                                  bool add_ass, char* buf, int32_t length) {
    return not_available("llama_chat_apply_template", -1);
}

int32_t llama_chat_builtin_templates(const char** output, size_t len) {
    return not_available("llama_chat_builtin_templates", 0);
}
