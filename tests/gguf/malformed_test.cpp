// Files that must be refused, each by one line that says what is wrong, and before they cost memory: a table
// of (name, file, code, words), every truncation, every flipped bit of a header. The functions that hold the
// table are longer than a screen: they are data.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gguf/allocation_count.h"
#include "gguf/reader.h"
#include "gguf/testing.h"

namespace cria::gguf {
namespace {

using testing::bytes_of;
using testing::RawFile;

constexpr uint64_t kMiB = 1u << 20;

// Ids of value types, as in the file.
constexpr uint32_t kU32 = 4, kF32 = 6, kBoolean = 7, kString = 8, kArray = 9, kU64 = 10;
// Ids of element types.
constexpr uint32_t kTensorF32 = 0, kTensorQ4K = 12, kTensorQ4KR4 = 212;

struct Malformed {
    std::string name;
    std::vector<std::byte> file;
    ErrorCode code;
    std::vector<std::string> words;  // all of them stand in the message
};

std::ostream& operator<<(std::ostream& out, const Malformed& malformed) { return out << malformed.name; }

std::vector<std::byte> text_file(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// A file with one key, whose value follows.
RawFile one_key(std::string_view key, uint32_t type) { return std::move(RawFile(3, 0, 1).key(key, type)); }
RawFile one_array(std::string_view key, uint32_t element_type, uint64_t size) {
    return std::move(one_key(key, kArray).u32(element_type).u64(size));
}
RawFile alignment_of(uint32_t alignment) {
    return std::move(one_key("general.alignment", kU32).u32(alignment));
}
// A file with one tensor of 64 floats' room.
RawFile one_tensor(std::string_view name, std::initializer_list<uint64_t> dims, uint32_t type = kTensorF32,
                   uint64_t offset = 0) {
    return std::move(RawFile(3, 1, 0).tensor(name, dims, type, offset).data(256));
}

std::vector<Malformed> other_formats() {
    const auto bad = ErrorCode::invalid_file;
    using namespace std::string_view_literals;
    return {
        {"Empty", {}, bad, {"is not a GGUF file", "empty"}},
        {"TwoBytes", text_file("GG"), bad, {"is not a GGUF file", "2 bytes"}},
        {"Ggml", text_file("lmgg\1\0\0\0"sv), bad, {"old GGML family"}},
        {"Ggmf", text_file("fmgg\1\0\0\0"sv), bad, {"old GGML family"}},
        {"Ggjt", text_file("tjgg\3\0\0\0"sv), bad, {"old GGML family", "convert"}},
        {"Ggla", text_file("algg\1\0\0\0"sv), bad, {"LoRA adapter"}},
        {"ReversedMagic", text_file("FUGG\0\0\0\3"sv), bad, {"big-endian"}},
        {"Safetensors", text_file("\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"sv), bad, {"safetensors"}},
        {"WebPage", text_file("<!DOCTYPE html><html>"), bad, {"web page"}},
        {"WebPageWithoutType", text_file("<html><head>"), bad, {"web page"}},
        {"LfsPointer",
         text_file("version https://git-lfs.github.com/spec/v1\noid sha256:0"),
         bad,
         {"git lfs pull"}},
        {"ServerError", text_file("{\"error\":\"Unauthorized\"}"), bad, {"JSON"}},
        {"NoSuchFile", text_file("Entry not found"), bad, {"no such file"}},
        {"Zip", text_file("PK\3\4"), bad, {"PyTorch"}},
        {"Gzip", text_file("\x1f\x8b\x08"), bad, {"archive"}},
        {"Zeros", std::vector<std::byte>(4096), bad, {"unfinished download"}},
        {"Text", text_file("Once upon a time\n"), bad, {"starts with 'Once'"}},
        {"Unprintable", text_file("\n\x1b[2J"), bad, {"starts with '\\x0a\\x1b[2'"}},
    };
}

std::vector<Malformed> bad_headers() {
    const auto bad = ErrorCode::invalid_file;
    const auto unsupported = ErrorCode::unsupported;
    return {
        {"VersionZero", RawFile(0, 0, 0), unsupported, {"version is 0", "1 to 3"}},
        {"VersionFour", RawFile(4, 0, 0), unsupported, {"version is 4", "1 to 3"}},
        {"BigEndianThree", RawFile(0x03000000, 0, 0), unsupported, {"version 3 in big-endian order"}},
        {"BigEndianTwo", RawFile(0x02000000, 0, 0), unsupported, {"version 2 in big-endian order"}},
        {"TensorCountBeyondFile", RawFile(3, 7, 0).zeros(64), bad, {"tensor count is 7", "hold at most"}},
        {"TensorCountTwoTo60",
         RawFile(3, 1ull << 60, 0).zeros(64),
         bad,
         {"tensor count is 1152921504606846976", "limit"}},
        {"TensorCountNegative",
         RawFile(3, ~0ull, 0).zeros(64),
         bad,
         {"tensor count is 18446744073709551615"}},
        {"TensorCountOldVersion", RawFile(1, 0xffffffff, 0).zeros(64), bad, {"tensor count is 4294967295"}},
        {"KeyCountBeyondFile", RawFile(3, 0, 9).zeros(64), bad, {"metadata count is 9", "hold at most"}},
        {"KeyCountTwoTo63",
         RawFile(3, 0, 1ull << 63).zeros(64),
         bad,
         {"metadata count is 9223372036854775808", "limit"}},
    };
}

std::vector<Malformed> bad_metadata() {
    const auto bad = ErrorCode::invalid_file;
    const std::string_view nul_key("a\0b", 3);
    RawFile deep = one_array("k", kArray, 1);
    for (int i = 0; i < 8; ++i) deep.u32(kArray).u64(1);
    RawFile deepest = one_array("k", kArray, 1);
    for (int i = 0; i < 100000; ++i) deepest.u32(kArray).u64(1);
    return {
        {"EmptyKey", one_key("", kU32).u32(1), bad, {"metadata key 0 is ''", "at least one byte"}},
        {"NulInKey", one_key(nul_key, kU32).u32(1), bad, {"metadata key 0 is 'a\\x00b'", "NUL"}},
        {"NewlineInKeyStaysOneLine", one_key("a\nb", 99).u32(1), bad, {"'a\\x0ab'"}},
        {"LongKey",
         one_key(std::string(65536, 'k'), kU32).u32(1),
         bad,
         {"length of metadata key 0 is 65536", "limit is 65535"}},
        {"KeyBeyondFile",
         RawFile(3, 0, 1).u64(1ull << 40).zeros(20),
         bad,
         {"length of metadata key 0 is 1099511627776", "65535"}},
        {"DuplicateKey",
         RawFile(3, 0, 2).key("k", kU32).u32(1).key("k", kU32).u32(1),
         bad,
         {"metadata key 1", "'k'", "twice"}},
        {"UnknownValueType", one_key("k", 13).u64(0), bad, {"type of metadata value 'k' is 13", "0 to 12"}},
        {"HugeValueType", one_key("k", 0xffffffff).u64(0), bad, {"is 4294967295"}},
        {"BooleanTwo", one_key("k", kBoolean).u8(2), bad, {"'k' is 2", "0 or 1"}},
        {"BooleanInArray",
         one_array("k", kBoolean, 3).u8(0).u8(1).u8(255),
         bad,
         {"elements of metadata value 'k' is 255"}},
        {"OneGiBString",
         one_key("k", kString).u64(1ull << 30).zeros(109),
         bad,
         {"length of metadata value 'k' is 1073741824", "109"}},
        {"StringLengthOverflow",
         one_key("k", kString).u64(~0ull),
         bad,
         {"is 18446744073709551615", "hold at most 0"}},
        {"ArrayTwoTo63",
         one_array("k", kU32, 1ull << 63).zeros(64),
         bad,
         {"element count of metadata value 'k' is 9223372036854775808"}},
        {"ArrayOfBytesTooLong",
         one_array("k", 0, 65).zeros(64),
         bad,
         {"element count", "is 65", "at most 64"}},
        {"ArrayProductOverflow",
         one_array("k", kU64, 1ull << 61).zeros(64),
         bad,
         {"element count", "at most 8"}},
        {"ArrayOfUnknownType",
         one_array("k", 77, 1).zeros(64),
         bad,
         {"element type of metadata value 'k' is 77"}},
        {"StringsBeyondFile",
         one_array("k", kString, 3).u64(1).u8('a').u64(100).zeros(20),
         bad,
         {"element 1", "is 100"}},
        {"StringCountBeyondFile",
         one_array("k", kString, 1ull << 50).zeros(64),
         bad,
         {"element count", "at most 8"}},
        {"ArraysTooDeep", deep.u32(kF32).u64(0), bad, {"depth of arrays", "is 9", "limit is 8"}},
        {"ArraysFarTooDeep", deepest, bad, {"depth of arrays", "limit is 8"}},
        {"InnerArrayBeyondFile",
         one_array("k", kArray, 1).u32(kF32).u64(1ull << 62),
         bad,
         {"element count", "hold at most 0"}},
        {"AlignmentZero", alignment_of(0), bad, {"general.alignment", "is 0", "power of two"}},
        {"AlignmentThree", alignment_of(3), bad, {"is 3", "power of two"}},
        {"AlignmentFour", alignment_of(4), bad, {"is 4", "from 8"}},
        {"AlignmentTwoTo30", alignment_of(1u << 30), bad, {"is 1073741824", "to 2097152"}},
        {"AlignmentOfWrongType",
         one_key("general.alignment", kU64).u64(32),
         bad,
         {"general.alignment", "is u64", "u32"}},
        {"AlignmentAsText", one_key("general.alignment", kString).text("32"), bad, {"is string", "u32"}},
    };
}

std::vector<Malformed> bad_tensors() {
    const auto bad = ErrorCode::invalid_file;
    const auto unsupported = ErrorCode::unsupported;
    const std::string_view nul_name("a\0b", 3);
    const uint64_t big = 1ull << 32;
    const auto two = [](std::string_view name, uint64_t offset) {
        RawFile file(3, 2, 0);
        file.tensor("a", {16}, kTensorF32, 0).tensor(name, {16}, kTensorF32, offset).data(512);
        return file;
    };
    return {
        {"EmptyName", one_tensor("", {4}), bad, {"name of tensor 0 is ''"}},
        {"NulInName", one_tensor(nul_name, {4}), bad, {"'a\\x00b'", "NUL"}},
        {"LongName",
         one_tensor(std::string(1025, 'n'), {4}),
         bad,
         {"length of name of tensor 0 is 1025", "1024"}},
        {"DuplicateName", two("a", 64), bad, {"name of tensor 1", "'a'", "twice"}},
        {"FiveDimensions",
         one_tensor("t", {1, 1, 1, 1, 1}),
         bad,
         {"dimension count of tensor 't' is 5", "limit is 4"}},
        {"HugeDimensionCount",
         RawFile(3, 1, 0).text("t").u32(0xffffffff).zeros(64),
         bad,
         {"is 4294967295", "limit is 4"}},
        {"DimensionZero", one_tensor("t", {4, 0}), bad, {"dimension 1 of tensor 't' is 0", "at least 1"}},
        {"DimensionNegative",
         one_tensor("t", {~0ull}),
         bad,
         {"dimension 0 of tensor 't' is 18446744073709551615", "2^63"}},
        {"ProductOverflow", one_tensor("t", {big, big}), bad, {"dimension 1", "product"}},
        {"ProductOverflowToZero", one_tensor("t", {big, 1, big, big}), bad, {"product"}},
        {"BytesOverflow", one_tensor("t", {1ull << 62}), bad, {"shape of tensor 't'", "4611686018427387904"}},
        {"RetiredType4", one_tensor("t", {32}, 4), unsupported, {"type of tensor 't' is 4", "retired"}},
        {"RetiredType5", one_tensor("t", {32}, 5), unsupported, {"is 5", "retired"}},
        {"RuntimeType", one_tensor("t", {256}, 99), unsupported, {"is 99", "never in a file"}},
        {"UnknownType", one_tensor("t", {32}, 4000), unsupported, {"is 4000", "no type with this id"}},
        {"NegativeType",
         one_tensor("t", {32}, 0x80000000),
         unsupported,
         {"is 2147483648", "no type with this id"}},
        {"RowsWithoutWholeBlocks",
         one_tensor("t", {128, 2}, kTensorQ4K),
         bad,
         {"[128, 2]", "multiple of 256"}},
        {"RowsWithoutWholeGroups",
         one_tensor("t", {256, 3}, kTensorQ4KR4),
         bad,
         {"[256, 3]", "interleaves 4 rows"}},
        {"OffsetUnaligned",
         one_tensor("t", {4}, kTensorF32, 16),
         bad,
         {"offset of tensor 't' is 16", "alignment, 32"}},
        {"OffsetBeyondFile",
         one_tensor("t", {4}, kTensorF32, 1ull << 40),
         bad,
         {"end of tensor 't'", "incomplete"}},
        {"OffsetOverflow",
         one_tensor("t", {4}, kTensorF32, ~0ull - 31),
         bad,
         {"offset of tensor 't'", "2^64"}},
        {"DataPastTheEnd",
         one_tensor("t", {65}),
         bad,
         {"end of tensor 't' is byte 324", "the file has 320 bytes"}},
        {"DataMissing",
         RawFile(3, 1, 0).tensor("t", {4}, kTensorF32, 0),
         bad,
         {"end of tensor 't'", "incomplete"}},
        {"Overlap", two("b", 32), bad, {"start of tensor 'b'", "overlaps tensor 'a'"}},
        {"SamePlace", two("b", 0), bad, {"overlaps tensor"}},
    };
}

class MalformedFile : public ::testing::TestWithParam<Malformed> {};

INSTANTIATE_TEST_SUITE_P(OtherFormat, MalformedFile, ::testing::ValuesIn(other_formats()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Header, MalformedFile, ::testing::ValuesIn(bad_headers()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Metadata, MalformedFile, ::testing::ValuesIn(bad_metadata()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Tensors, MalformedFile, ::testing::ValuesIn(bad_tensors()),
                         [](const auto& info) { return info.param.name; });

TEST_P(MalformedFile, IsRefusedInOneLineWithoutTakingMemory) {
    const Malformed& malformed = GetParam();
    testing::reset_allocations();
    const auto error = testing::error_of([&] { Reader::from_bytes(malformed.file, "file"); });
    EXPECT_LT(testing::allocations().n_bytes, kMiB);
    ASSERT_TRUE(error) << "accepted";
    EXPECT_STREQ(error_code_name(error->code()), error_code_name(malformed.code)) << error->what();
    const std::string_view message = error->what();
    EXPECT_TRUE(message.starts_with("'file'")) << message;
    EXPECT_EQ(message.find('\n'), std::string_view::npos) << message;
    EXPECT_LT(message.size(), 400u) << message;
    for (const std::string& words : malformed.words)
        EXPECT_TRUE(testing::contains(message, words)) << message << "\nlacks: " << words;
}

// A file with every part of the format in its header.
FileBuilder rich_builder(uint32_t version) {
    FileBuilder builder = testing::small_builder(version);
    const std::string_view texts[] = {"one", "", "three"};
    const bool booleans[] = {true, false};
    const float floats[] = {1, 2};
    const Value rows[] = {Value::strings(texts), Value::numbers<float>(floats)};
    builder.metadata().set("test.texts", Value::strings(texts));
    builder.metadata().set("test.booleans", Value::numbers<bool>(booleans));
    builder.metadata().set("test.rows", Value::arrays(rows));
    builder.metadata().set("general.alignment", Value::number(uint32_t{32}));
    return builder;
}

class EveryByte : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Versions, EveryByte, ::testing::Values(1, 2, 3));

TEST_P(EveryByte, TruncationIsRefused) {
    const FileBuilder builder = rich_builder(GetParam());
    const auto whole = bytes_of(builder);
    const size_t end_of_data = whole.size() - 32 + 10;  // the last tensor has 5 f16, padded to 32
    for (size_t size = 0; size < whole.size(); ++size) {
        // A copy of exact size, so that a sanitizer sees a read past its end.
        const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        testing::reset_allocations();
        const auto error = testing::error_of([&] { Reader::from_bytes(cut); });
        EXPECT_LT(testing::allocations().n_bytes, kMiB);
        EXPECT_EQ(error.has_value(), size < end_of_data) << size;
        if (!error) continue;
        EXPECT_EQ(error->code(), ErrorCode::invalid_file) << size << ": " << error->what();
    }
}

TEST_P(EveryByte, FlippedBitsAreRefusedOrHarmless) {
    const FileBuilder builder = rich_builder(GetParam());
    const auto whole = bytes_of(builder);
    const size_t header_bytes = builder.encode_header().size();
    size_t n_refused = 0;
    for (size_t place = 0; place < header_bytes; ++place) {
        for (int bit = 0; bit < 8; ++bit) {
            std::vector<std::byte> flipped = whole;
            flipped[place] ^= std::byte{1} << bit;
            testing::reset_allocations();
            const auto error =
                testing::error_of([&] { testing::touch_everything(Reader::from_bytes(flipped)); });
            EXPECT_LT(testing::allocations().n_bytes, kMiB) << place;
            if (!error) continue;
            ++n_refused;
            EXPECT_TRUE(error->code() == ErrorCode::invalid_file || error->code() == ErrorCode::unsupported)
                << place << ": " << error->what();
        }
    }
    // Flips in the characters of names, in numbers and in padding leave a valid file; those in counts,
    // lengths and types do not.
    EXPECT_GT(n_refused, header_bytes * 8 / 4);
    EXPECT_LT(n_refused, header_bytes * 8);
}

}  // namespace
}  // namespace cria::gguf
