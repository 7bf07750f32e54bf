// conformance/text/grammar/lazy.jsonl: constraints that wait for a pattern or a token.
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "grammar/conformance.h"
#include "grammar/constraint.h"
#include "grammar/vocabulary.h"

namespace cria::grammar {
namespace {

void check_run(const nlohmann::ordered_json& run, Constraint constraint) {
    const std::vector<uint32_t> ids = run["ids"];
    const size_t refused = run.value("refuses_at", ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
        if (i == refused) {
            EXPECT_THROW(constraint.accept(ids[i]), Error);
            return;
        }
        ASSERT_NO_THROW(constraint.accept(ids[i])) << "token " << i;
        EXPECT_EQ(constraint.is_waiting(), run["awaiting"][i].get<bool>()) << "token " << i;
    }
    const auto mask = constraint.mask();
    std::vector<uint32_t> allowed;
    for (uint32_t id = 0; id < constraint.vocabulary().n_tokens(); ++id) {
        if (mask->allows(id)) allowed.push_back(id);
    }
    EXPECT_EQ(allowed.size(), run["allowed"]["n"]);
    EXPECT_EQ(testing::fnv_of_ids(allowed), run["allowed"]["fnv"]);
    EXPECT_EQ(!constraint.is_waiting() && constraint.may_end(), run["finished"].get<bool>());
}

TEST(ConstraintConformance, LazyGrammarsWakeAndRefuseAsListed) {
    std::ifstream file(testing::kConformanceDir + "grammar/lazy.jsonl");
    const testing::Vocabulary* vocabulary = file ? testing::load_vocabulary("qwen2") : nullptr;
    if (vocabulary == nullptr) GTEST_SKIP() << "no conformance data, or no xz";
    const auto trie = vocabulary->trie({.control_as_text = true});
    size_t n_runs = 0;
    for (std::string line; std::getline(file, line);) {
        const auto entry = nlohmann::ordered_json::parse(line);
        const auto make = [&] {
            return Constraint(compile_gbnf(entry["gbnf"].get<std::string>(), {.beyond_unicode = true}), trie,
                              {.patterns = entry["patterns"], .tokens = entry["trigger_tokens"]});
        };
        for (const auto& run : entry["runs"]) {
            SCOPED_TRACE(entry["name"].get<std::string>() + " " + run.dump());
            ++n_runs;
            if (run.contains("init_throws")) {
                EXPECT_THROW(make(), Error);
                continue;
            }
            check_run(run, make());
        }
    }
    EXPECT_GT(n_runs, 20u);
}

}  // namespace
}  // namespace cria::grammar
