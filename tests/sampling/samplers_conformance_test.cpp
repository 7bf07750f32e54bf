// Every recorded case of the samplers without memory: truncation, temperature, penalties, guidance, choice of
// tokens.
#include <random>

#include "conformance.h"
#include "sampling/draw.h"
#include "sampling/mirostat.h"
#include "sampling/penalties.h"
#include "sampling/temperature.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

using namespace conformance;

class SamplersConformance : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!is_present()) GTEST_SKIP() << "no conformance data at " << folder();
    }
    // Runs apply(array, params, row) on fresh candidates for each case, then compares with "result".
    template <typename Apply>
    void run(const std::string& sampler, size_t n_expected, Apply apply) {
        const auto rows = cases(sampler);
        EXPECT_EQ(rows.size(), n_expected);
        for (const Json& row : rows) {
            SCOPED_TRACE(sampler + ": " + describe(row));
            CandidateBuffer buffer;
            CandidateArray& array = buffer.fill(logit_sets().at(row["logits"].get<std::string>()));
            apply(array, row["params"], row);
            if (!is_judged_) expect_result(row["result"], array);
            is_judged_ = false;
        }
    }
    void judged() { is_judged_ = true; }  // the case was compared in its own way
    std::mt19937 rng_{42};

  private:
    bool is_judged_ = false;
};

size_t keep(const Json& params) { return params["min_keep"].get<size_t>(); }

// The definition of typical sampling, for logits with -inf, where both references compute with NaN: 18 cases.
std::vector<Token> typical_by_definition(const std::vector<float>& logits, double p, size_t min_keep) {
    CandidateBuffer buffer;
    const auto soft = probabilities(buffer.fill(logits));
    double entropy = 0;
    std::vector<std::pair<double, Token>> ranked;
    for (const auto& [token, q] : soft)
        if (q > 0) entropy -= q * std::log(q);
    for (const auto& [token, q] : soft)
        if (q > 0) ranked.emplace_back(std::abs(-std::log(q) - entropy), token);
    std::sort(ranked.begin(), ranked.end());
    std::vector<Token> kept;
    double sum = 0;
    for (const auto& [distance, token] : ranked) {
        kept.push_back(token);
        sum += soft.at(token);
        if (sum > p && kept.size() >= std::max<size_t>(min_keep, 1)) break;
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

TEST_F(SamplersConformance, Softmax) {
    run("softmax", 8, [](CandidateArray& array, const Json&, const Json&) { softmax(array); });
}

TEST_F(SamplersConformance, Dist) {
    run("dist", 8, [](CandidateArray& array, const Json&, const Json&) { dist(array); });
}

TEST_F(SamplersConformance, TopK) {
    run("top_k", 240, [](CandidateArray& array, const Json& params, const Json&) {
        top_k(array, params["k"].get<int32_t>(), keep(params));
    });
}

TEST_F(SamplersConformance, TopP) {
    run("top_p", 240, [](CandidateArray& array, const Json& params, const Json&) {
        top_p(array, number(params["p"]), keep(params));
    });
}

// Where p > 1 and min_keep 0 make the seed drop everything, one is kept, as in mainline.
TEST_F(SamplersConformance, MinP) {
    run("min_p", 384, [this](CandidateArray& array, const Json& params, const Json& row) {
        if (params.contains("after")) top_k(array, 20, 1);
        min_p(array, number(params["p"]), keep(params));
        if (row["result"]["size"] != 0) return;
        expect_ids(row.contains("float64") ? row["float64"] : row["mainline"], array);
        judged();
    });
}

TEST_F(SamplersConformance, TailFree) {
    run("tail_free", 192, [](CandidateArray& array, const Json& params, const Json&) {
        tail_free(array, number(params["z"]), keep(params));
    });
}

TEST_F(SamplersConformance, Typical) {
    run("typical", 192, [this](CandidateArray& array, const Json& params, const Json& row) {
        const float p = number(params["p"]);
        typical(array, p, keep(params));
        if (row["logits"] != "n64.inf" || p >= 1.0f) return;
        EXPECT_EQ(sorted_ids(array), typical_by_definition(logit_sets().at("n64.inf"), p, keep(params)));
        judged();
    });
}

// All-negative logits: the seed's maximum starts at 0; "float64" is right.
TEST_F(SamplersConformance, TopNSigma) {
    run("top_n_sigma", 64, [this](CandidateArray& array, const Json& params, const Json& row) {
        top_n_sigma(array, number(params["n"]));
        if (!row.contains("float64")) return;
        expect_ids(row["float64"], array);
        judged();
    });
}

TEST_F(SamplersConformance, Xtc) {
    run("xtc", 448, [this](CandidateArray& array, const Json& params, const Json& row) {
        xtc(array,
            {.probability = number(params["probability"]),
             .threshold = number(params["threshold"]),
             .min_keep = keep(params)},
            rng_);
        if (!row.contains("float64")) return;  // which of several impossible tokens is left
        expect_ids(row["float64"], array);
        judged();
    });
}

// Temperature 0 and below is greedy, as in mainline.
TEST_F(SamplersConformance, Temperature) {
    run("temp", 72, [this](CandidateArray& array, const Json& params, const Json& row) {
        temperature(array, number(params["temp"]));
        if (!row.contains("mainline")) return;
        const auto expected = numbers(row["mainline"]["logits"]);
        ASSERT_EQ(array.size, row["mainline"]["size"].get<size_t>());
        for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(array.data[i].logit, expected[i]);
        judged();
    });
}

TEST_F(SamplersConformance, DynamicTemperature) {
    run("entropy", 56, [this](CandidateArray& array, const Json& params, const Json& row) {
        dynamic_temperature(array, {.min = number(params["min_temp"]),
                                    .max = number(params["max_temp"]),
                                    .exponent = number(params["exponent"])});
        if (!row.contains("mainline")) return;
        ASSERT_EQ(array.size, row["mainline"]["size"].get<size_t>());
        const auto expected = numbers(row["mainline"]["logits"]);
        std::vector<float> by_id(array.size);
        for (const TokenData& item : array.span()) by_id[static_cast<size_t>(item.id)] = item.logit;
        for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(by_id[i], expected[i]);
        judged();
    });
}

TEST_F(SamplersConformance, Penalties) {
    run("penalties", 192, [](CandidateArray& array, const Json& params, const Json&) {
        auto recent = params["last_tokens"].get<std::vector<Token>>();
        recent.resize(params["last_n"].get<size_t>());
        penalise(array, recent,
                 {.repeat = number(params["repeat"]),
                  .frequency = number(params["freq"]),
                  .presence = number(params["present"])});
    });
}

uint64_t splitmix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::vector<float> drawn_guidance(const std::string& set, size_t n) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : "logits." + set + ".guidance")
        hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    std::vector<float> result(n);
    for (size_t i = 0; i < n; ++i) {
        const auto u = static_cast<double>(splitmix64(hash + i) >> 40) / 16777216.0 * 2 - 1;
        result[i] = static_cast<float>(0.5 + 4 * u);
    }
    return result;
}

// Forbidden tokens stay forbidden; with scale <= 0 the seed turns them into NaN or +inf.
TEST_F(SamplersConformance, Guidance) {
    run("guidance", 48, [this](CandidateArray& array, const Json& params, const Json& row) {
        const auto set = row["logits"].get<std::string>();
        auto logits = logit_sets().at(set);
        const float scale = number(params["scale"]);
        apply_guidance(logits, drawn_guidance(set, logits.size()), scale);
        for (size_t i = 0; i < array.size; ++i) array.data[i].logit = logits[i];
        if (set != "n64.inf" || scale > 0) return;
        for (size_t i = 0; i < array.size; ++i) {
            const float expected = number(row["result"]["logits"][i]);
            if (std::isfinite(expected))
                EXPECT_NEAR(logits[i], expected, 1e-5 * std::max(1.0f, std::abs(expected)));
            else
                EXPECT_EQ(logits[i], -std::numeric_limits<float>::infinity());
        }
        judged();
    });
}

TEST_F(SamplersConformance, Greedy) {
    for (const Json& row : cases("greedy")) {
        const auto& logits = logit_sets().at(row["logits"].get<std::string>());
        CandidateBuffer buffer;
        EXPECT_EQ(greedy(buffer.fill(logits)), row["result"].get<Token>());
        EXPECT_EQ(greedy(logits), row["result"].get<Token>());
    }
}

TEST_F(SamplersConformance, GeneratorNumbers) {
    for (const Json& row : cases("mt19937")) {
        std::mt19937 rng(row["params"]["seed"].get<uint32_t>());
        for (const Json& expected : row["result"]) EXPECT_EQ(rng(), expected.get<uint32_t>());
    }
}

void apply_step(CandidateArray& array, const Json& step, std::mt19937& rng) {
    const auto name = step[0].get<std::string>();
    const auto value = [&](size_t i) { return number(step[i]); };
    if (name == "softmax")
        softmax(array);
    else if (name == "top_k")
        top_k(array, step[1].get<int32_t>(), step[2].get<size_t>());
    else if (name == "top_p")
        top_p(array, value(1), step[2].get<size_t>());
    else if (name == "min_p")
        min_p(array, value(1), step[2].get<size_t>());
    else if (name == "tail_free")
        tail_free(array, value(1), step[2].get<size_t>());
    else if (name == "typical")
        typical(array, value(1), step[2].get<size_t>());
    else if (name == "temp")
        temperature(array, value(1));
    else if (name == "entropy")
        dynamic_temperature(array, {.min = value(1), .max = value(2), .exponent = value(3)});
    else if (name == "xtc")
        xtc(array, {.probability = value(1), .threshold = value(2), .min_keep = step[3].get<size_t>()}, rng);
    else
        FAIL() << "unknown step " << name;
}

TEST_F(SamplersConformance, SequencesOfDrawnTokens) {
    const auto rows = cases("sequence");
    EXPECT_EQ(rows.size(), 112u);
    for (const Json& row : rows) {
        SCOPED_TRACE(describe(row));
        const auto& logits = logit_sets().at(row["logits"].get<std::string>());
        std::mt19937 rng(row["params"]["seed"].get<uint32_t>());
        CandidateBuffer buffer;
        std::vector<Token> tokens;
        for (size_t i = 0; i < row["result"].size(); ++i) {
            CandidateArray& array = buffer.fill(logits);
            for (const Json& step : row["params"]["steps"]) apply_step(array, step, rng);
            tokens.push_back(draw(array, rng));
        }
        EXPECT_EQ(tokens, row["result"].get<std::vector<Token>>());
    }
}

template <typename Sample>
void run_mirostat(const std::string& file, Sample sample) {
    const auto rows = cases(file);
    EXPECT_EQ(rows.size(), 72u);
    for (const Json& row : rows) {
        SCOPED_TRACE(describe(row));
        const auto& logits = logit_sets().at(row["logits"].get<std::string>());
        const Json& params = row["params"];
        std::mt19937 rng(params["seed"].get<uint32_t>());
        float mu = number(params["mu"]);
        CandidateBuffer buffer;
        for (size_t i = 0; i < row["result"]["tokens"].size(); ++i) {
            const MirostatOptions options{.tau = number(params["tau"]), .eta = number(params["eta"])};
            const Token token = sample(buffer.fill(logits), options, mu, rng);
            ASSERT_EQ(token, row["result"]["tokens"][i].get<Token>()) << "token " << i;
            const float expected = number(row["result"]["mu"][i]);
            ASSERT_NEAR(mu, expected, 1e-4 * std::max(1.0f, std::abs(expected))) << "mu after token " << i;
        }
    }
}

TEST_F(SamplersConformance, MirostatVersionOne) {
    run_mirostat("mirostat",
                 [](CandidateArray& array, const MirostatOptions& options, float& mu, std::mt19937& rng) {
                     return mirostat(array, options, static_cast<int32_t>(array.size), mu, rng);
                 });
}

TEST_F(SamplersConformance, MirostatVersionTwo) {
    run_mirostat("mirostat_v2", [](CandidateArray& array, const MirostatOptions& options, float& mu,
                                   std::mt19937& rng) { return mirostat_v2(array, options, mu, rng); });
}

}  // namespace
}  // namespace cria::sampling
