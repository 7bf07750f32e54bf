// Typed access: which types convert, what is refused and in which words, and that overrides replace in place.
#include "gguf/metadata.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "gguf/allocation_count.h"
#include "gguf/reader.h"
#include "gguf/testing.h"

namespace cria::gguf {
namespace {

using testing::contains;
using testing::error_of;
using testing::message_of;

Metadata with(std::string_view key, Value value) {
    Metadata metadata("'file'");
    metadata.set(key, std::move(value));
    return metadata;
}

template <typename T>
Value list(std::vector<T> values) {
    return Value::numbers<T>(values);
}

TEST(Metadata, ConvertsIntegersThatFit) {
    const Metadata metadata = with("k", Value::number(uint64_t{255}));
    EXPECT_EQ(metadata.get<uint8_t>("k"), 255);
    EXPECT_EQ(metadata.get<int16_t>("k"), 255);
    EXPECT_EQ(metadata.get<uint64_t>("k"), 255u);
    EXPECT_EQ(metadata.get<float>("k"), 255.0f);
    EXPECT_EQ(with("k", Value::number(int8_t{-3})).get<int64_t>("k"), -3);
}

TEST(Metadata, RefusesIntegersThatDoNotFitNamingValueAndLimit) {
    const Metadata metadata = with("k", Value::number(uint64_t{1} << 32));
    const std::string message = message_of([&] { metadata.get<uint32_t>("k"); });
    EXPECT_EQ(message, "'file': metadata key 'k' is 4294967296, outside 0..4294967295");
    EXPECT_TRUE(contains(message_of([&] { metadata.get<int8_t>("k"); }), "outside -128..127"));
    const Metadata negative = with("k", Value::number(int32_t{-1}));
    EXPECT_EQ(error_of([&] { negative.get<uint64_t>("k"); })->code(), ErrorCode::invalid_file);
}

TEST(Metadata, ConvertsFloatsOnlyToFloats) {
    const Metadata metadata = with("k", Value::number(0.5));
    EXPECT_EQ(metadata.get<float>("k"), 0.5f);
    EXPECT_EQ(with("k", Value::number(0.25f)).get<double>("k"), 0.25);
    EXPECT_EQ(message_of([&] { metadata.get<int32_t>("k"); }),
              "'file': metadata key 'k' is f64; i32 is needed");
}

TEST(Metadata, ConvertsBooleansToIntegersButNotBack) {
    EXPECT_EQ(with("k", Value::number(true)).get<uint32_t>("k"), 1u);
    EXPECT_EQ(with("k", list<int32_t>({1})).get<std::vector<int64_t>>("k"), (std::vector<int64_t>{1}));
    const bool booleans[] = {true, false};
    EXPECT_EQ(with("k", Value::numbers<bool>(booleans)).get<std::vector<uint32_t>>("k"),
              (std::vector<uint32_t>{1, 0}));
    const Metadata number = with("k", Value::number(uint8_t{1}));
    EXPECT_EQ(message_of([&] { number.get<bool>("k"); }),
              "'file': metadata key 'k' is u8; boolean is needed");
    const Metadata truth = with("k", Value::number(true));
    EXPECT_TRUE(error_of([&] { truth.get<float>("k"); }));
}

TEST(Metadata, NeverConvertsBetweenTextNumbersAndArrays) {
    const Metadata text = with("k", Value::string("1"));
    EXPECT_TRUE(contains(message_of([&] { text.get<int32_t>("k"); }), "is string; i32 is needed"));
    EXPECT_TRUE(
        contains(message_of([&] { text.get<StringArray>("k"); }), "is string; array of string is needed"));
    const Metadata numbers = with("k", list<int32_t>({1, 2}));
    EXPECT_TRUE(contains(message_of([&] { numbers.get<int32_t>("k"); }), "is array of i32; i32 is needed"));
    EXPECT_TRUE(contains(message_of([&] { numbers.get<std::string>("k"); }), "string is needed"));
    EXPECT_TRUE(contains(message_of([&] { numbers.get<StringArray>("k"); }), "array of string is needed"));
    EXPECT_TRUE(
        contains(message_of([&] { numbers.get<NumberArray<uint32_t>>("k"); }), "array of u32 is needed"));
}

TEST(Metadata, ConvertsArraysElementByElement) {
    EXPECT_EQ(with("k", list<int8_t>({-1, 2})).get<std::vector<int32_t>>("k"), (std::vector<int32_t>{-1, 2}));
    EXPECT_EQ(with("k", list<double>({0.5})).get<std::vector<float>>("k"), (std::vector<float>{0.5f}));
    const Metadata negative = with("k", list<int32_t>({1, -1}));
    EXPECT_TRUE(contains(message_of([&] { negative.get<std::vector<uint32_t>>("k"); }),
                         "is -1, outside 0..4294967295"));
    EXPECT_TRUE(with("k", list<float>({})).get<std::vector<float>>("k").empty());
}

TEST(Metadata, SaysWhichKeyIsMissing) {
    const Metadata metadata = with("k", Value::number(true));
    const auto error = error_of([&] { metadata.get<bool>("other"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::not_found);
    EXPECT_STREQ(error->what(), "'file' has no metadata key 'other'");
    EXPECT_EQ(metadata.get_optional<bool>("other"), std::nullopt);
    EXPECT_EQ(metadata.get_optional<bool>("k"), true);
    EXPECT_TRUE(error_of([&] { metadata.get_optional<float>("k"); }));
}

TEST(Metadata, OverridesInPlaceInACopyAndKeepsTheRest) {
    Metadata original = with("a", Value::number(uint32_t{1}));
    original.set("b", Value::string("text"));
    Metadata copy = original;
    copy.set("a", Value::string("other"));
    copy.set("c", Value::number(true));
    EXPECT_EQ(original.get<uint32_t>("a"), 1u);
    ASSERT_EQ(copy.size(), 3u);
    EXPECT_EQ(copy.entries()[0].key, "a");
    EXPECT_EQ(copy.get<std::string>("a"), "other");
    EXPECT_TRUE(copy.remove("a"));
    EXPECT_FALSE(copy.remove("a"));
    EXPECT_EQ(copy.entries()[0].key, "b");
    EXPECT_EQ(copy.get<std::string>("b"), "text");
    EXPECT_TRUE(copy.get<bool>("c"));
}

TEST(Value, RefusesArraysOfThingsThatAreNotArraysAndOfTooManyLevels) {
    const Value number = Value::number(1.0);
    EXPECT_TRUE(error_of([&] { Value::arrays(std::span(&number, 1)); }));
    Value nested = list<int32_t>({1});
    for (int depth = 1; depth < kMaxArrayDepth; ++depth) {
        const Value inner = nested;
        nested = Value::arrays(std::span(&inner, 1));
    }
    EXPECT_TRUE(contains(message_of([&] { Value::arrays(std::span(&nested, 1)); }), "at most 8 deep"));
    const auto bytes = testing::bytes_of([&] {
        FileBuilder builder;
        builder.metadata().set("nested", nested);
        return builder;
    }());
    EXPECT_EQ(Reader::from_bytes(bytes).metadata().find("nested")->type_name(), "array of array");
}

TEST(Value, StopsVisitingWhenAsked) {
    const std::string_view texts[] = {"a", "b", "c"};
    size_t n_visited = 0;
    Value::strings(texts).for_each([&](const Value&) { return ++n_visited < 2; });
    EXPECT_EQ(n_visited, 2u);
}

TEST(Reader, OpensATokenListWithoutCopyingIt) {
    FileBuilder builder;
    std::vector<std::string_view> tokens(150000, "a token of the usual length");
    builder.metadata().set("tokenizer.ggml.tokens", Value::strings(tokens));
    builder.metadata().set("tokenizer.ggml.scores", list<float>(std::vector<float>(tokens.size(), 0.5f)));
    const auto bytes = testing::bytes_of(builder);
    testing::reset_allocations();
    const Reader reader = Reader::from_bytes(bytes);
    const auto list = reader.metadata<StringArray>("tokenizer.ggml.tokens");
    size_t n_equal = 0;
    for (const std::string_view token : list) n_equal += token == tokens[0] ? 1 : 0;
    EXPECT_EQ(n_equal, tokens.size());
    EXPECT_EQ(reader.metadata<NumberArray<float>>("tokenizer.ggml.scores")[149999], 0.5f);
    EXPECT_LT(testing::allocations().n_bytes, 4096u);
}

TEST(Reader, KeepsItsViewsWhenItIsMoved) {
    const testing::TempFolder folder;
    const std::string path = folder.write("x.gguf", testing::bytes_of(testing::small_builder()));
    for (const FileAccess access : {FileAccess::mapped, FileAccess::copied}) {
        Reader first = Reader::open(path, {.access = access});
        const auto name = first.metadata<std::string_view>("general.architecture");
        const TensorInfo tensor = *first.find("b.bias");
        const Reader second = std::move(first);
        EXPECT_EQ(name, "test");
        EXPECT_EQ(second.find("b.bias")->data, tensor.data);
        EXPECT_EQ(second.find(tensor.name)->name.data(), tensor.name.data());
        EXPECT_EQ(second.path(), path);
        EXPECT_NE(second.file(), nullptr);
    }
}

TEST(Reader, NamesFilesThatCannotBeOpened) {
    const testing::TempFolder folder;
    EXPECT_EQ(error_of([&] { Reader::open(folder.file("absent.gguf")); })->code(), ErrorCode::not_found);
    EXPECT_EQ(error_of([&] { Reader::open(folder.path()); })->code(), ErrorCode::io);
    const std::string path = folder.write("empty.gguf", {});
    EXPECT_TRUE(contains(message_of([&] { Reader::open(path); }), path));
}

}  // namespace
}  // namespace cria::gguf
