// Models: loading, numbers, metadata, tensors.
#define LLAMA_API_INTERNAL
#include "capi/handles.h"

#include <algorithm>
#include <array>

#include "capi/metadata_text.h"
#include "capi/parameters.h"
#include "capi/tensor_view.h"
#include "gguf/split.h"

using namespace cria::capi;

namespace {

// A number from the spec, or from the metadata of a model that was loaded for its vocabulary only.
template <typename FromSpec>
int64_t number_of(const llama_model* model, const char* key, FromSpec&& from_spec) {
    const cria::Model& m = model_of(model);
    if (m.has_weights()) return from_spec(m.spec());
    return m.metadata().get_optional<int64_t>(m.architecture() + "." + key).value_or(0);
}

template <size_t N>
bool is_one_of(const llama_model* model, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), model_of(model).architecture()) != names.end();
}

constexpr std::array<std::string_view, 2> kEncoders = {"t5", "t5encoder"};
constexpr std::array<std::string_view, 1> kOnlyEncoders = {"t5encoder"};
constexpr std::array<std::string_view, 1> kRecurrent = {"mamba"};
constexpr std::array<std::string_view, 3> kHybrid = {"qwen3next", "qwen35", "qwen35moe"};
constexpr std::array<std::string_view, 2> kGemma4Assistants = {"gemma4_mtp", "gemma4-assistant"};

// Fills made.metadata once and returns it.
const std::vector<std::pair<std::string, std::string>>& metadata_of(const llama_model* model) {
    const cria::gguf::Metadata& metadata = model_of(model).metadata();
    llama_model::Made& made = *model->made;
    const std::lock_guard lock(made.mutex);
    if (made.metadata.empty()) {
        for (const auto& [key, value] : metadata.entries())
            made.metadata.emplace_back(key, metadata_text(value));
    }
    return made.metadata;
}

// The same for made.tensors and made.tensor_map.
const std::vector<std::pair<std::string, ggml_tensor*>>& tensors_of(const llama_model* model) {
    const auto& weights = model_of(model).weights().all();
    llama_model::Made& made = *model->made;
    const std::lock_guard lock(made.mutex);
    if (made.tensor_map.empty()) {
        for (const cria::Weight& weight : weights) {
            made.tensor_map.emplace_back(weight.name, &made.tensors.emplace_back(view_of(weight)));
        }
    }
    return made.tensor_map;
}

// Text of a metadata entry by index, or an empty one and -1.
int32_t put_entry(const llama_model* model, int32_t i, bool wants_key, char* buf, size_t buf_size) {
    const auto& entries = metadata_of(model);
    if (i < 0 || static_cast<size_t>(i) >= entries.size()) {
        put_text("", buf, buf_size);
        return -1;
    }
    const auto& [key, value] = entries[static_cast<size_t>(i)];
    return put_text(wants_key ? key : value, buf, buf_size);
}

}  // namespace

llama_model* llama_model_load_from_file(const char* path_model, llama_model_params params) {
    return guard<llama_model*>("llama_model_load_from_file", nullptr, [&] {
        const int64_t start_us = llama_time_us();
        auto model = std::make_unique<llama_model>();
        model->model = cria::Model::load(&required(path_model, "path_model"), model_options(params));
        model->vocab.vocab = &model->model->vocab();
        model->load_us = llama_time_us() - start_us;
        return model.release();
    });
}

void llama_free_model(llama_model* model) { delete model; }

const llama_vocab* llama_model_get_vocab(const llama_model* model) {
    return guard<const llama_vocab*>("llama_model_get_vocab", nullptr,
                                     [&] { return &required(model, "model").vocab; });
}

const llama_vocab* llama_get_model_vocab(const llama_model* model) { return llama_model_get_vocab(model); }

int32_t llama_n_vocab(const llama_model* model) {
    return guard<int32_t>("llama_n_vocab", 0, [&] {
        const cria::Model& m = model_of(model);
        return m.has_weights() ? static_cast<int32_t>(m.spec().n_vocab) : m.vocab().size();
    });
}

int32_t llama_n_ctx_train(const llama_model* model) {
    return guard<int32_t>("llama_n_ctx_train", 0, [&] {
        return static_cast<int32_t>(
            number_of(model, "context_length", [](const auto& spec) { return spec.n_ctx_train; }));
    });
}

int32_t llama_model_n_embd(const llama_model* model) {
    return guard<int32_t>("llama_model_n_embd", 0, [&] {
        return static_cast<int32_t>(
            number_of(model, "embedding_length", [](const auto& spec) { return spec.width; }));
    });
}

int32_t llama_model_n_embd_inp(const llama_model* model) { return llama_model_n_embd(model); }

int32_t llama_n_layer(const llama_model* model) {
    return guard<int32_t>("llama_n_layer", 0, [&] {
        return static_cast<int32_t>(
            number_of(model, "block_count", [](const auto& spec) { return spec.n_layers; }));
    });
}

int32_t llama_model_n_nextn_layer(const llama_model* model) {
    return guard<int32_t>("llama_model_n_nextn_layer", 0, [&] {
        const cria::Model& m = model_of(model);
        return m.metadata().get_optional<int32_t>(m.architecture() + ".nextn_predict_layers").value_or(0);
    });
}

uint64_t llama_model_size(const llama_model* model) {
    return guard<uint64_t>("llama_model_size", 0, [&] { return model_of(model).weight_bytes(); });
}

uint64_t llama_model_n_params(const llama_model* model) {
    return guard<uint64_t>("llama_model_n_params", 0, [&] { return model_of(model).n_parameters(); });
}

float llama_rope_freq_scale_train(const llama_model* model) {
    return guard<float>("llama_rope_freq_scale_train", 0.0f, [&] {
        const cria::Model& m = model_of(model);
        return m.has_weights() ? 1.0f / m.spec().rope_scaling.factor : 1.0f;
    });
}

enum llama_rope_type llama_rope_type(const llama_model* model) {
    using Type = enum llama_rope_type;
    return guard<Type>("llama_rope_type", LLAMA_ROPE_TYPE_NONE, [&] {
        const cria::Model& m = model_of(model);
        return m.has_weights() ? static_cast<Type>(m.spec().rope_kind) : LLAMA_ROPE_TYPE_NONE;
    });
}

int32_t llama_model_meta_val_str(const llama_model* model, const char* key, char* buf, size_t buf_size) {
    return guard<int32_t>("llama_model_meta_val_str", -1, [&] {
        const auto& entries = metadata_of(model);
        const std::string_view wanted = &required(key, "key");
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const auto& entry) { return entry.first == wanted; });
        if (found != entries.end()) return put_text(found->second, buf, buf_size);
        put_text("", buf, buf_size);
        return -1;
    });
}

int32_t llama_model_meta_count(const llama_model* model) {
    return guard<int32_t>("llama_model_meta_count", 0,
                          [&] { return static_cast<int32_t>(model_of(model).metadata().size()); });
}

int32_t llama_model_meta_key_by_index(const llama_model* model, int32_t i, char* buf, size_t buf_size) {
    return guard<int32_t>("llama_model_meta_key_by_index", -1,
                          [&] { return put_entry(model, i, true, buf, buf_size); });
}

int32_t llama_model_meta_val_str_by_index(const llama_model* model, int32_t i, char* buf, size_t buf_size) {
    return guard<int32_t>("llama_model_meta_val_str_by_index", -1,
                          [&] { return put_entry(model, i, false, buf, buf_size); });
}

int32_t llama_model_desc(const llama_model* model, char* buf, size_t buf_size) {
    return guard<int32_t>("llama_model_desc", -1,
                          [&] { return put_text(model_of(model).description(), buf, buf_size); });
}

const char* llama_model_chat_template(const llama_model* model, const char* name) {
    return guard<const char*>("llama_model_chat_template", nullptr, [&]() -> const char* {
        const cria::Model& m = model_of(model);
        const std::string key = name != nullptr ? name : "";
        llama_model::Made& made = *model->made;
        const std::lock_guard lock(made.mutex);
        const auto known = made.chat_templates.find(key);
        if (known != made.chat_templates.end()) return known->second.c_str();
        std::optional<std::string> text = m.chat_template(key);
        if (!text) return nullptr;
        return made.chat_templates.emplace(key, std::move(*text)).first->second.c_str();
    });
}

ggml_tensor* llama_get_model_tensor(llama_model* model, const char* name) {
    return guard<ggml_tensor*>("llama_get_model_tensor", nullptr, [&]() -> ggml_tensor* {
        const std::string_view wanted = &required(name, "name");
        for (const auto& [tensor_name, tensor] : tensors_of(model)) {
            if (tensor_name == wanted) return tensor;
        }
        return nullptr;
    });
}

const std::vector<std::pair<std::string, ggml_tensor*>>& llama_internal_get_tensor_map(llama_context* ctx) {
    static const std::vector<std::pair<std::string, ggml_tensor*>> empty;
    using Map = const std::vector<std::pair<std::string, ggml_tensor*>>*;
    return *guard<Map>("llama_internal_get_tensor_map", &empty,
                       [&] { return &tensors_of(required(ctx, "ctx").model); });
}

bool llama_model_has_encoder(const llama_model* model) {
    return guard<bool>("llama_model_has_encoder", false, [&] { return is_one_of(model, kEncoders); });
}

bool llama_model_has_decoder(const llama_model* model) {
    return guard<bool>("llama_model_has_decoder", false, [&] { return !is_one_of(model, kOnlyEncoders); });
}

llama_token llama_model_decoder_start_token(const llama_model* model) {
    return guard<llama_token>("llama_model_decoder_start_token", LLAMA_TOKEN_NULL, [&] {
        const cria::Model& m = model_of(model);
        return m.metadata()
            .get_optional<int32_t>(m.architecture() + ".decoder_start_token_id")
            .value_or(LLAMA_TOKEN_NULL);
    });
}

bool llama_model_is_recurrent(const llama_model* model) {
    return guard<bool>("llama_model_is_recurrent", false, [&] { return is_one_of(model, kRecurrent); });
}

bool llama_model_is_hybrid(const llama_model* model) {
    return guard<bool>("llama_model_is_hybrid", false, [&] { return is_one_of(model, kHybrid); });
}

bool llama_model_has_recurrent(const llama_model* model) {
    return guard<bool>("llama_model_has_recurrent", false,
                       [&] { return is_one_of(model, kRecurrent) || is_one_of(model, kHybrid); });
}

bool llama_model_is_gemma4_mtp_assistant(const llama_model* model) {
    return guard<bool>("llama_model_is_gemma4_mtp_assistant", false,
                       [&] { return is_one_of(model, kGemma4Assistants); });
}

bool llama_model_is_split_mode_graph(const llama_model* model) {
    // One device: nothing is split.
    return guard<bool>("llama_model_is_split_mode_graph", false, [&] {
        required(model, "model");
        return false;
    });
}

bool llama_is_gemma4_mtp_file(const char* path) {
    return guard<bool>("llama_is_gemma4_mtp_file", false, [&] {
        const auto files = cria::gguf::ModelFiles::open(&required(path, "path"));
        return files.optional_metadata<std::string>("general.architecture") == kGemma4Assistants[0];
    });
}
