// Options and chain texts: what is accepted, and the words of every refusal.
#include "sampling/options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace cria::sampling {
namespace {

using Kinds = std::vector<SamplerKind>;

TEST(SamplingOptions, ChainTextSetsValuesAndOrder) {
    const auto options = parse_sampling(" temp = 0.5 ; top-k=7;\n p=0.25; seed=3; penalty_repeat=1.2 ");
    EXPECT_EQ(options.samplers, (Kinds{SamplerKind::temperature, SamplerKind::top_k, SamplerKind::top_p}));
    EXPECT_FLOAT_EQ(options.temp, 0.5f);
    EXPECT_EQ(options.top_k, 7);
    EXPECT_FLOAT_EQ(options.top_p, 0.25f);
    EXPECT_EQ(options.seed, 3u);
    EXPECT_FLOAT_EQ(options.penalty_repeat, 1.2f);
}

TEST(SamplingOptions, EveryLetterAndNameOfEverySamplerWorks) {
    const auto order = default_samplers();
    EXPECT_EQ(parse_sampler_letters("dkfypmxntw"), order);
    EXPECT_EQ(parse_sampling("d;k;f;y;p;m;x;n;t;w").samplers, order);
    const std::vector<std::string> names = {"dry",   "top-k", "tfs",         "typical", "nucleus",
                                            "min-p", "xtc",   "top-n-sigma", "temp",    "adaptive-p"};
    EXPECT_EQ(parse_sampler_names(names), order);
    for (const SamplerKind kind : order)
        EXPECT_EQ(parse_sampling(std::string(sampler_name(kind))).samplers, Kinds{kind});
}

TEST(SamplingOptions, SamplersTakeSeveralValues) {
    const auto options = parse_sampling("dry=0.8,2,3,-1;xtc=0.5,0.1;temp=1,0.5,2;adaptive_p=0.4,0.8");
    EXPECT_FLOAT_EQ(options.dry_multiplier, 0.8f);
    EXPECT_FLOAT_EQ(options.dry_base, 2.0f);
    EXPECT_EQ(options.dry_allowed_length, 3);
    EXPECT_EQ(options.dry_penalty_last_n, -1);
    EXPECT_FLOAT_EQ(options.xtc_threshold, 0.1f);
    EXPECT_FLOAT_EQ(options.dynatemp_range, 0.5f);
    EXPECT_FLOAT_EQ(options.dynatemp_exponent, 2.0f);
    EXPECT_FLOAT_EQ(options.adaptive_decay, 0.8f);
}

TEST(SamplingOptions, TextWithoutSamplersKeepsTheOrder) {
    EXPECT_EQ(parse_sampling("").samplers, default_samplers());
    EXPECT_EQ(parse_sampling("seed=1;mirostat=2").samplers, default_samplers());
    EXPECT_FLOAT_EQ(parse_sampling("greedy").temp, 0.0f);
}

TEST(SamplingOptions, EveryOptionCanBeSetByBothNames) {
    for (const OptionInfo& option : sampling_option_table()) {
        SamplingOptions options;
        const bool is_flag = std::holds_alternative<bool SamplingOptions::*>(option.member);
        set_sampling_option(options, option.name, is_flag ? "true" : "1");
        if (!option.other_name.empty()) set_sampling_option(options, option.other_name, "1");
        EXPECT_FALSE(option.help.empty()) << option.name;
        EXPECT_NO_THROW(check_sampling_options(options));
    }
    SamplingOptions options;
    set_sampling_option(options, "seed", "4294967294");
    EXPECT_EQ(options.seed, 4294967294u);
    set_sampling_option(options, "seed", "-1");
    EXPECT_EQ(options.seed, kRandomSeed);
}

TEST(SamplingOptions, RefusalsSayWhatAndWhatToTry) {
    struct Case {
        const char* text;
        ErrorCode code;
        std::vector<const char*> words;
    };
    const Case cases[] = {
        {"topk=4", ErrorCode::not_found, {"topk=4", "unknown", "top_k (k)", "penalty_repeat"}},
        {"kpt", ErrorCode::not_found, {"kpt", "unknown"}},
        {"=4", ErrorCode::not_found, {"unknown"}},
        {"top_k=many", ErrorCode::invalid_argument, {"top_k", "\"many\"", "whole number"}},
        {"top_k=", ErrorCode::invalid_argument, {"top_k", "whole number"}},
        {"top_k=1.5", ErrorCode::invalid_argument, {"top_k", "1.5", "whole number"}},
        {"top_p=0.9x", ErrorCode::invalid_argument, {"top_p", "0.9x", "not a number"}},
        {"temp=nan", ErrorCode::invalid_argument, {"temp", "nan", "not a number"}},
        {"temp=inf", ErrorCode::invalid_argument, {"temp", "inf", "finite"}},
        {"top_k=1;k=2", ErrorCode::invalid_argument, {"top_k", "twice"}},
        {"top_k=1,2", ErrorCode::invalid_argument, {"top_k", "at most 1"}},
        {"seed", ErrorCode::invalid_argument, {"seed", "needs a value"}},
        {"seed=-2", ErrorCode::invalid_argument, {"seed", "-2", "0 to 4294967295"}},
        {"mirostat=3", ErrorCode::invalid_argument, {"mirostat", "3", "0 to 2"}},
        {"penalty_repeat=0", ErrorCode::invalid_argument, {"penalty_repeat", "0"}},
        {"adaptive_p=1.5", ErrorCode::invalid_argument, {"adaptive_target", "1.5"}},
        {"penalize_nl=maybe", ErrorCode::invalid_argument, {"penalize_nl", "maybe", "true"}},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.text);
        try {
            parse_sampling(c.text);
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), c.code);
            for (const char* word : c.words)
                EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(parse_sampler_letters("kz"), Error);
    EXPECT_THROW(parse_sampler_letters("kk"), Error);
    EXPECT_THROW(parse_sampler_names(std::vector<std::string>{"top_k", "best"}), Error);
}

TEST(SamplingOptions, CheckRefusesNumbersThatAreNone) {
    for (const OptionInfo& option : sampling_option_table()) {
        const auto* member = std::get_if<float SamplingOptions::*>(&option.member);
        if (member == nullptr) continue;
        SamplingOptions options;
        options.*(*member) = std::nanf("");
        EXPECT_THROW(check_sampling_options(options), Error) << option.name;
        options.*(*member) = INFINITY;
        EXPECT_THROW(check_sampling_options(options), Error) << option.name;
    }
}

}  // namespace
}  // namespace cria::sampling
