// Reads shared/conformance/text/samplers and compares candidate arrays with the results recorded there (its
// README says how).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sampling/candidates.h"

namespace cria::sampling::conformance {

using Json = nlohmann::json;

inline std::string folder() { return CRIA_SOURCE_DIR "/../shared/conformance/text/samplers/"; }

// JSON has no infinities; the files write them as text.
inline float number(const Json& value) {
    if (!value.is_string()) return value.get<float>();
    const auto text = value.get<std::string>();
    if (text == "inf") return std::numeric_limits<float>::infinity();
    if (text == "-inf") return -std::numeric_limits<float>::infinity();
    return std::numeric_limits<float>::quiet_NaN();
}

inline std::vector<float> numbers(const Json& values) {
    std::vector<float> result;
    for (const Json& value : values) result.push_back(number(value));
    return result;
}

inline const std::map<std::string, std::vector<float>>& logit_sets() {
    static const auto sets = [] {
        std::map<std::string, std::vector<float>> result;
        std::ifstream file(folder() + "logits.json");
        const Json all = Json::parse(file);
        for (const auto& [name, values] : all.items()) result[name] = numbers(values);
        return result;
    }();
    return sets;
}

inline std::vector<Json> cases(const std::string& sampler) {
    std::vector<Json> result;
    std::ifstream file(folder() + sampler + ".jsonl");
    for (std::string line; std::getline(file, line);) result.push_back(Json::parse(line));
    return result;
}

inline bool is_present() { return std::ifstream(folder() + "logits.json").good(); }

inline std::string fnv_of_ids(const CandidateArray& array) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const TokenData& item : array.span())
        for (int byte = 0; byte < 4; ++byte)
            hash = (hash ^ ((static_cast<uint32_t>(item.id) >> (8 * byte)) & 0xff)) * 0x100000001b3u;
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

inline std::map<Token, double> probabilities(const CandidateArray& array) {
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const TokenData& item : array.span()) max = std::max<double>(max, item.logit);
    std::map<Token, double> result;
    for (const TokenData& item : array.span()) sum += result[item.id] = std::exp(item.logit - max);
    for (auto& [token, p] : result) p /= sum;
    return result;
}

inline std::vector<Token> sorted_ids(const CandidateArray& array) {
    std::vector<Token> ids;
    for (const TokenData& item : array.span()) ids.push_back(item.id);
    std::sort(ids.begin(), ids.end());
    return ids;
}

// Ids of the candidates that can be chosen; impossible ones tie, and which of them comes first says nothing.
inline std::vector<Token> possible_ids(const std::vector<Token>& ids, const std::vector<float>& logits) {
    std::vector<Token> result;
    for (size_t i = 0; i < ids.size(); ++i)
        if (i >= logits.size() || !std::isinf(logits[i])) result.push_back(ids[i]);
    return result;
}

// Compares ids: in order where the result is sorted, else as a set.
inline void expect_same_ids(const Json& expected, const CandidateArray& array) {
    const auto logits = numbers(expected["logits"]);
    const bool has_impossible =
        std::any_of(logits.begin(), logits.end(), [](float logit) { return std::isinf(logit); });
    const bool is_sorted = expected["sorted"].get<bool>();
    if ((is_sorted || array.size > 64) && !has_impossible) {
        EXPECT_EQ(fnv_of_ids(array), expected["ids_fnv"].get<std::string>());
    }
    if (array.size > 64) return;
    std::vector<Token> ids;
    std::vector<float> own_logits;
    for (const TokenData& item : array.span()) {
        ids.push_back(item.id);
        own_logits.push_back(item.logit);
    }
    auto ours = possible_ids(ids, own_logits);
    auto theirs = possible_ids(expected["ids"].get<std::vector<Token>>(), logits);
    if (!is_sorted) {
        std::sort(ours.begin(), ours.end());
        std::sort(theirs.begin(), theirs.end());
    }
    EXPECT_EQ(ours, theirs);
}

// Sizes, ids, logits, p and the probabilities that a draw would have.
inline void expect_result(const Json& expected, const CandidateArray& array) {
    ASSERT_EQ(array.size, expected["size"].get<size_t>());
    if (array.size > 1) {
        EXPECT_EQ(array.sorted, expected["sorted"].get<bool>());
    }
    expect_same_ids(expected, array);
    std::map<Token, TokenData> by_id;
    for (const TokenData& item : array.span()) by_id[item.id] = item;
    for (size_t i = 0; i < expected["logits"].size(); ++i) {
        const float logit = number(expected["logits"][i]);
        if (std::isinf(logit) && array.sorted) continue;
        const float ours = by_id[expected["ids"][i].get<Token>()].logit;
        if (std::isinf(logit)) {
            EXPECT_EQ(ours, logit);
        } else {
            EXPECT_NEAR(ours, logit, 1e-5 * std::max(1.0f, std::abs(logit)));
        }
    }
    const size_t n_p = expected.contains("p") ? expected["p"].size() : 0;
    for (size_t i = 0; i < n_p; ++i)
        EXPECT_NEAR(by_id[expected["ids"][i].get<Token>()].p, number(expected["p"][i]), 1e-5);
    if (!expected.contains("soft")) return;
    const auto soft = probabilities(array);
    for (const Json& entry : expected["soft"]) {
        if (number(entry[1]) == 0) continue;
        EXPECT_NEAR(soft.at(entry[0].get<Token>()), number(entry[1]), 1e-5);
    }
}

// For the short form {size, ids} of "float64" and "mainline": the set of ids.
inline void expect_ids(const Json& expected, const CandidateArray& array) {
    ASSERT_EQ(array.size, expected["size"].get<size_t>());
    auto ids = expected["ids"].get<std::vector<Token>>();
    if (ids.size() < array.size) return;  // only the first are recorded
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(sorted_ids(array), ids);
}

inline std::string describe(const Json& row) {
    return row["logits"].get<std::string>() + " " + row["params"].dump();
}

}  // namespace cria::sampling::conformance
