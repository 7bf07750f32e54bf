// Models in parts: their names, and what is refused when parts do not belong together.
#include "gguf/split.h"

#include <gtest/gtest.h>

#include "gguf/testing.h"

namespace cria::gguf {
namespace {

using testing::bytes_of;
using testing::TempFolder;

// Five tensors of 128 bytes.
FileBuilder five_tensors() {
    FileBuilder builder;
    builder.metadata().set("general.architecture", Value::string("test"));
    builder.metadata().set("general.alignment", Value::number(uint32_t{64}));
    const int64_t dims[] = {32};
    for (const char* name : {"a", "b", "c", "d", "e"}) builder.add_tensor(name, ElementType::f32, dims);
    return builder;
}

std::vector<std::string> write_parts(const TempFolder& folder, const std::vector<FileBuilder>& parts) {
    std::vector<std::string> paths;
    for (size_t i = 0; i < parts.size(); ++i) {
        const auto name = split_path("model", static_cast<int>(i), static_cast<int>(parts.size()));
        paths.push_back(folder.write(name, bytes_of(parts[i])));
    }
    return paths;
}

// The error of opening, or a test failure.
Error refusal(const std::string& path) {
    const auto error = testing::error_of([&] { ModelFiles::open(path); });
    if (!error) ADD_FAILURE() << path << " was opened";
    return error.value_or(Error(ErrorCode::internal, ""));
}

bool says(const Error& error, std::string_view words) { return testing::contains(error.what(), words); }

TEST(SplitPath, IsCountedFromOneInFiveDigits) {
    EXPECT_EQ(split_path("dir/model", 0, 3), "dir/model-00001-of-00003.gguf");
    EXPECT_EQ(split_path("m", 99998, 99999), "m-99999-of-99999.gguf");
    EXPECT_THROW(split_path("m", 3, 3), Error);
    EXPECT_THROW(split_path("m", -1, 3), Error);
    EXPECT_THROW(split_path("m", 0, 100000), Error);
}

TEST(SplitPath, IsReadBack) {
    const auto name = parse_split_path("dir/model-00002-of-00003.gguf");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->prefix, "dir/model");
    EXPECT_EQ(name->part, 1);
    EXPECT_EQ(name->n_parts, 3);
    for (const char* other :
         {"model.gguf", "", "-00001-of-00003.gguf", "m-00004-of-00003.gguf", "m-00000-of-00003.gguf",
          "m-0001-of-00003.gguf", "m-00001_of-00003.gguf", "m-00001-of-00003.ggug", "m-+0001-of-00003.gguf",
          "m-00001-of-0000x.gguf", "m 00001-of-00003.gguf"}) {
        EXPECT_FALSE(parse_split_path(other)) << other;
    }
}

TEST(SplitPrefix, IsEmptyUnlessTheNameIsThatPart) {
    EXPECT_EQ(split_prefix("dir/m-00002-of-00003.gguf", 1, 3), "dir/m");
    EXPECT_EQ(split_prefix("dir/m-00002-of-00003.gguf", 0, 3), "");
    EXPECT_EQ(split_prefix("dir/m-00002-of-00003.gguf", 1, 4), "");
    EXPECT_EQ(split_prefix("dir/m.gguf", 0, 1), "");
}

TEST(ModelFiles, OpensAWholeModelThroughAnyPart) {
    const TempFolder folder;
    const FileBuilder whole = five_tensors();
    const auto paths = write_parts(folder, split_into_parts(whole, {.max_tensors = 2}));
    ASSERT_EQ(paths.size(), 3u);
    for (const std::string& path : paths) {
        for (const FileAccess access : {FileAccess::mapped, FileAccess::copied}) {
            const ModelFiles model = ModelFiles::open(path, {.access = access});
            EXPECT_EQ(model.path(), paths[0]);
            EXPECT_EQ(model.parts().size(), 3u);
            EXPECT_EQ(model.metadata<std::string_view>("general.architecture"), "test");
            ASSERT_EQ(model.tensors().size(), 5u);
            EXPECT_EQ(model.find("d")->part, 1);
            EXPECT_EQ(model.find("e")->part, 2);
            EXPECT_EQ(model.find("e")->data, model.parts()[2].find("e")->data);
            EXPECT_EQ(model.find("f"), nullptr);
        }
    }
}

TEST(ModelFiles, MergesIntoTheFileItWasCutFrom) {
    const TempFolder folder;
    const auto paths = write_parts(folder, split_into_parts(five_tensors(), {.max_data_bytes = 300}));
    const ModelFiles model = ModelFiles::open(paths[1]);
    EXPECT_EQ(bytes_of(FileBuilder::like(model.metadata(), model.tensors())), bytes_of(five_tensors()));
}

TEST(ModelFiles, OpensASingleFile) {
    const TempFolder folder;
    const std::string path = folder.write("single.gguf", bytes_of(five_tensors()));
    for (const FileAccess access : {FileAccess::mapped, FileAccess::copied}) {
        const ModelFiles model = ModelFiles::open(path, {.access = access});
        EXPECT_EQ(model.parts().size(), 1u);
        EXPECT_EQ(model.tensors().size(), 5u);
        EXPECT_EQ(model.total_bytes(), std::filesystem::file_size(path));
    }
}

TEST(ModelFiles, OpensBytesInMemory) {
    const auto bytes = bytes_of(five_tensors());
    ModelFiles model(Reader::from_bytes(bytes));
    const ModelFiles moved = std::move(model);
    EXPECT_EQ(moved.find("c")->name, "c");
    EXPECT_EQ(moved.metadata<std::string>("general.architecture"), "test");
}

TEST(ModelFiles, ListsAllMissingParts) {
    const TempFolder folder;
    const auto paths = write_parts(folder, split_into_parts(five_tensors(), {.max_tensors = 1}));
    std::filesystem::remove(paths[0]);
    std::filesystem::remove(paths[3]);
    const Error error = refusal(paths[1]);
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_TRUE(says(error, "one of 5 parts, of which 2 are missing")) << error.what();
    EXPECT_TRUE(says(error, paths[0])) << error.what();
    EXPECT_TRUE(says(error, paths[3])) << error.what();
}

TEST(ModelFiles, RefusesAPartWithAnotherName) {
    const TempFolder folder;
    const auto paths = write_parts(folder, split_into_parts(five_tensors(), {.max_tensors = 3}));
    const std::string renamed = folder.file("model.gguf");
    std::filesystem::copy_file(paths[0], renamed);
    const Error error = refusal(renamed);
    EXPECT_EQ(error.code(), ErrorCode::invalid_file);
    EXPECT_TRUE(says(error, "-00001-of-00002.gguf")) << error.what();
}

TEST(ModelFiles, RefusesPartsThatChangedPlaces) {
    const TempFolder folder;
    const auto paths = write_parts(folder, split_into_parts(five_tensors(), {.max_tensors = 1}));
    std::filesystem::copy_file(paths[2], paths[3], std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(says(refusal(paths[0]), "should be part 4 of 5, but holds 'split.no' 2"));
}

TEST(ModelFiles, RefusesATensorInTwoParts) {
    const TempFolder folder;
    auto parts = split_into_parts(five_tensors(), {.max_tensors = 3});
    const int64_t dims[] = {1};
    parts[1].add_tensor("a", ElementType::f32, dims);
    const auto paths = write_parts(folder, parts);
    const Error error = refusal(paths[0]);
    EXPECT_TRUE(says(error, "'a' is both in")) << error.what();
    EXPECT_TRUE(says(error, paths[1])) << error.what();
}

TEST(ModelFiles, RefusesAWrongNumberOfTensors) {
    const TempFolder folder;
    auto parts = split_into_parts(five_tensors(), {.max_tensors = 3});
    parts[0].metadata().set("split.tensors.count", Value::number(int32_t{6}));
    EXPECT_TRUE(says(refusal(write_parts(folder, parts)[1]), "is 6, but the 2 parts hold 5 tensors"));
}

TEST(ModelFiles, RefusesImpossibleNumbersOfParts) {
    const TempFolder folder;
    FileBuilder builder = five_tensors();
    builder.metadata().set("split.count", Value::number(uint16_t{65535}));
    EXPECT_TRUE(says(refusal(folder.write("many.gguf", bytes_of(builder))), "the limit is 4096"));
    builder.metadata().set("split.count", Value::number(int64_t{1} << 40));
    EXPECT_EQ(refusal(folder.write("more.gguf", bytes_of(builder))).code(), ErrorCode::invalid_file);
    builder.metadata().set("split.count", Value::number(uint16_t{2}));
    EXPECT_TRUE(says(refusal(folder.write("m-00001-of-00002.gguf", bytes_of(builder))), "'split.no'"));
}

TEST(SplitIntoParts, GivesATensorThatIsTooLargeItsOwnPart) {
    EXPECT_EQ(split_into_parts(five_tensors(), {.max_data_bytes = 1}).size(), 5u);
    EXPECT_EQ(split_into_parts(five_tensors(), {}).size(), 1u);
    EXPECT_THROW(split_into_parts(five_tensors(), {.max_tensors = 0}), Error);
}

}  // namespace
}  // namespace cria::gguf
