// Builds a GGUF file in memory and loads it as any other.
#include "synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "gguf/writer.h"

namespace cria::app {
namespace {

struct Shape {
    std::string_view name;
    int64_t n_layers, width, ffn_width, heads, kv_heads, n_vocab;
    int64_t n_experts = 0, n_used = 0;
};

constexpr std::array kShapes{
    Shape{"llama-tiny", 4, 256, 768, 4, 2, 1024},       Shape{"llama-100m", 8, 768, 2048, 12, 4, 32000},
    Shape{"llama-1b", 16, 2048, 8192, 32, 8, 32000},    Shape{"llama-8b", 32, 4096, 14336, 32, 8, 128256},
    Shape{"moe-1b", 8, 1024, 768, 16, 4, 32000, 64, 8},
};

// Types of a file: most tensors, the output matrix, and the tensors that mixed file types give more bits.
struct Types {
    ElementType base, output, more;
};

Types types_of(const std::string& name) {
    if (name == "q4_k_m") return {ElementType::q4_k, ElementType::q6_k, ElementType::q6_k};
    if (name == "q5_k_m") return {ElementType::q5_k, ElementType::q6_k, ElementType::q6_k};
    const TypeInfo* type = find_type(std::string_view(name));
    if (type == nullptr || type->encode == nullptr || type->is_integer) {
        fail(ErrorCode::invalid_argument,
             "synthetic type '{}': expected q4_k_m, q5_k_m or a type that Cria writes, such as q4_0, q8_0, "
             "f16",
             name);
    }
    const bool is_small = type->is_quantized && type->type != ElementType::q8_0;
    return {type->type, is_small ? ElementType::q6_k : type->type, type->type};
}

const Shape& shape_of(const std::string& name) {
    const auto found =
        std::find_if(kShapes.begin(), kShapes.end(), [&](const Shape& shape) { return shape.name == name; });
    if (found == kShapes.end())
        fail(ErrorCode::invalid_argument, "synthetic shape '{}': {}", name, synthetic_help());
    return *found;
}

// The layers that mixed file types give more bits: the first and last eighth, and every third between.
bool has_more_bits(int64_t layer, int64_t n_layers) {
    return layer < n_layers / 8 || layer >= 7 * n_layers / 8 || (layer - n_layers / 8) % 3 == 2;
}

class Builder {
  public:
    Builder(const Shape& shape, const Types& types) : shape_(shape), types_(types) {
        add_metadata();
        add_tensors();
    }
    const gguf::FileBuilder& file() const { return file_; }

  private:
    void set(const char* key, int64_t value) {
        file_.metadata().set(std::string("llama.") + key, gguf::Value::number(static_cast<uint32_t>(value)));
    }
    void add(const std::string& name, ElementType type, std::initializer_list<int64_t> dims) {
        file_.add_tensor(name, type, std::vector<int64_t>(dims));
    }

    void add_metadata() {
        file_.metadata().set("general.architecture", gguf::Value::string("llama"));
        file_.metadata().set("general.name", gguf::Value::string("synthetic " + std::string(shape_.name)));
        set("block_count", shape_.n_layers);
        set("embedding_length", shape_.width);
        set("feed_forward_length", shape_.ffn_width);
        set("context_length", 131072);
        set("attention.head_count", shape_.heads);
        set("attention.head_count_kv", shape_.kv_heads);
        set("vocab_size", shape_.n_vocab);
        if (shape_.n_experts > 0) {
            set("expert_count", shape_.n_experts);
            set("expert_used_count", shape_.n_used);
        }
        file_.metadata().set("llama.attention.layer_norm_rms_epsilon", gguf::Value::number(1e-5f));
        file_.metadata().set("tokenizer.ggml.model", gguf::Value::string("none"));
    }

    void add_tensors() {
        const int64_t width = shape_.width;
        const int64_t kv_width = width / shape_.heads * shape_.kv_heads;
        add("token_embd.weight", types_.base, {width, shape_.n_vocab});
        add("output_norm.weight", ElementType::f32, {width});
        add("output.weight", types_.output, {width, shape_.n_vocab});
        for (int64_t i = 0; i < shape_.n_layers; ++i) {
            const std::string prefix = "blk." + std::to_string(i) + ".";
            const ElementType more = has_more_bits(i, shape_.n_layers) ? types_.more : types_.base;
            add(prefix + "attn_norm.weight", ElementType::f32, {width});
            add(prefix + "attn_q.weight", types_.base, {width, width});
            add(prefix + "attn_k.weight", types_.base, {width, kv_width});
            add(prefix + "attn_v.weight", more, {width, kv_width});
            add(prefix + "attn_output.weight", types_.base, {width, width});
            add(prefix + "ffn_norm.weight", ElementType::f32, {width});
            add_feed_forward(prefix, more);
        }
    }

    void add_feed_forward(const std::string& prefix, ElementType down) {
        const int64_t width = shape_.width;
        const int64_t hidden = shape_.ffn_width;
        if (shape_.n_experts == 0) {
            add(prefix + "ffn_gate.weight", types_.base, {width, hidden});
            add(prefix + "ffn_up.weight", types_.base, {width, hidden});
            add(prefix + "ffn_down.weight", down, {hidden, width});
            return;
        }
        add(prefix + "ffn_gate_inp.weight", ElementType::f32, {width, shape_.n_experts});
        add(prefix + "ffn_gate_exps.weight", types_.base, {width, hidden, shape_.n_experts});
        add(prefix + "ffn_up_exps.weight", types_.base, {width, hidden, shape_.n_experts});
        add(prefix + "ffn_down_exps.weight", down, {hidden, width, shape_.n_experts});
    }

    const Shape& shape_;
    const Types& types_;
    gguf::FileBuilder file_;
};

// Uniform numbers in [-1, 1), by a 32-bit linear congruence: quality does not matter, only that quants
// differ.
class Noise {
  public:
    float next() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<float>(static_cast<int32_t>(state_)) * 0x1p-31f;
    }

  private:
    uint32_t state_ = 12345;
};

// A few rows are encoded and repeated: searching scales for every row of a large model would take minutes.
void fill(const gguf::FileBuilder::Tensor& tensor, std::span<std::byte> bytes, Noise& noise) {
    constexpr int64_t kDistinctRows = 16;
    const int64_t length = tensor.dims[0];
    if (tensor.dims.size() == 1) {
        std::vector<float> ones(static_cast<size_t>(length), 1.0f);
        std::memcpy(bytes.data(), ones.data(), bytes.size());
        return;
    }
    std::vector<float> rows(static_cast<size_t>(kDistinctRows * length));
    const float scale = 1.0f / std::sqrt(static_cast<float>(length));
    for (float& value : rows) value = scale * noise.next();
    const size_t pattern_bytes = static_cast<size_t>(kDistinctRows * row_bytes(*tensor.type, length));
    std::vector<std::byte> pattern(pattern_bytes);
    tensor.type->encode(rows.data(), pattern.data(), kDistinctRows, length, nullptr);
    for (size_t at = 0; at < bytes.size(); at += pattern_bytes) {
        std::memcpy(bytes.data() + at, pattern.data(), std::min(pattern_bytes, bytes.size() - at));
    }
}

}  // namespace

std::string synthetic_help() {
    std::string text = "SHAPE:TYPE with shapes ";
    for (const Shape& shape : kShapes)
        text += (&shape == kShapes.data() ? "" : ", ") + std::string(shape.name);
    return text + " and types q4_k_m, q5_k_m or any weight type";
}

std::shared_ptr<const Model> make_synthetic(const std::string& spec) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos)
        fail(ErrorCode::invalid_argument, "--synthetic '{}': expected {}", spec, synthetic_help());
    const Types types = types_of(spec.substr(colon + 1));
    const Builder builder(shape_of(spec.substr(0, colon)), types);
    Noise noise;
    auto bytes = std::make_shared<std::vector<std::byte>>(
        gguf::encode_file(builder.file(), [&](const gguf::FileBuilder::Tensor& tensor,
                                              std::span<std::byte> out) { fill(tensor, out, noise); }));
    auto model = Model::load(gguf::ModelFiles(gguf::Reader::from_bytes(*bytes, "synthetic " + spec)));
    // The bytes live as long as the model that points into them.
    return {model.get(), [bytes, model](const Model*) {}};
}

}  // namespace cria::app
