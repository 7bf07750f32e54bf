// Loading: what is missing, misshapen or absurd is named, all at once and in one line; nothing crashes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/testing.h"

namespace cria {
namespace {

using cria::testing::TinyModel;

TEST(Load, ReadsACompleteModel) {
    const auto model = TinyModel().load();
    EXPECT_EQ(model->spec().n_layers, 2);
    EXPECT_EQ(model->spec().n_vocab, 40);
    EXPECT_EQ(model->n_parameters(),
              40u * 32 * 2 + 32 + 2 * (2 * 32 + 2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 48));
    EXPECT_EQ(model->description(), "llama 18K F32");
}

struct AbsurdNumber {
    const char* key;
    int64_t value;
    const char* words;
};

class LoadAbsurd : public ::testing::TestWithParam<AbsurdNumber> {};

TEST_P(LoadAbsurd, IsRefusedByName) {
    TinyModel tiny;
    tiny.set_number(std::string("llama.") + GetParam().key, GetParam().value);
    const std::string error = tiny.load_error();
    EXPECT_NE(error.find(std::string("llama.") + GetParam().key), std::string::npos) << error;
    EXPECT_NE(error.find(GetParam().words), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Numbers, LoadAbsurd,
                         ::testing::Values(AbsurdNumber{"block_count", 0, "expected 1 to 512"},
                                           AbsurdNumber{"block_count", 513, "513"},
                                           AbsurdNumber{"block_count", int64_t(1) << 31, "2147483648"},
                                           AbsurdNumber{"block_count", -1, "-1"},
                                           AbsurdNumber{"embedding_length", 0, "expected 1"},
                                           AbsurdNumber{"embedding_length", int64_t(1) << 40,
                                                        "expected 1 to"},
                                           AbsurdNumber{"attention.head_count", 0, "expected 1"},
                                           AbsurdNumber{"attention.head_count", 5000, "expected 1"},
                                           AbsurdNumber{"attention.head_count_kv", 3, "does not divide"},
                                           AbsurdNumber{"attention.head_count_kv", 0, "expected 1"},
                                           AbsurdNumber{"context_length", 0, "expected 1"},
                                           AbsurdNumber{"context_length", int64_t(1) << 50, "expected 1"},
                                           AbsurdNumber{"feed_forward_length", 0, "expected 1"},
                                           AbsurdNumber{"rope.dimension_count", 7, "even"},
                                           AbsurdNumber{"rope.dimension_count", 9000, "expected 0 to 8"},
                                           AbsurdNumber{"attention.key_length", -4, "expected 1"},
                                           AbsurdNumber{"expert_count", 100000, "expected 0 to 512"}));

TEST(Load, RefusesNumbersThatAreNone) {
    for (const char* key : {"rope.freq_base", "attention.layer_norm_rms_epsilon", "rope.scaling.factor"}) {
        for (const float value :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.0f}) {
            TinyModel tiny;
            tiny.set(std::string("llama.") + key, gguf::Value::number(value));
            EXPECT_NE(tiny.load_error().find(key), std::string::npos)
                << key << " " << value << ": " << tiny.load_error();
        }
    }
}

TEST(Load, RefusesValuesOfTheWrongType) {
    TinyModel tiny;
    tiny.set("llama.block_count", gguf::Value::string("two"));
    EXPECT_NE(tiny.load_error().find("llama.block_count"), std::string::npos) << tiny.load_error();
}

TEST(Load, ListsAllMissingTensorsAtOnce) {
    TinyModel tiny;
    tiny.remove_tensor("blk.0.attn_q.weight");
    tiny.remove_tensor("blk.1.ffn_down.weight");
    tiny.remove_tensor("output_norm.weight");
    const std::string error = tiny.load_error();
    EXPECT_NE(error.find("3 tensors are missing"), std::string::npos) << error;
    for (const char* name : {"blk.0.attn_q.weight", "blk.1.ffn_down.weight", "output_norm.weight"})
        EXPECT_NE(error.find(name), std::string::npos) << error;
}

TEST(Load, RefusesEveryMissingTensorButOutput) {
    for (const auto& tensor : TinyModel().tensors) {
        TinyModel tiny;
        tiny.remove_tensor(tensor.name);
        const std::string error = tiny.load_error();
        if (tensor.name == "output.weight") {
            EXPECT_EQ(error, "");  // tied to token_embd
        } else {
            EXPECT_NE(error.find(tensor.name), std::string::npos) << error;
        }
    }
}

TEST(Load, RefusesEveryWrongShapeWithBothShapes) {
    for (const auto& tensor : TinyModel().tensors) {
        TinyModel tiny;
        tiny.tensor(tensor.name).dims.back() += 16;
        const std::string error = tiny.load_error();
        EXPECT_NE(error.find("shape"), std::string::npos) << tensor.name << ": " << error;
        if (tensor.name == "token_embd.weight")
            continue;  // defines the vocabulary's size, so output.weight is the odd one
        EXPECT_NE(error.find("'" + tensor.name + "' has shape ["), std::string::npos) << error;
    }
}

TEST(Load, RefusesIntegersAsWeights) {
    TinyModel tiny;
    tiny.tensor("blk.0.attn_q.weight").type = ElementType::i32;
    EXPECT_NE(tiny.load_error().find("'blk.0.attn_q.weight' has type i32"), std::string::npos)
        << tiny.load_error();
}

TEST(Load, NamesUnknownArchitecturesAndTheKnownOnes) {
    TinyModel tiny;
    tiny.set("general.architecture", gguf::Value::string("lama3"));
    const std::string error = tiny.load_error();
    EXPECT_NE(error.find("'lama3'"), std::string::npos) << error;
    EXPECT_NE(error.find("gemma3"), std::string::npos) << error;
}

TEST(Load, TakesOverridesInsteadOfTheFile) {
    const auto model =
        TinyModel().load({.overrides = {{"llama.rope.freq_base", gguf::Value::number(5000.0f)}}});
    EXPECT_EQ(model->spec().layers[0].attention.rope.base, 5000.0f);
    EXPECT_EQ(model->metadata().get<float>("llama.rope.freq_base"), 5000.0f);
}

TEST(Load, ReportsProgressAndCanBeCancelled) {
    std::vector<float> shares;
    TinyModel().load({.check_tensors = true, .progress = [&](float share) {
                          shares.push_back(share);
                          return true;
                      }});
    ASSERT_GE(shares.size(), 2u);
    EXPECT_EQ(shares.back(), 1.0f);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_NE(TinyModel()
                  .load_error({.check_tensors = true, .progress = [](float share) { return share < 0.5f; }})
                  .find("cancelled"),
              std::string::npos);
}

TEST(Load, ChecksEveryWeightWhenAsked) {
    TinyModel tiny;
    auto bytes = tiny.bytes();
    const auto reader = gguf::Reader::from_bytes(bytes, "tiny");
    const auto offset = reader.find("blk.1.ffn_up.weight")->offset + 4 * (32 * 5 + 7);
    const float bad = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(bytes.data() + offset, &bad, 4);
    EXPECT_NO_THROW(Model::load(gguf::ModelFiles(gguf::Reader::from_bytes(bytes))));
    try {
        Model::load(gguf::ModelFiles(gguf::Reader::from_bytes(bytes)), {.check_tensors = true});
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("'blk.1.ffn_up.weight' holds nan in row 5, element 7"),
                  std::string::npos)
            << e.what();
    }
}

TEST(Load, GivesTokensAloneWhenAsked) {
    TinyModel tiny;
    tiny.remove_tensor("output_norm.weight");
    const auto model = tiny.load({.vocab_only = true});
    EXPECT_FALSE(model->has_weights());
    EXPECT_THROW(model->spec(), Error);
}

}  // namespace
}  // namespace cria
