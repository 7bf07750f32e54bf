// The interpreter against Jinja2's own answers: small templates feature by feature, and every rendering of
// real templates.
#include <filesystem>

#include "chat/goldens.h"
#include "chat/jinja/template.h"

namespace cria::chat::jinja {
namespace {

using Json = nlohmann::ordered_json;
constexpr int64_t kGoldenNow = 1721993123;  // 2024-07-26T11:25:23Z, as the goldens say

struct Outcome {
    std::string text;
    std::string kind;  // of the error; empty: rendered
};

Outcome render(const std::string& source, const Json& variables) {
    try {
        const Value values = Value::from_json(variables);
        return {Template::compile(source).render(values.as_dict(), {.now = kGoldenNow}), ""};
    } catch (const TemplateError& error) {
        EXPECT_GT(error.line(), 0) << error.what();
        return {error.detail(), error.kind()};
    }
}

// The goldens of units call it by Jinja2's class, those of templates "raised".
bool same_kind(const std::string& ours, const std::string& golden) {
    return ours == golden || (ours == "raised" && golden == "TemplateError");
}

// Rendering where only Jinja2 fails, on an undefined value or a type, is fine if another program renders the
// same.
bool is_allowed_rendering(const Json& golden, const Outcome& outcome) {
    const std::string kind = golden.value("kind", "");
    if (!outcome.kind.empty() || (kind != "UndefinedError" && kind != "TypeError")) return false;
    for (const char* other : {"hf_js", "seed"}) {
        if (golden.contains(other) && golden[other].value("out", "\x01") == outcome.text) return true;
    }
    return false;
}

void expect_golden(const Json& golden, const Outcome& outcome, const std::string& what) {
    if (golden.contains("out")) {
        EXPECT_EQ(outcome.kind, "") << what << "\n" << outcome.text;
        EXPECT_EQ(outcome.text, golden["out"].get<std::string>()) << what;
        return;
    }
    if (is_allowed_rendering(golden, outcome)) return;
    EXPECT_TRUE(same_kind(outcome.kind, golden["kind"]))
        << what << "\nkind " << outcome.kind << ", not " << golden["kind"] << "\n"
        << outcome.text;
    EXPECT_EQ(outcome.text, golden["error"].get<std::string>()) << what;
}

TEST(JinjaGoldens, EveryUnitGivesWhatJinja2Gives) {
    if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
    const Json goldens = testing::read_json("jinja_units.json");
    ASSERT_GT(goldens["units"].size(), 100u);
    for (const Json& unit : goldens["units"]) {
        const std::string source = unit["template"];
        expect_golden(unit, render(source, goldens["vars"]), source);
    }
}

TEST(JinjaGoldens, EveryRealTemplateRendersAsInJinja2) {
    if (!testing::has_goldens()) GTEST_SKIP() << "no ../shared/conformance/text/chat here";
    const Json conversations = testing::read_json("jinja/conversations.json");
    size_t n_renders = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(testing::golden_folder() + "jinja/templates")) {
        const std::string name = entry.path().stem().string();
        const std::string source = testing::read_text(entry.path().string());
        const Json golden = testing::read_json("jinja/" + name + ".json");
        for (const Json& one : golden["renders"]) {
            Json variables = conversations["base"];
            const std::string conversation = one["conversation"];
            variables.update(conversations["conversations"][conversation]);
            variables["add_generation_prompt"] = one["add_generation_prompt"];
            expect_golden(one, render(source, variables), name + " / " + conversation);
            ++n_renders;
        }
    }
    EXPECT_GT(n_renders, 2000u);
}

}  // namespace
}  // namespace cria::chat::jinja
