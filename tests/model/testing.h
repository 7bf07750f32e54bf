// Tiny models in memory, to be changed one thing at a time.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "gguf/writer.h"
#include "model/model.h"

namespace cria::testing {

// A complete llama of 2 layers, 32 wide, 4 heads, vocabulary of 40 without a tokenizer; weights are small
// pseudo-random floats.
class TinyModel {
  public:
    TinyModel() {
        set("general.architecture", gguf::Value::string("llama"));
        set("tokenizer.ggml.model", gguf::Value::string("none"));
        for (const auto& [key, value] : {std::pair("block_count", 2),
                                         {"embedding_length", 32},
                                         {"feed_forward_length", 48},
                                         {"context_length", 64},
                                         {"attention.head_count", 4},
                                         {"attention.head_count_kv", 2},
                                         {"vocab_size", 40}}) {
            set(std::string("llama.") + key, gguf::Value::number(static_cast<uint32_t>(value)));
        }
        set("llama.attention.layer_norm_rms_epsilon", gguf::Value::number(1e-5f));
        add("token_embd.weight", {32, 40});
        add("output_norm.weight", {32});
        add("output.weight", {32, 40});
        for (int i = 0; i < 2; ++i) {
            const std::string p = "blk." + std::to_string(i) + ".";
            for (const char* name : {"attn_norm", "ffn_norm"}) add(p + name + ".weight", {32});
            for (const char* name : {"attn_q", "attn_output"}) add(p + name + ".weight", {32, 32});
            for (const char* name : {"attn_k", "attn_v"}) add(p + name + ".weight", {32, 16});
            for (const char* name : {"ffn_gate", "ffn_up"}) add(p + name + ".weight", {32, 48});
            add(p + "ffn_down.weight", {48, 32});
        }
    }

    struct Tensor {
        std::string name;
        std::vector<int64_t> dims;
        ElementType type = ElementType::f32;
    };
    std::vector<Tensor> tensors;

    void set(const std::string& key, gguf::Value value) { values_.set(key, std::move(value)); }
    void set_number(const std::string& key, int64_t value) { set(key, gguf::Value::number(value)); }
    void remove_key(const std::string& key) { values_.remove(key); }
    void add(std::string name, std::vector<int64_t> dims, ElementType type = ElementType::f32) {
        tensors.push_back({std::move(name), std::move(dims), type});
    }
    Tensor& tensor(const std::string& name) {
        for (Tensor& t : tensors) {
            if (t.name == name) return t;
        }
        fail(ErrorCode::not_found, "no tensor {}", name);
    }
    void remove_tensor(const std::string& name) {
        std::erase_if(tensors, [&](const Tensor& t) { return t.name == name; });
    }

    std::vector<std::byte> bytes() const {
        gguf::FileBuilder builder;
        for (const auto& entry : values_.entries()) builder.metadata().set(entry.key, entry.value);
        for (const Tensor& t : tensors) builder.add_tensor(t.name, t.type, t.dims);
        uint32_t state = 1;
        return gguf::encode_file(builder, [&](const gguf::FileBuilder::Tensor& t, std::span<std::byte> out) {
            if (t.type->type != ElementType::f32) return;
            for (size_t i = 0; i + 4 <= out.size(); i += 4) {
                state = state * 1664525u + 1013904223u;
                const float value = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-33f +
                                    (t.dims.size() == 1 ? 1.0f : 0.0f);
                std::memcpy(out.data() + i, &value, 4);
            }
        });
    }

    // The model, keeping its bytes alive.
    std::shared_ptr<const Model> load(const ModelOptions& options = {}) const {
        auto data = std::make_shared<std::vector<std::byte>>(bytes());
        auto model = Model::load(gguf::ModelFiles(gguf::Reader::from_bytes(*data, "tiny")), options);
        return {model.get(), [data, model](const Model*) {}};
    }

    // The words of the error that loading gives; empty when it loads.
    std::string load_error(const ModelOptions& options = {}) const {
        try {
            load(options);
            return "";
        } catch (const Error& e) {
            return e.what();
        }
    }

  private:
    gguf::Metadata values_;
};

}  // namespace cria::testing
