// Shared options.
#include "model_options.h"

#include "base/error.h"
#include "builtin_model.h"
#include "gguf/reader.h"
#include "progress.h"

namespace cria::app {
namespace {

// KEY=TYPE:VALUE with TYPE int, float, bool or str.
std::pair<std::string, gguf::Value> parse_override(const std::string& text) {
    const size_t equals = text.find('=');
    const size_t colon = equals == std::string::npos ? std::string::npos : text.find(':', equals);
    if (equals == 0 || colon == std::string::npos) {
        fail(ErrorCode::invalid_argument,
             "--override-kv '{}': expected KEY=TYPE:VALUE, for example llama.context_length=int:4096", text);
    }
    const std::string key = text.substr(0, equals);
    const std::string type = text.substr(equals + 1, colon - equals - 1);
    const std::string value = text.substr(colon + 1);
    try {
        size_t used = 0;
        if (type == "str") return {key, gguf::Value::string(value)};
        if (type == "bool" && (value == "true" || value == "false"))
            return {key, gguf::Value::number(value == "true")};
        if (type == "int") {
            const int64_t number = std::stoll(value, &used);
            if (used == value.size()) return {key, gguf::Value::number(number)};
        }
        if (type == "float") {
            const double number = std::stod(value, &used);
            if (used == value.size()) return {key, gguf::Value::number(number)};
        }
    } catch (const std::exception&) {  // std::stoll and std::stod: no number
    }
    fail(ErrorCode::invalid_argument,
         "--override-kv '{}': '{}' is no value of type '{}' (int, float, bool, str)", text, value, type);
}

ElementType cache_type(const char* option, const std::string& name) {
    const TypeInfo* type = find_type(std::string_view(name));
    if (type != nullptr && type->is_cache_type) return type->type;
    std::string known;
    for (const TypeInfo* info : all_types()) {
        if (info->is_cache_type) known += (known.empty() ? "" : ", ") + std::string(info->name);
    }
    fail(ErrorCode::invalid_argument, "{} '{}': expected one of {}", option, name, known);
}

}  // namespace

void add_model_options(CLI::App& command, ModelChoice& choice) {
    command
        .add_option("-m,--model", choice.path, "GGUF file (any part of a split model) [the built-in model]")
        ->type_name("FILE")
        ->group("Model");
    command.add_flag("--no-mmap", choice.no_mmap, "Read the file into memory instead of mapping it")
        ->group("Model");
    command.add_flag("--mlock", choice.lock, "Keep the model's pages in memory")->group("Model");
    command
        .add_flag("--check-tensors", choice.check_tensors, "Look at every weight for NaN and infinity first")
        ->group("Model");
    command
        .add_option("--override-kv", choice.overrides,
                    "Use another metadata value: KEY=TYPE:VALUE (int, float, bool, str)")
        ->type_name("KV")
        ->allow_extra_args(false)
        ->group("Model");
}

std::shared_ptr<const Model> load_model(const ModelChoice& choice, bool vocab_only) {
    ModelOptions options{.access = choice.no_mmap ? FileAccess::copied : FileAccess::mapped,
                         .lock_in_memory = choice.lock,
                         .check_tensors = choice.check_tensors,
                         .vocab_only = vocab_only};
    for (const std::string& text : choice.overrides) options.overrides.push_back(parse_override(text));
    ProgressBar bar("loading");
    options.progress = [&bar](float share) {
        bar.update(share);
        return true;
    };
    if (!choice.path.empty()) return Model::load(choice.path, options);
    return Model::load(gguf::ModelFiles(gguf::Reader::from_bytes(builtin_model(), "the built-in model")),
                       options);
}

void add_context_options(CLI::App& command, ContextChoice& choice) {
    ContextOptions& o = choice.options;
    const char* group = "Context";
    command
        .add_option("-c,--ctx-size", o.n_ctx, "Tokens to remember; 0: as many as the model was trained with")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    command.add_option("-b,--batch-size", o.n_batch, "Most tokens in one call")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    command.add_option("-u,--ubatch-size", o.n_ubatch, "Most tokens computed at once")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    command.add_option("-t,--threads", o.n_threads, "Threads for generation [one per core]")
        ->type_name("N")
        ->group(group);
    command.add_option("--threads-batch", o.n_threads_batch, "Threads for prompts [as --threads]")
        ->type_name("N")
        ->group(group);
    command.add_option("--cache-type-k", choice.k_type, "Type of cached keys")
        ->type_name("TYPE")
        ->capture_default_str()
        ->group(group);
    command.add_option("--cache-type-v", choice.v_type, "Type of cached values")
        ->type_name("TYPE")
        ->capture_default_str()
        ->group(group);
    command
        .add_option_function<float>(
            "--rope-freq-base", [&o](float value) { o.rope.base = value; }, "Rotary base [the model's]")
        ->group(group);
    command
        .add_option_function<float>(
            "--rope-freq-scale", [&o](float value) { o.rope.scale = value; },
            "Rotary position scale, 1 / factor [the model's]")
        ->group(group);
}

ContextOptions context_options(const ContextChoice& choice) {
    ContextOptions options = choice.options;
    options.k_type = cache_type("--cache-type-k", choice.k_type);
    options.v_type = cache_type("--cache-type-v", choice.v_type);
    return options;
}

}  // namespace cria::app
