// Order and selection of candidates, and properties that every truncation must have.
#include "sampling/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sampling/draw.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

// Rounded, so that there are many ties.
std::vector<float> logits_with_ties(size_t n, uint32_t seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<float> normal(0.0f, 4.0f);
    std::vector<float> logits(n);
    for (float& logit : logits) logit = std::round(normal(rng) * 8) / 8;
    return logits;
}

std::vector<Token> ordered_by_definition(const std::vector<float>& logits) {
    std::vector<Token> ids(logits.size());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<Token>(i);
    std::stable_sort(ids.begin(), ids.end(),
                     [&](Token a, Token b) { return logits[size_t(a)] > logits[size_t(b)]; });
    return ids;
}

std::vector<Token> ids_of(const CandidateArray& array) {
    std::vector<Token> ids;
    for (const TokenData& item : array.span()) ids.push_back(item.id);
    return ids;
}

TEST(Candidates, SortByLogitThenById) {
    for (const size_t n : {1u, 2u, 100u, 2047u, 2048u, 5000u, 40000u}) {
        auto logits = logits_with_ties(n, static_cast<uint32_t>(n));
        logits[n / 2] = -0.0f;
        CandidateBuffer buffer;
        CandidateArray& array = buffer.fill(logits);
        sort_candidates(array);
        EXPECT_EQ(ids_of(array), ordered_by_definition(logits)) << n;
        std::mt19937 rng(1);
        std::shuffle(array.data, array.data + array.size, rng);
        array.sorted = false;
        sort_candidates(array);
        EXPECT_EQ(ids_of(array), ordered_by_definition(logits)) << n << ", shuffled";
    }
}

TEST(Candidates, TheBestAreTheSameHoweverTheyAreFound) {
    std::mt19937 rng(3);
    for (const size_t n : {1u, 10u, 63u, 64u, 65u, 1000u, 30000u})
        for (const size_t k : {1u, 2u, 40u, 100u, 1024u, 1025u, 40000u}) {
            auto logits = logits_with_ties(n, static_cast<uint32_t>(n + k));
            if (n > 100) {
                logits[5] = std::nanf("");
                logits[n - 1] = INFINITY;
                if (k == 40) std::sort(logits.begin(), logits.end());  // every element beats all before it
            }
            CandidateBuffer buffer, top;
            CandidateArray& array = buffer.fill(logits);
            top_k(array, static_cast<int32_t>(k), 1);
            EXPECT_EQ(ids_of(array), ids_of(top.fill_top(logits, k))) << n << " " << k;
            EXPECT_TRUE(top.array().sorted);
            EXPECT_EQ(array.size, std::min(n, k));
        }
}

TEST(Candidates, SoftmaxAddsUpToOneAndKeepsTheOrder) {
    for (const size_t n : {1u, 10u, 32000u}) {
        CandidateBuffer buffer;
        CandidateArray& array = buffer.fill(logits_with_ties(n, 9));
        softmax(array);
        double sum = 0;
        for (size_t i = 0; i < n; ++i) sum += array.data[i].p;
        EXPECT_NEAR(sum, 1.0, 1e-5);
        for (size_t i = 1; i < n; ++i) EXPECT_GE(array.data[i - 1].p, array.data[i].p);
    }
}

TEST(Candidates, TruncationKeepsTheBestAndAtLeastMinKeep) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
        const auto logits = logits_with_ties(2000 + seed * 300, seed);
        const Token best = greedy(logits);
        for (const size_t min_keep : {0u, 1u, 7u, 10000u})
            for (const float p : {0.0f, 0.01f, 0.5f, 0.9f, 0.999f}) {
                CandidateBuffer buffer;
                const auto check = [&](CandidateArray& array) {
                    EXPECT_GE(array.size, std::min(std::max<size_t>(min_keep, 1), logits.size()));
                    const auto ids = ids_of(array);
                    EXPECT_NE(std::find(ids.begin(), ids.end(), best), ids.end());
                };
                top_p(buffer.fill(logits), p, min_keep);
                check(buffer.array());
                min_p(buffer.fill(logits), p, min_keep);
                check(buffer.array());
                tail_free(buffer.fill(logits), p, min_keep);
                check(buffer.array());
            }
    }
}

// The lazily sorted beginnings of top_p against the definition over the sorted whole.
TEST(Candidates, TopPKeepsTheShortestBeginning) {
    for (uint32_t seed = 0; seed < 30; ++seed) {
        auto logits = logits_with_ties(6000, seed);
        for (float& logit : logits) logit *= 0.05f + 0.05f * static_cast<float>(seed);
        for (const float p : {0.1f, 0.5f, 0.9f, 0.99f}) {
            CandidateBuffer whole, buffer;
            CandidateArray& sorted = whole.fill(logits);
            softmax(sorted);
            double sum = 0;
            size_t n = 0;
            while (n < sorted.size && sum < p) sum += sorted.data[n++].p;
            CandidateArray& array = buffer.fill(logits);
            top_p(array, p, 1);
            EXPECT_NEAR(static_cast<double>(array.size), static_cast<double>(n), 1.0);
            EXPECT_TRUE(array.sorted);
            const auto all = ids_of(sorted);
            EXPECT_EQ(ids_of(array),
                      std::vector<Token>(all.begin(), all.begin() + static_cast<ptrdiff_t>(array.size)));
        }
    }
}

TEST(Candidates, DrawFollowsTheProbabilities) {
    const std::vector<float> logits = {std::log(0.5f), std::log(0.3f), std::log(0.2f)};
    std::mt19937 rng(8);
    std::vector<int> counts(3);
    CandidateBuffer buffer;
    constexpr int kDraws = 100000;
    for (int i = 0; i < kDraws; ++i) ++counts[static_cast<size_t>(draw(buffer.fill(logits), rng))];
    EXPECT_NEAR(counts[0] / double(kDraws), 0.5, 0.006);
    EXPECT_NEAR(counts[1] / double(kDraws), 0.3, 0.006);
}

}  // namespace
}  // namespace cria::sampling
