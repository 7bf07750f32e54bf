// The named formats against what the llama.cpp family gives; where its versions differ, against the one that
// is right.
#include "chat/builtin.h"

#include <filesystem>

#include "chat/goldens.h"

namespace cria::chat {
namespace {

using Json = nlohmann::ordered_json;

std::string apply(const BuiltinFormat& format, const Json& messages, bool add_generation_prompt) {
    std::vector<BuiltinMessage> turns;
    for (const Json& message : messages) {
        turns.push_back({message["role"].get_ref<const std::string&>(),
                         message["content"].get_ref<const std::string&>()});
    }
    return apply_builtin(format, turns, add_generation_prompt);
}

class BuiltinGoldens : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
        goldens_ = testing::read_json("builtin.json");
    }
    // What this format must give, according to who is right.
    Json expected(const std::string& name, const std::string& conversation) const {
        if (goldens_["right"].contains(name) && goldens_["right"][name][0] == "mainline") {
            const Json& differs = goldens_["mainline"]["differs"][name];
            if (differs.contains(conversation)) return differs[conversation];
        }
        return goldens_["outputs"][name][conversation];
    }
    void expect_outputs(const BuiltinFormat& format, const std::string& conversation,
                        const Json& outputs) const {
        for (const bool add : {false, true}) {
            EXPECT_EQ(apply(format, goldens_["conversations"][conversation], add),
                      outputs[add].get<std::string>())
                << builtin_name(format) << " / " << conversation << " / " << add;
        }
    }
    Json goldens_;
};

TEST_F(BuiltinGoldens, NamesComeInTheirOrder) {
    const auto names = builtin_names();
    EXPECT_EQ(goldens_["names"].get<std::vector<std::string>>(),
              std::vector<std::string>(names.begin(), names.end()));
}

TEST_F(BuiltinGoldens, EveryFormatWritesEveryConversation) {
    size_t n_checked = 0;
    for (const std::string_view name : builtin_names()) {
        const BuiltinFormat* format = find_builtin(name);
        ASSERT_NE(format, nullptr) << name;
        for (const auto& [conversation, messages] : goldens_["conversations"].items()) {
            expect_outputs(*format, conversation, expected(std::string(name), conversation));
            ++n_checked;
        }
    }
    EXPECT_EQ(n_checked, 42u * goldens_["conversations"].size());
}

TEST_F(BuiltinGoldens, TextsWithoutANameAreWrittenToo) {
    for (const auto& [text, outputs] : goldens_["unnamed"].items()) {
        const BuiltinFormat* format = find_builtin(text);
        ASSERT_NE(format, nullptr) << text;
        EXPECT_EQ(builtin_name(*format), "");
        for (const auto& [conversation, output] : outputs.items())
            expect_outputs(*format, conversation, output);
    }
}

// One of `names` (null: none may be found; empty: one without a name).
void expect_detected(const std::string& text, const Json& names, const std::string& what) {
    const BuiltinFormat* format = find_builtin(text);
    if (names.is_null()) {
        EXPECT_EQ(format, nullptr) << what << " was taken for " << builtin_name(*format);
        return;
    }
    ASSERT_NE(format, nullptr) << what;
    const std::string name(builtin_name(*format));
    const bool is_known =
        names.empty() ? name.empty() : std::find(names.begin(), names.end(), name) != names.end();
    EXPECT_TRUE(is_known) << what << " was taken for " << name << ", not " << names;
}

TEST_F(BuiltinGoldens, TemplateTextsAreRecognised) {
    for (const Json& snippet : goldens_["snippets"]) expect_detected(snippet[0], snippet[1], snippet[0]);
    size_t n_files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::golden_folder() + "jinja/templates")) {
        const std::string name = entry.path().stem().string();
        const std::string sha256 = testing::read_json("jinja/" + name + ".json")["sha256"];
        if (!goldens_["detect"].contains(sha256)) continue;
        expect_detected(testing::read_text(entry.path().string()), goldens_["detect"][sha256]["seed"], name);
        ++n_files;
    }
    EXPECT_GT(n_files, 50u);
}

TEST(Builtin, NothingIsFoundForNothing) {
    EXPECT_EQ(find_builtin(""), nullptr);
    EXPECT_EQ(find_builtin("ChatML"), nullptr);
}

}  // namespace
}  // namespace cria::chat
