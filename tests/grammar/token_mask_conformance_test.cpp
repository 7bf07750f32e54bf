// conformance/text/grammar/gbnf.json, token_grammars and masks: whole vocabularies. Control tokens are judged
// by their text here, as the data have it; Cria's own default forbids them (token_mask_test.cpp).
#include <gtest/gtest.h>

#include "base/error.h"
#include "grammar/conformance.h"
#include "grammar/gbnf.h"
#include "grammar/token_mask.h"
#include "grammar/vocabulary.h"

namespace cria::grammar {
namespace {

using testing::load_vocabulary;
using testing::Vocabulary;

std::vector<uint32_t> ids_of(const TokenMask& mask) {
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; id < mask.words.size() * 64; ++id) {
        if (mask.allows(id)) ids.push_back(id);
    }
    return ids;
}

std::shared_ptr<const Program> compile_for(const Vocabulary& vocabulary, const std::string& gbnf) {
    const auto find = [&](std::string_view text) -> std::optional<uint32_t> {
        for (uint32_t id = 0; id < vocabulary.pieces.size(); ++id) {
            if (vocabulary.pieces[id] == text) return id;
        }
        return std::nullopt;
    };
    const GbnfTokens tokens{find, static_cast<uint32_t>(vocabulary.pieces.size())};
    return Program::compile(parse_gbnf(gbnf, {.tokens = &tokens, .beyond_unicode = true}));
}

TEST(TokenConformance, TokenTerminalsMatchAsListed) {
    const auto data = testing::read_conformance("grammar/gbnf.json");
    const Vocabulary* vocabulary = data ? load_vocabulary("qwen2") : nullptr;
    if (vocabulary == nullptr) GTEST_SKIP() << "no conformance data, or no xz";
    for (const auto& entry : (*data)["token_grammars"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const std::string gbnf = entry["gbnf"];
        if (entry["init"] != "ok") {
            EXPECT_THROW(compile_for(*vocabulary, gbnf), Error);
            continue;
        }
        const Matcher start(compile_for(*vocabulary, gbnf));
        for (const auto& run : entry["ids"]) {
            Matcher matcher = start;
            std::string result;
            for (size_t i = 0; i < run[0].size() && result.empty(); ++i) {
                const uint32_t id = run[0][i];
                const bool allowed = matcher.allows_token(id, vocabulary->pieces[id]);
                ASSERT_EQ(matcher.accept_token(id, vocabulary->pieces[id]), allowed);
                if (!allowed) result = std::to_string(i);
            }
            if (result.empty()) result = matcher.may_end() ? "full" : "part";
            EXPECT_EQ(result, run[1].is_string() ? run[1].get<std::string>() : run[1].dump()) << run.dump();
        }
    }
}

TEST(TokenConformance, MasksHoldTheListedTokens) {
    const auto data = testing::read_conformance("grammar/gbnf.json");
    if (!data || load_vocabulary("qwen2") == nullptr) GTEST_SKIP() << "no conformance data, or no xz";
    std::map<std::string, std::string> grammars;
    for (const auto& entry : (*data)["grammars"]) grammars[entry["name"]] = entry["gbnf"];
    std::map<std::string, std::shared_ptr<const TokenTrie>> tries;
    size_t n_checked = 0;
    for (const auto& entry : (*data)["masks"]) {
        const std::string name = entry["vocab"];
        const Vocabulary& vocabulary = *load_vocabulary(name);
        if (!grammars.contains(entry["grammar"])) continue;  // four grammars are named but not given
        SCOPED_TRACE(entry.dump());
        if (!tries.contains(name)) tries[name] = vocabulary.trie({.control_as_text = true});
        Matcher matcher(compile_for(vocabulary, grammars[entry["grammar"]]));
        for (const uint32_t id : entry["fed"]) ASSERT_TRUE(matcher.accept_token(id, vocabulary.pieces[id]));
        const auto mask = token_mask(matcher, tries[name]);
        const std::vector<uint32_t> ids = ids_of(*mask);
        EXPECT_EQ(mask->n_allowed, entry["n"]);
        EXPECT_EQ(testing::fnv_of_ids(ids), entry["fnv"]);
        const auto first = std::vector<uint32_t>(
            ids.begin(), ids.begin() + static_cast<long>(std::min<size_t>(8, ids.size())));
        EXPECT_EQ(nlohmann::ordered_json(first), entry["first"]);
        for (uint32_t id = 0; id < vocabulary.pieces.size(); id += 17) {
            EXPECT_EQ(token_allowed(matcher, *tries[name], id), mask->allows(id)) << id;
        }
        ++n_checked;
    }
    EXPECT_GT(n_checked, 140u);
}

}  // namespace
}  // namespace cria::grammar
