// The models that come with the project open, in every version and type they are written in.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gguf/reader.h"

namespace cria::gguf {
namespace {

const std::filesystem::path kModels = CRIA_SOURCE_DIR "/../shared/models";

std::vector<std::string> model_files() {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(kModels, ignored)) {
        if (entry.path().extension() == ".gguf") files.push_back(entry.path());
    }
    return files;
}

TEST(Models, AllOpenAndHoldTheirTensorsWithinTheFile) {
    const auto files = model_files();
    if (files.empty()) GTEST_SKIP() << "no models in " << kModels;
    for (const std::string& path : files) {
        SCOPED_TRACE(path);
        const Reader reader = Reader::open(path);
        EXPECT_GT(reader.tensors().size(), 10u);
        EXPECT_FALSE(reader.metadata<std::string_view>("general.architecture").empty());
        for (const TensorInfo& tensor : reader.tensors()) {
            EXPECT_EQ(reader.find(tensor.name), &tensor);
            EXPECT_LE(tensor.offset + tensor.n_bytes, reader.bytes().size());
            EXPECT_EQ(tensor.data, reader.bytes().data() + tensor.offset);
        }
    }
}

TEST(Models, VersionOneSaysTheSameAsVersionThree) {
    const std::string old_path = kModels / "stories260K-ggufv1.gguf";
    if (!file_exists(old_path)) GTEST_SKIP() << "no models in " << kModels;
    const Reader old_file = Reader::open(old_path, {.access = FileAccess::copied});
    const Reader new_file = Reader::open(kModels / "stories260K.gguf");
    EXPECT_EQ(old_file.version(), 1u);
    EXPECT_EQ(new_file.version(), 3u);
    EXPECT_EQ(old_file.metadata<std::vector<std::string>>("tokenizer.ggml.tokens"),
              new_file.metadata<std::vector<std::string>>("tokenizer.ggml.tokens"));
    ASSERT_EQ(old_file.tensors().size(), new_file.tensors().size());
    for (const TensorInfo& tensor : new_file.tensors()) {
        const TensorInfo* same = old_file.find(tensor.name);
        ASSERT_NE(same, nullptr) << tensor.name;
        EXPECT_EQ(same->dims, tensor.dims);
        EXPECT_EQ(same->type, tensor.type);
        EXPECT_TRUE(std::ranges::equal(same->bytes(), tensor.bytes())) << tensor.name;
    }
}

}  // namespace
}  // namespace cria::gguf
