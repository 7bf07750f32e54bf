// Greedy continuations of small trained models equal those recorded in ../shared/models/greedy.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/context.h"

namespace cria {
namespace {

const std::string kModels = CRIA_SOURCE_DIR "/../shared/models/";

std::vector<int32_t> continue_greedily(const std::string& path, const std::vector<int32_t>& prompt,
                                       size_t n) {
    Context context(Model::load(path), {.n_ctx = 512});
    std::vector<int32_t> generated;
    context.decode(Batch::of_sequence(prompt, 0, 0));
    auto position = static_cast<int32_t>(prompt.size());
    while (generated.size() < n) {
        const auto logits = context.logits(-1);
        const auto best =
            static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
        generated.push_back(best);
        context.decode(Batch::of_sequence(std::span(&generated.back(), 1), position++, 0));
    }
    return generated;
}

TEST(Greedy, EqualsTheRecordedTokens) {
    std::ifstream file(kModels + "greedy.json");
    if (!file) GTEST_SKIP() << "no ../shared/models";
    const auto models = nlohmann::json::parse(file)["greedy"];
    for (const auto& model : models) {
        for (const auto& c : model["cases"]) {
            const auto expected = c["ids"].get<std::vector<int32_t>>();
            const auto prompt = c["prompt_ids"].get<std::vector<int32_t>>();
            EXPECT_EQ(continue_greedily(kModels + model["file"].get<std::string>(), prompt, expected.size()),
                      expected)
                << model["file"] << " " << c["prompt"];
        }
    }
}

}  // namespace
}  // namespace cria
