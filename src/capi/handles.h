// What the opaque handles of llama.h hold, and how errors of the rooms below become its return values. Every
// function of the interface is a call of guard() around a few lines: check the arguments, call Cria, convert
// the result.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "grammar/token_trie.h"
#include "llama.h"
#include "model/model.h"
#include "runtime/context.h"

namespace cria::capi {

// Logs one line "function: message" about the exception being handled. Only inside a catch block.
void log_current_exception(const char* function) noexcept;

// Runs body; whatever it throws is logged as one line and on_error is returned instead. Also catches what
// callbacks of the caller throw.
template <typename Result, typename Body>
Result guard(const char* function, std::type_identity_t<Result> on_error, Body&& body) noexcept {
    try {
        return std::forward<Body>(body)();
    } catch (...) {
        log_current_exception(function);
        return on_error;
    }
}
template <typename Body>
void guard(const char* function, Body&& body) noexcept {
    try {
        std::forward<Body>(body)();
    } catch (...) {
        log_current_exception(function);
    }
}

// The object behind an argument; Error{invalid_argument} naming the argument when it is null.
template <typename T>
T& required(T* argument, const char* name) {
    if (argument == nullptr) fail(ErrorCode::invalid_argument, "{} is null", name);
    return *argument;
}

// For functions whose room does not exist yet: says so in the log, once for each function, and returns the
// documented error value. docs/compatibility.md lists them; tests/capi compares.
void log_not_available(const char* function) noexcept;
template <typename Result>
Result not_available(const char* function, Result on_error) noexcept {
    log_not_available(function);
    return on_error;
}

// The number in an enum that the caller filled in, which may be one the enum does not have: reading that as
// the enum is undefined.
template <typename Enum>
int32_t raw_value(const Enum& value) {
    static_assert(sizeof(Enum) == sizeof(int32_t));
    int32_t number = 0;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

// Writes text and a zero into a buffer of the caller as far as they fit, and returns the length of the whole
// text, as snprintf does. Throws Error{invalid_argument} for a null buffer of size above 0.
int32_t put_text(std::string_view text, char* buffer, size_t size);

// What llama_timings is made from. Times in microseconds of llama_time_us.
struct Timings {
    int64_t start_us = 0;
    int64_t load_us = 0;
    int64_t sample_us = 0;
    int64_t prompt_us = 0;
    int64_t eval_us = 0;
    int32_t n_sample = 0;
    int32_t n_prompt = 0;
    int32_t n_eval = 0;
};

// Set by llama_decode_stop: no llama_decode may run.
bool decode_is_stopped() noexcept;

}  // namespace cria::capi

struct llama_vocab {
    const cria::Vocab* vocab = nullptr;

    // For grammars; made for the first one.
    struct Trie {
        std::mutex mutex;
        std::shared_ptr<const cria::grammar::TokenTrie> trie;
    };
    std::unique_ptr<Trie> trie = std::make_unique<Trie>();
};

struct llama_model {
    std::shared_ptr<const cria::Model> model;
    llama_vocab vocab;
    int64_t load_us = 0;  // time it took to load

    // Made when they are first asked for, and kept because callers get pointers to them.
    struct Made {
        std::mutex mutex;
        std::map<std::string, std::string, std::less<>> chat_templates;  // by name; "" is the default
        std::vector<std::pair<std::string, std::string>> metadata;       // key and value as text
        std::deque<ggml_tensor> tensors;
        std::vector<std::pair<std::string, ggml_tensor*>> tensor_map;
    };
    std::unique_ptr<Made> made = std::make_unique<Made>();
};

struct llama_context {
    llama_model* model = nullptr;
    std::unique_ptr<cria::Context> context;
    int32_t n_vocab = 0;  // columns of the logits
    bool logits_all = false;
    bool wants_defrag = false;
    std::mt19937 rng;
    cria::capi::Timings timings;
    std::vector<float> control_vectors;  // [n_layers][width], as given so far
    ggml_abort_callback abort_callback = nullptr;
    void* abort_data = nullptr;
};

namespace cria::capi {

// The objects behind the handles. Error{invalid_argument} for null ones.
const Model& model_of(const llama_model* model);
const Vocab& vocab_of(const llama_vocab* vocab);
const Vocab& vocab_of(const llama_model* model);
Context& context_of(const llama_context* ctx);

}  // namespace cria::capi
