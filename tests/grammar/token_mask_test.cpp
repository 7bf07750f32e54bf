// Masks against trying every token, roles of tokens, and (printed) what a mask over a large vocabulary costs.
#include "grammar/token_mask.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "base/error.h"
#include "grammar/constraint.h"
#include "grammar/json_schema.h"
#include "grammar/random_text.h"
#include "grammar/vocabulary.h"

namespace cria::grammar {
namespace {

// Bytes, and pieces that cross the borders of JSON's tokens.
std::vector<std::string> small_vocabulary() {
    std::vector<std::string> pieces;
    for (int b = 0; b < 256; ++b) pieces.emplace_back(1, static_cast<char>(b));
    for (const char* piece : {"{\"", "\":", "\", \"", "\"}", "}]", "null", "true", "12", "1.5", "é", "😀",
                              "\xf0\x9f", "\x98\x80\"", "  ", ",\"a\":", "a", "ab", "[[", "]]"}) {
        pieces.emplace_back(piece);
    }
    return pieces;
}

std::shared_ptr<const TokenTrie> trie_of(const std::vector<std::string>& pieces,
                                         std::vector<TokenRole> roles = {}) {
    std::vector<TokenText> tokens;
    for (size_t i = 0; i < pieces.size(); ++i)
        tokens.push_back({pieces[i], i < roles.size() ? roles[i] : TokenRole::text});
    return TokenTrie::build(tokens);
}

TEST(TokenMask, HoldsExactlyTheTokensThatTheMatcherTakes) {
    const std::vector<std::string> pieces = small_vocabulary();
    const auto trie = trie_of(pieces);
    std::mt19937 random(11);
    for (
        const char* schema :
        {"{}",
         R"({"type":"object","properties":{"é😀":{"type":"string","maxLength":3},"n":{"type":"number","minimum":-1.5}},"required":["n"]})"}) {
        const Matcher start(compile_json_schema(schema));
        for (int round = 0; round < 15; ++round) {
            Matcher matcher = start;
            for (int step = 0; step < 25; ++step) {
                const auto mask = token_mask(matcher, trie);
                std::vector<uint32_t> allowed;
                for (uint32_t id = 0; id < pieces.size(); ++id) {
                    const bool takes = pieces[id][0] != '\0' && matcher.allows_token(id, pieces[id]);
                    ASSERT_EQ(mask->allows(id), takes) << pieces[id];
                    ASSERT_EQ(token_allowed(matcher, *trie, id), takes) << pieces[id];
                    if (takes) allowed.push_back(id);
                }
                EXPECT_EQ(mask->n_allowed, allowed.size());
                if (allowed.empty()) break;
                const uint32_t id = allowed[random() % allowed.size()];
                ASSERT_TRUE(matcher.accept_token(id, pieces[id]));
            }
        }
    }
}

TEST(TokenMask, RolesDecideWhereTextIsNotEnough) {
    const std::vector<std::string> pieces = {"a", "<s>", "</s>", "", "b"};
    const std::vector<TokenRole> roles = {TokenRole::text, TokenRole::control, TokenRole::end,
                                          TokenRole::control, TokenRole::text};
    const auto trie = trie_of(pieces, roles);
    const auto allowed = [&](const Matcher& matcher) {
        std::string names;
        for (uint32_t id = 0; id < pieces.size(); ++id)
            names += token_mask(matcher, trie)->allows(id) ? '1' : '0';
        return names;
    };
    Matcher text(compile_gbnf("root ::= .+"));
    EXPECT_EQ(allowed(text), "10001") << "control tokens are no text, and it may not end yet";
    EXPECT_TRUE(text.accept("a"));
    EXPECT_EQ(allowed(text), "10101");
    EXPECT_EQ(allowed(Matcher(compile_gbnf("root ::= <[1]> | <[2]> | <[3]>"))), "01110")
        << "terminals name any token";
    EXPECT_EQ(allowed(Matcher(compile_gbnf("root ::= !<[0]> \"x\""))), "01001")
        << "not the end, and nothing without a character";
    EXPECT_EQ(allowed(Matcher(compile_gbnf("root ::= <[77]>"))), "00000") << "beyond the vocabulary";
    EXPECT_THROW(TokenTrie::build(std::vector<TokenText>{{std::string(70000, 'x'), TokenRole::text}}), Error);
}

TEST(TokenMask, WarmMasksOfALargeVocabularyAreLookUps) {
    const testing::Vocabulary* vocabulary = testing::load_vocabulary("qwen2");
    if (vocabulary == nullptr) GTEST_SKIP() << "no conformance data, or no xz";
    const auto trie = vocabulary->trie();
    const Matcher start(compile_json_schema(
        R"({"type":"object","properties":{"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string","maxLength":20}},"size":{"type":"integer"}},"required":["name","tags"]})"));
    const std::string text = R"({"name": "An ordinary name", "tags": ["one", "two", "drei"], "size": 12})";
    const auto total = [&](double& longest) {
        Matcher matcher = start;
        double sum = 0;
        longest = 0;
        for (const char c : text) {
            const auto before = std::chrono::steady_clock::now();
            EXPECT_GT(token_mask(matcher, trie)->n_allowed, 0u);
            const double us =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count();
            sum += us;
            longest = std::max(longest, us);
            EXPECT_TRUE(matcher.accept({&c, 1}));
        }
        return sum / static_cast<double>(text.size());
    };
    double cold_longest = 0, warm_longest = 0;
    const double cold = total(cold_longest), warm = total(warm_longest);
    std::printf(
        "mask over %u tokens: cold mean %.0f us, longest %.0f us; warm mean %.2f us, longest %.2f us\n",
        trie->n_tokens(), cold, cold_longest, warm, warm_longest);
    EXPECT_LT(warm, 1000);
}

}  // namespace
}  // namespace cria::grammar
