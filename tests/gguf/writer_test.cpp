// What the writer makes, the reader reads: every type and version; and the writer refuses what the reader
// would.
#include "gguf/writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "gguf/testing.h"

namespace cria::gguf {
namespace {

using testing::bytes_of;
using testing::contains;
using testing::message_of;
using testing::small_builder;
using testing::TempFolder;

template <typename T>
void set_number_and_numbers(Metadata& metadata, const std::string& name) {
    using Limits = std::numeric_limits<T>;
    metadata.set(name, Value::number(Limits::max()));
    const std::vector<T> values{Limits::lowest(), T{0}, Limits::max()};
    metadata.set(name + "s", Value::numbers<T>(values));
}

// One key of every value type, and one array of every element type.
FileBuilder builder_of_everything(uint32_t version) {
    FileBuilder builder = small_builder(version);
    Metadata& metadata = builder.metadata();
    set_number_and_numbers<uint8_t>(metadata, "u8");
    set_number_and_numbers<int8_t>(metadata, "i8");
    set_number_and_numbers<uint16_t>(metadata, "u16");
    set_number_and_numbers<int16_t>(metadata, "i16");
    set_number_and_numbers<uint32_t>(metadata, "u32");
    set_number_and_numbers<int32_t>(metadata, "i32");
    set_number_and_numbers<uint64_t>(metadata, "u64");
    set_number_and_numbers<int64_t>(metadata, "i64");
    set_number_and_numbers<float>(metadata, "f32");
    set_number_and_numbers<double>(metadata, "f64");
    metadata.set("boolean", Value::number(true));
    const bool booleans[] = {true, false, true};
    metadata.set("booleans", Value::numbers<bool>(booleans));
    metadata.set("string", Value::string(std::string_view("a\0b\xff", 4)));
    const std::string_view texts[] = {"", "one", "two\n"};
    metadata.set("strings", Value::strings(texts));
    const Value rows[] = {Value::strings(texts), Value::numbers<bool>(booleans), Value::strings({})};
    const Value table[] = {Value::arrays(rows), Value::arrays({})};
    metadata.set("arrays", Value::arrays(table));
    return builder;
}

template <typename T>
void expect_number_and_numbers(const Reader& reader, const std::string& name) {
    using Limits = std::numeric_limits<T>;
    SCOPED_TRACE(name);
    EXPECT_EQ(reader.metadata<T>(name), Limits::max());
    const auto values = reader.metadata<NumberArray<T>>(name + "s");
    ASSERT_EQ(values.size(), 3u);
    EXPECT_EQ(values[0], Limits::lowest());
    EXPECT_EQ(values[1], T{0});
    EXPECT_EQ(values[2], Limits::max());
}

class EveryVersion : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Writer, EveryVersion, ::testing::Values(1, 2, 3));

TEST_P(EveryVersion, KeepsEveryValueType) {
    const auto bytes = bytes_of(builder_of_everything(GetParam()));
    const Reader reader = Reader::from_bytes(bytes);
    EXPECT_EQ(reader.version(), GetParam());
    expect_number_and_numbers<uint8_t>(reader, "u8");
    expect_number_and_numbers<int8_t>(reader, "i8");
    expect_number_and_numbers<uint16_t>(reader, "u16");
    expect_number_and_numbers<int16_t>(reader, "i16");
    expect_number_and_numbers<uint32_t>(reader, "u32");
    expect_number_and_numbers<int32_t>(reader, "i32");
    expect_number_and_numbers<uint64_t>(reader, "u64");
    expect_number_and_numbers<int64_t>(reader, "i64");
    expect_number_and_numbers<float>(reader, "f32");
    expect_number_and_numbers<double>(reader, "f64");
    EXPECT_TRUE(reader.metadata<bool>("boolean"));
    EXPECT_EQ(reader.metadata<std::vector<bool>>("booleans"), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(reader.metadata<std::string>("string"), std::string("a\0b\xff", 4));
    EXPECT_EQ(reader.metadata<std::vector<std::string>>("strings"),
              (std::vector<std::string>{"", "one", "two\n"}));
}

TEST_P(EveryVersion, KeepsArraysWithinArrays) {
    const auto bytes = bytes_of(builder_of_everything(GetParam()));
    const Reader reader = Reader::from_bytes(bytes);
    std::vector<std::string> seen;
    reader.metadata().find("arrays")->for_each([&](const Value& row) {
        seen.push_back(fmt::format("{} {}", row.size(), row.type_name()));
        row.for_each([&](const Value& cell) {
            seen.push_back(fmt::format("{} {}", cell.size(), cell.type_name()));
            return true;
        });
        return true;
    });
    EXPECT_EQ(seen, (std::vector<std::string>{"3 array of array", "3 array of string", "3 array of boolean",
                                              "0 array of string", "0 array of array"}));
}

TEST_P(EveryVersion, KeepsTensorsAndTheirBytes) {
    FileBuilder builder = small_builder(GetParam());
    builder.add_tensor("scalar", ElementType::f32, {});
    const int64_t cube[] = {256, 2, 3, 2};
    builder.add_tensor("cube", ElementType::q4_k, cube);
    builder.metadata().set("general.alignment", Value::number(uint32_t{64}));
    const auto bytes = bytes_of(builder);
    const Reader reader = Reader::from_bytes(bytes);
    ASSERT_EQ(reader.tensors().size(), 4u);
    EXPECT_EQ(reader.alignment(), 64u);
    EXPECT_EQ(reader.find("scalar")->n_bytes, 4u);
    const TensorInfo& tensor = *reader.find("cube");
    EXPECT_EQ(tensor.dims, (std::array<int64_t, 4>{256, 2, 3, 2}));
    EXPECT_EQ(tensor.shape(), "[256, 2, 3, 2]");
    EXPECT_EQ(tensor.n_bytes, 144u * 12);
    EXPECT_EQ(tensor.offset % 64, 0u);
    for (size_t i = 0; i < tensor.n_bytes; ++i)
        ASSERT_EQ(std::to_integer<size_t>(tensor.data[i]), (i * 7 + 4 * 31) & 0xff);
}

TEST_P(EveryVersion, CopiesAnotherVersionWithoutLoss) {
    const auto bytes = bytes_of(builder_of_everything(1));
    const Reader reader = Reader::from_bytes(bytes);
    const auto copy = bytes_of(FileBuilder::like(reader.metadata(), reader.tensors(), GetParam()));
    EXPECT_EQ(copy, bytes_of(builder_of_everything(GetParam())));
}

TEST(FileWriter, StreamsTheSameBytesAsInMemoryWhateverThePieces) {
    const FileBuilder builder = small_builder();
    const auto expected = bytes_of(builder);
    const Reader reader = Reader::from_bytes(expected);
    const TempFolder folder;
    for (const size_t piece : {1, 7, 1000}) {
        const std::string path = folder.file("streamed.gguf");
        FileWriter writer(builder, path);
        for (const TensorInfo& tensor : reader.tensors()) {
            for (size_t at = 0; at < tensor.n_bytes; at += piece) {
                writer.write(tensor.bytes().subspan(at, std::min<size_t>(piece, tensor.n_bytes - at)));
            }
        }
        EXPECT_EQ(writer.n_complete(), 2u);
        EXPECT_EQ(writer.written_bytes(), expected.size());
        writer.commit();
        const ReadOnlyFile file = ReadOnlyFile::open(path);
        EXPECT_TRUE(std::ranges::equal(file.bytes(), expected));
    }
}

TEST(FileWriter, RefusesTooFewAndTooManyBytesAndLeavesNoFile) {
    const FileBuilder builder = small_builder();
    const TempFolder folder;
    const std::string path = folder.file("x.gguf");
    {
        FileWriter writer(builder, path);
        const std::vector<std::byte> whole(32 * 3 * 4);
        EXPECT_TRUE(contains(message_of([&] { writer.commit(); }), "'a.weight' has 0 of 384 bytes"));
        writer.write(whole);
        EXPECT_TRUE(contains(message_of([&] { writer.write(whole); }), "too many for tensor 'b.bias'"));
        writer.write(std::span(whole).first(10));
        writer.write({});
        EXPECT_TRUE(contains(message_of([&] { writer.write(std::span(whole).first(1)); }), "all 2 tensors"));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileBuilder, KnowsTheSizeOfTheFileBeforeItIsWritten) {
    const FileBuilder builder = small_builder();
    EXPECT_EQ(builder.data_bytes(), 384u + 32);
    EXPECT_EQ(builder.encode_header().size() + builder.data_bytes(), bytes_of(builder).size());
}

TEST(FileBuilder, RefusesWhatTheReaderWouldRefuse) {
    const auto refusal = [](std::string_view name, ElementType type, std::vector<int64_t> dims) {
        FileBuilder builder = small_builder();
        return message_of([&] { builder.add_tensor(name, type, dims); });
    };
    EXPECT_EQ(refusal("fine", ElementType::q4_0, {32}), "");
    EXPECT_TRUE(contains(refusal("", ElementType::f32, {1}), "at least one byte"));
    EXPECT_TRUE(contains(refusal(std::string_view("a\0b", 3), ElementType::f32, {1}), "NUL"));
    EXPECT_TRUE(contains(refusal("a.weight", ElementType::f32, {1}), "twice"));
    EXPECT_TRUE(contains(refusal("x", ElementType::f32, {0}), "at least 1"));
    EXPECT_TRUE(contains(refusal("x", ElementType::f32, {-1, -1}), "at least 1"));
    EXPECT_TRUE(contains(refusal("x", ElementType::f32, {int64_t{1} << 32, int64_t{1} << 31}), "2^63"));
    EXPECT_TRUE(contains(refusal("x", ElementType::f32, {1, 1, 1, 1, 1}), "5 dimensions"));
    EXPECT_TRUE(contains(refusal("x", ElementType::q4_k, {255}), "multiple of 256"));
    EXPECT_NE(message_of([] { FileBuilder(4); }), "");
}

TEST(FileBuilder, RefusesMetadataThatNoFileMayHave) {
    const auto refusal = [](std::string_view key, Value value, uint32_t version = kMaxVersion) {
        FileBuilder builder(version);
        builder.metadata().set(key, std::move(value));
        return message_of([&] { builder.encode_header(); });
    };
    EXPECT_EQ(refusal("general.alignment", Value::number(uint32_t{8})), "");
    EXPECT_TRUE(contains(refusal("general.alignment", Value::number(uint32_t{24})), "power of two"));
    EXPECT_TRUE(contains(refusal("general.alignment", Value::number(uint64_t{32})), "u32"));
    EXPECT_TRUE(contains(refusal("", Value::number(true)), "at least one byte"));
    EXPECT_TRUE(contains(refusal(std::string(65536, 'k'), Value::number(true)), "65535"));
}

}  // namespace
}  // namespace cria::gguf
