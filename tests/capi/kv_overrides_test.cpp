// Metadata overrides: each tag, and arrays that lie about themselves.
#include "capi/kv_overrides.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/error.h"
#include "gguf/metadata.h"

namespace cria::capi {
namespace {

llama_model_kv_override entry(llama_model_kv_override_type tag, const char* key) {
    llama_model_kv_override e{};
    e.tag = tag;
    std::strncpy(e.key, key, sizeof e.key - 1);
    return e;
}

void apply(const llama_model_kv_override* list, gguf::Metadata& metadata) {
    for (const auto& [key, value] : read_kv_overrides(list)) metadata.set(key, value);
}

TEST(KvOverrides, EveryTagSetsItsType) {
    llama_model_kv_override list[5] = {entry(LLAMA_KV_OVERRIDE_TYPE_INT, "i"),
                                       entry(LLAMA_KV_OVERRIDE_TYPE_FLOAT, "f"),
                                       entry(LLAMA_KV_OVERRIDE_TYPE_BOOL, "b"),
                                       entry(LLAMA_KV_OVERRIDE_TYPE_STR, "s"),
                                       {}};
    list[0].val_i64 = -5;
    list[1].val_f64 = 0.5;
    list[2].val_bool = true;
    std::strcpy(list[3].val_str, "text");
    gguf::Metadata metadata;
    apply(list, metadata);
    EXPECT_EQ(metadata.get<int64_t>("i"), -5);
    EXPECT_EQ(metadata.get<double>("f"), 0.5);
    EXPECT_TRUE(metadata.get<bool>("b"));
    EXPECT_EQ(metadata.get<std::string>("s"), "text");
    EXPECT_EQ(metadata.size(), 4u);
}

TEST(KvOverrides, ReplaceValuesAndTheLastOfEqualKeysWins) {
    gguf::Metadata metadata;
    metadata.set("k", gguf::Value::string("old"));
    llama_model_kv_override list[3] = {
        entry(LLAMA_KV_OVERRIDE_TYPE_INT, "k"), entry(LLAMA_KV_OVERRIDE_TYPE_INT, "k"), {}};
    list[0].val_i64 = 1;
    list[1].val_i64 = 2;
    apply(list, metadata);
    EXPECT_EQ(metadata.get<int64_t>("k"), 2);
    apply(nullptr, metadata);
    EXPECT_EQ(metadata.size(), 1u);
}

std::string refusal(llama_model_kv_override wrong) {
    llama_model_kv_override list[2] = {wrong, {}};
    gguf::Metadata metadata;
    try {
        apply(list, metadata);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "";
}

TEST(KvOverrides, RefuseTextWithoutEndAndUnknownTags) {
    llama_model_kv_override endless_key = entry(LLAMA_KV_OVERRIDE_TYPE_INT, "k");
    std::memset(endless_key.key, 'x', sizeof endless_key.key);
    EXPECT_NE(refusal(endless_key).find("kv_overrides[0].key"), std::string::npos);

    llama_model_kv_override endless_text = entry(LLAMA_KV_OVERRIDE_TYPE_STR, "k");
    std::memset(endless_text.val_str, 'x', sizeof endless_text.val_str);
    EXPECT_NE(refusal(endless_text).find("val_str"), std::string::npos);

    llama_model_kv_override odd_tag = entry(LLAMA_KV_OVERRIDE_TYPE_INT, "k");
    const int tag = 77;
    std::memcpy(&odd_tag.tag, &tag, sizeof tag);
    EXPECT_NE(refusal(odd_tag).find("tag is 77"), std::string::npos);
}

TEST(KvOverrides, AnyNonZeroByteIsTrue) {
    llama_model_kv_override odd = entry(LLAMA_KV_OVERRIDE_TYPE_BOOL, "k");
    std::memset(&odd.val_bool, 7, 1);
    llama_model_kv_override list[2] = {odd, {}};
    gguf::Metadata metadata;
    apply(list, metadata);
    EXPECT_TRUE(metadata.get<bool>("k"));
}

}  // namespace
}  // namespace cria::capi
