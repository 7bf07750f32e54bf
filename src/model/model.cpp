// Loading.
#include "model/model.h"

#include <algorithm>
#include <map>

#include "arch/recipe.h"
#include "base/error.h"
#include "base/log.h"
#include "model/check.h"
#include "model/file_type.h"
#include "vocab/read_vocab.h"

namespace cria {
namespace {

gguf::Metadata overridden(const gguf::Metadata& metadata, const ModelOptions& options) {
    gguf::Metadata result = metadata;
    for (const auto& [key, value] : options.overrides) result.set(key, value);
    return result;
}

// "1.1B", "260K"
std::string short_count(uint64_t n) {
    const auto value = static_cast<double>(n);
    if (n >= 1000000000) return fmt::format("{:.1f}B", value / 1e9);
    if (n >= 1000000) return fmt::format("{:.1f}M", value / 1e6);
    return fmt::format("{:.0f}K", value / 1e3);
}

std::string upper(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

void report(const ModelOptions& options, float share) {
    if (options.progress && !options.progress(share)) fail(ErrorCode::cancelled, "loading was cancelled");
}

}  // namespace

std::shared_ptr<const Model> Model::load(const std::string& path, const ModelOptions& options) {
    report(options, 0.0f);
    return load(gguf::ModelFiles::open(path, {.access = options.access}), options);
}

std::shared_ptr<const Model> Model::load(gguf::ModelFiles files, const ModelOptions& options) {
    std::shared_ptr<Model> model(new Model(std::move(files), options));
    report(options, 1.0f);
    return model;
}

Model::Model(gguf::ModelFiles files, const ModelOptions& options)
    : files_(std::move(files)),
      metadata_(overridden(files_.metadata(), options)),
      architecture_(metadata_.get<std::string>("general.architecture")),
      vocab_(read_vocab(metadata_)) {
    if (options.vocab_only) return;
    add_weights();
    spec_.emplace(arch::load_spec(metadata_, weights_));
    const int32_t n_tokens = vocab_.size();
    if (vocab_.type() != VocabType::none && n_tokens > spec_->n_vocab) {
        fail(ErrorCode::invalid_file, "the tokenizer has {} tokens, but token_embd.weight has only {} rows",
             n_tokens, spec_->n_vocab);
    }
    if (options.lock_in_memory) {
        for (const gguf::Reader& part : files_.parts()) {
            if (part.file() != nullptr) part.file()->lock_in_memory();
        }
    }
    if (options.check_tensors) check_weights(weights_, options.progress);
}

void Model::add_weights() {
    for (const gguf::TensorInfo& tensor : files_.tensors()) {
        Weight weight;
        weight.name = std::string(tensor.name);
        weight.type = tensor.type;
        weight.dims = tensor.dims;
        weight.data = tensor.data;
        weights_.add(std::move(weight));
        weight_bytes_ += tensor.n_bytes;
        n_parameters_ += static_cast<uint64_t>(tensor.n_elements());
    }
}

const arch::ModelSpec& Model::spec() const {
    if (!spec_)
        fail(ErrorCode::invalid_argument,
             "the model was loaded for its vocabulary only; load it with its weights");
    return *spec_;
}

std::string Model::file_type() const {
    const auto stored = metadata_.get_optional<int64_t>("general.file_type");
    if (stored && !file_type_name(*stored).empty()) return std::string(file_type_name(*stored));
    std::map<const TypeInfo*, uint64_t> bytes_by_type;
    for (const Weight& weight : weights_.all())
        bytes_by_type[weight.type] += static_cast<uint64_t>(weight.n_elements());
    const auto most = std::max_element(bytes_by_type.begin(), bytes_by_type.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == bytes_by_type.end() ? "no weights" : upper(most->first->name);
}

std::string Model::description() const {
    return fmt::format("{} {} {}", architecture_, short_count(n_parameters_), file_type());
}

std::optional<std::string> Model::chat_template(std::string_view name) const {
    std::string key = "tokenizer.chat_template";
    if (!name.empty()) key += "." + std::string(name);
    const gguf::Value* value = metadata_.find(key);
    if (value == nullptr || value->type() != gguf::ValueType::string) return std::nullopt;
    return value->as<std::string>(key);
}

}  // namespace cria
