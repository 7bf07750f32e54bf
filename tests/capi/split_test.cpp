// Names of split files, there and back.
#include <gtest/gtest.h>

#include <climits>
#include <string>

#include "testing.h"

namespace cria::capi {
namespace {

TEST(Split, PathCountsFromOne) {
    char path[64];
    EXPECT_EQ(llama_split_path(path, sizeof path, "/models/a", 1, 4), 29);
    EXPECT_STREQ(path, "/models/a-00002-of-00004.gguf");
}

TEST(Split, PrefixComesBack) {
    char prefix[64];
    EXPECT_EQ(llama_split_prefix(prefix, sizeof prefix, "/models/a-00002-of-00004.gguf", 1, 4), 9);
    EXPECT_STREQ(prefix, "/models/a");
}

TEST(Split, NameOfAnotherPartHasNoPrefix) {
    const LogRecorder log;
    char prefix[64] = "untouched";
    EXPECT_EQ(llama_split_prefix(prefix, sizeof prefix, "a-00002-of-00004.gguf", 2, 4), 0);
    EXPECT_EQ(llama_split_prefix(prefix, sizeof prefix, "a-00002-of-00004.gguf", 1, 5), 0);
    EXPECT_EQ(llama_split_prefix(prefix, sizeof prefix, "-00002-of-00004.gguf", 1, 4), 0);
    EXPECT_EQ(llama_split_prefix(prefix, sizeof prefix, "a.gguf", 0, 1), 0);
    EXPECT_STREQ(prefix, "untouched");
    EXPECT_TRUE(log.lines().empty()) << "asking is no error";
}

TEST(Split, RefusesSmallBuffersAndNumbersOutOfRange) {
    const LogRecorder log;
    char buffer[22];
    EXPECT_EQ(llama_split_path(buffer, 21, "a", 0, 2), 0) << "21 characters and a zero take 22";
    EXPECT_EQ(llama_split_path(buffer, 22, "a", 0, 2), 21);
    EXPECT_EQ(llama_split_path(buffer, 0, "a", 0, 2), 0);
    EXPECT_EQ(llama_split_path(nullptr, 22, "a", 0, 2), 0);
    EXPECT_EQ(llama_split_path(buffer, 22, nullptr, 0, 2), 0);
    EXPECT_EQ(llama_split_path(buffer, 22, "a", 2, 2), 0);
    EXPECT_EQ(llama_split_path(buffer, 22, "a", -1, 2), 0);
    EXPECT_EQ(llama_split_path(buffer, 22, "a", INT_MAX, INT_MIN), 0);
    EXPECT_EQ(llama_split_prefix(buffer, 1, "a-00001-of-00002.gguf", 0, 2), 0);
    EXPECT_EQ(llama_split_prefix(buffer, 2, "a-00001-of-00002.gguf", 0, 2), 1);
    EXPECT_EQ(llama_split_prefix(nullptr, 2, "a-00001-of-00002.gguf", 0, 2), 0);
    EXPECT_EQ(llama_split_prefix(buffer, 2, nullptr, 0, 2), 0);
    EXPECT_TRUE(log.contains("maxlen is 21"));
    EXPECT_TRUE(log.contains("llama_split_path: "));
}

}  // namespace
}  // namespace cria::capi
