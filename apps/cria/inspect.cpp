// cria inspect: what is in a GGUF file, what it needs, and whether Cria can run it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "builtin_model.h"
#include "commands.h"
#include "gguf/split.h"
#include "model_options.h"

namespace cria::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string path;
    int32_t n_ctx = 0;
    bool all_values = false;
    bool tensors = false;
    bool json = false;
};

constexpr size_t kShownElements = 8;
constexpr size_t kShownBytes = 100;

Json scalar(const gguf::Value& value, const std::string& key) {
    switch (value.type()) {
        case gguf::ValueType::string:
            return value.as<std::string>(key);
        case gguf::ValueType::boolean:
            return value.as<bool>(key);
        case gguf::ValueType::f32:
        case gguf::ValueType::f64:
            return value.as<double>(key);
        case gguf::ValueType::u64:
            return value.as<uint64_t>(key);
        default:
            return value.as<int64_t>(key);
    }
}

Json value_json(const gguf::Value& value, const std::string& key, size_t most) {
    if (!value.is_array()) return scalar(value, key);
    Json items = Json::array();
    value.for_each([&](const gguf::Value& item) {
        if (items.size() >= most) return false;
        items.push_back(value_json(item, key, most));
        return true;
    });
    return items;
}

// Cuts long texts at a character boundary.
std::string shortened(std::string text, size_t most) {
    if (text.size() <= most) return text;
    size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string value_text(const gguf::Value& value, const std::string& key, bool whole) {
    const size_t most = whole ? SIZE_MAX : kShownElements;
    std::string text = dumped(value_json(value, key, most));
    if (value.is_array() && value.size() > most)
        text.insert(text.size() - 1, fmt::format(", ... {} in all", value.size()));
    return whole ? text : shortened(text, kShownBytes);
}

struct TypeShare {
    int64_t n_tensors = 0;
    uint64_t n_bytes = 0;
    int64_t n_elements = 0;
};

std::map<std::string, TypeShare> shares_of(const gguf::ModelFiles& files) {
    std::map<std::string, TypeShare> shares;
    for (const gguf::TensorInfo& tensor : files.tensors()) {
        TypeShare& share = shares[std::string(tensor.type->name)];
        ++share.n_tensors;
        share.n_bytes += tensor.n_bytes;
        share.n_elements += tensor.n_elements();
    }
    return shares;
}

// Whether the model loads, and what a context of it takes.
struct Verdict {
    std::shared_ptr<const Model> model;
    std::optional<Context::MemoryUse> memory;
    int32_t n_ctx = 0;
    std::string reason;  // why not
};

gguf::ModelFiles open_files(const Options& options) {
    if (options.path.empty())
        return gguf::ModelFiles(gguf::Reader::from_bytes(builtin_model(), "the built-in model"));
    return gguf::ModelFiles::open(options.path);
}

Verdict judge(const Options& options) {
    Verdict verdict;
    try {
        verdict.model = Model::load(open_files(options), {});
        verdict.n_ctx =
            options.n_ctx > 0 ? options.n_ctx : static_cast<int32_t>(verdict.model->spec().n_ctx_train);
        verdict.memory = forecast_memory(*verdict.model, {.n_ctx = verdict.n_ctx});
    } catch (const Error& e) {
        verdict.reason = e.what();
    }
    return verdict;
}

std::string size_text(double bytes) {
    const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 4) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

void print_text(const Options& options, const gguf::ModelFiles& files, const Verdict& verdict) {
    fmt::print("{}: GGUF version {}, {} in {} file{}, {} keys, {} tensors\n\n", files.path(),
               files.parts()[0].version(), size_text(static_cast<double>(files.total_bytes())),
               files.parts().size(), files.parts().size() == 1 ? "" : "s", files.metadata().size(),
               files.tensors().size());
    for (const auto& entry : files.metadata().entries()) {
        fmt::print("{:44} {:16} {}\n", entry.key, entry.value.type_name(),
                   value_text(entry.value, entry.key, options.all_values));
    }
    fmt::print("\n{:12} {:>8} {:>12} {:>16} {:>8}\n", "type", "tensors", "size", "elements", "bits");
    for (const auto& [name, share] : shares_of(files)) {
        fmt::print("{:12} {:8} {:>12} {:16} {:8.3f}\n", name, share.n_tensors,
                   size_text(static_cast<double>(share.n_bytes)), share.n_elements,
                   8.0 * static_cast<double>(share.n_bytes) / static_cast<double>(share.n_elements));
    }
    if (options.tensors) {
        fmt::print("\n");
        for (const gguf::TensorInfo& tensor : files.tensors()) {
            fmt::print("{:44} {:8} {:24} {:>12}\n", tensor.name, tensor.type->name, tensor.shape(),
                       size_text(static_cast<double>(tensor.n_bytes)));
        }
    }
    if (!verdict.reason.empty()) {
        fmt::print("\nCria cannot run this: {}\n", verdict.reason);
        return;
    }
    const Vocab& vocab = verdict.model->vocab();
    fmt::print("\n{}\ntokenizer: {} tokens, bos {}, eos {}, {} tokens end generation, chat template: {}\n",
               verdict.model->description(), vocab.size(), vocab.bos(), vocab.eos(),
               vocab.end_of_generation().size(), verdict.model->chat_template() ? "yes" : "no");
    const auto& memory = *verdict.memory;
    fmt::print(
        "Cria can run this. With a context of {} tokens it needs {} for weights, {} for the cache, {} to "
        "work in.\n",
        verdict.n_ctx, size_text(static_cast<double>(verdict.model->weight_bytes())),
        size_text(static_cast<double>(memory.cache_bytes)),
        size_text(static_cast<double>(memory.working_bytes + memory.output_bytes)));
}

void print_json(const Options& options, const gguf::ModelFiles& files, const Verdict& verdict) {
    Json json = {{"path", files.path()},
                 {"version", files.parts()[0].version()},
                 {"n_files", files.parts().size()},
                 {"n_bytes", files.total_bytes()},
                 {"can_run", verdict.reason.empty()}};
    if (!verdict.reason.empty()) json["reason"] = verdict.reason;
    for (const auto& entry : files.metadata().entries()) {
        json["metadata"][entry.key] =
            value_json(entry.value, entry.key, options.all_values ? SIZE_MAX : kShownElements);
        if (entry.value.is_array()) json["array_sizes"][entry.key] = entry.value.size();
    }
    for (const auto& [name, share] : shares_of(files)) {
        json["types"][name] = {
            {"n_tensors", share.n_tensors}, {"n_bytes", share.n_bytes}, {"n_elements", share.n_elements}};
    }
    for (const gguf::TensorInfo& tensor : files.tensors()) {
        json["tensors"].push_back(
            {{"name", tensor.name},
             {"type", tensor.type->name},
             {"dims",
              std::vector<int64_t>(tensor.dims.begin(), tensor.dims.begin() + std::max(1, tensor.n_dims))},
             {"n_bytes", tensor.n_bytes}});
    }
    if (verdict.model != nullptr && verdict.memory) {
        json["description"] = verdict.model->description();
        json["n_parameters"] = verdict.model->n_parameters();
        json["memory"] = {{"n_ctx", verdict.n_ctx},
                          {"weights_bytes", verdict.model->weight_bytes()},
                          {"cache_bytes", verdict.memory->cache_bytes},
                          {"working_bytes", verdict.memory->working_bytes + verdict.memory->output_bytes}};
    }
    fmt::print("{}\n", dumped(json));
}

void run(const Options& options) {
    set_log_level(LogLevel::error);  // warnings of the load would stand between the lines
    const gguf::ModelFiles files = open_files(options);
    const Verdict verdict = judge(options);
    if (options.json) {
        print_json(options, files, verdict);
    } else {
        print_text(options, files, verdict);
    }
    exit_status = verdict.reason.empty() ? 0 : 1;
}

}  // namespace

void add_inspect_command(CLI::App& app) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("inspect", "Show what is in a GGUF file and whether Cria can run it");
    command->add_option("file", options->path, "GGUF file, or any part of a split one [the built-in model]")
        ->type_name("FILE");
    command
        ->add_option("-c,--ctx-size", options->n_ctx,
                     "Context to forecast memory for [what the model was trained with]")
        ->type_name("N");
    command->add_flag("--all", options->all_values, "Whole arrays and texts, not their beginnings");
    command->add_flag("--tensors", options->tensors, "List every tensor");
    command->add_flag("--json", options->json, "One JSON object");
    command->footer(
        "Exit status: 0 Cria can run it, 1 it cannot (the reason is printed), 2 the file cannot be "
        "read.\nExample:\n  cria inspect model.gguf -c 8192");
    command->callback([options] { run(*options); });
}

}  // namespace cria::app
