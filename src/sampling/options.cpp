// See options.h. Two tables say everything: options with their ranges, and samplers with the options that
// belong to them.
#include "sampling/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace cria::sampling {
namespace {

using O = SamplingOptions;

const OptionInfo kOptions[] = {
    {"seed", "", &O::seed, "start of the random numbers; -1 takes a different one each time", 0,
     4294967295.0},
    {"min_keep", "", &O::min_keep, "candidates that every truncation leaves at least", 0, 1e9},
    {"top_k", "", &O::top_k, "keep the k most probable tokens; 0 keeps all"},
    {"top_p", "", &O::top_p, "keep the most probable tokens that together reach this probability; 1 is off"},
    {"min_p", "", &O::min_p, "keep tokens at least this many times as probable as the best; 0 is off"},
    {"tfs_z", "tfs", &O::tfs_z, "tail-free sampling; 1 is off"},
    {"typical_p", "typical", &O::typical_p,
     "keep the most typical tokens that together reach this probability; 1 is off"},
    {"top_n_sigma", "", &O::top_n_sigma, "keep logits within n standard deviations of the best; 0 is off"},
    {"xtc_probability", "", &O::xtc_probability, "chance to exclude the top choices; 0 is off"},
    {"xtc_threshold", "", &O::xtc_threshold, "probability that makes a top choice; above 0.5 is off"},
    {"temp", "temperature", &O::temp,
     "above 1 more varied, below 1 more predictable; 0 takes the best token"},
    {"dynatemp_range", "", &O::dynatemp_range, "let the temperature move this far with the entropy; 0 is off",
     0, 1e30},
    {"dynatemp_exponent", "", &O::dynatemp_exponent, "how the entropy moves the temperature"},
    {"penalty_last_n", "repeat_last_n", &O::penalty_last_n,
     "how many past tokens are penalised; 0 is off, -1 is all", -1, 1e9},
    {"penalty_repeat", "repeat_penalty", &O::penalty_repeat, "divides the logits of past tokens; 1 is off",
     1e-6, 1e6},
    {"penalty_freq", "frequency_penalty", &O::penalty_freq, "subtracted for each past occurrence; 0 is off"},
    {"penalty_present", "presence_penalty", &O::penalty_present,
     "subtracted from every past token; 0 is off"},
    {"penalize_nl", "", &O::penalize_nl, "penalise newlines too"},
    {"dry_multiplier", "", &O::dry_multiplier, "strength of the penalty for long repetitions; 0 is off"},
    {"dry_base", "", &O::dry_base, "growth of that penalty per token; below 1 is off"},
    {"dry_allowed_length", "", &O::dry_allowed_length, "repetitions shorter than this are free", 0, 1e9},
    {"dry_penalty_last_n", "", &O::dry_penalty_last_n,
     "how far back to look for repetitions; 0 is off, -1 is all", -1, 1e9},
    {"mirostat", "", &O::mirostat, "1 or 2 keeps the surprise of the text constant; 0 is off", 0, 2},
    {"mirostat_tau", "mirostat_ent", &O::mirostat_tau, "surprise that mirostat aims at, in bits"},
    {"mirostat_eta", "mirostat_lr", &O::mirostat_eta, "how fast mirostat corrects"},
    {"adaptive_target", "", &O::adaptive_target,
     "probability that tokens should have on average; negative is off", -1e30, 1},
    {"adaptive_decay", "", &O::adaptive_decay, "memory of that average, 0 to 0.99"},
    {"adaptive_updt_w_cur", "", &O::adaptive_updt_w_cur,
     "average the probabilities after the other samplers"},
};

struct SamplerInfo {
    SamplerKind kind;
    char letter;
    std::string_view name;
    std::array<std::string_view, 2> other_names;
    std::array<std::string_view, 4> options;  // what "name=value,..." sets
};

const SamplerInfo kSamplers[] = {
    {SamplerKind::dry,
     'd',
     "dry",
     {},
     {"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n"}},
    {SamplerKind::top_k, 'k', "top_k", {}, {"top_k"}},
    {SamplerKind::tail_free, 'f', "tfs_z", {"tfs"}, {"tfs_z"}},
    {SamplerKind::typical, 'y', "typical_p", {"typical"}, {"typical_p"}},
    {SamplerKind::top_p, 'p', "top_p", {"nucleus"}, {"top_p"}},
    {SamplerKind::min_p, 'm', "min_p", {}, {"min_p"}},
    {SamplerKind::xtc, 'x', "xtc", {}, {"xtc_probability", "xtc_threshold"}},
    {SamplerKind::top_n_sigma, 'n', "top_n_sigma", {}, {"top_n_sigma"}},
    {SamplerKind::temperature, 't', "temperature", {"temp"}, {"temp", "dynatemp_range", "dynatemp_exponent"}},
    {SamplerKind::adaptive_p, 'w', "adaptive_p", {}, {"adaptive_target", "adaptive_decay"}},
};

std::string normal_name(std::string_view name) {
    std::string result(name);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (true) {
        const size_t end = text.find_first_of(separators);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

const OptionInfo* find_option(std::string_view name) {
    for (const OptionInfo& option : kOptions)
        if (name == option.name || (!option.other_name.empty() && name == option.other_name)) return &option;
    return nullptr;
}

const SamplerInfo* find_sampler(std::string_view name) {
    for (const SamplerInfo& sampler : kSamplers) {
        const bool is_other =
            !name.empty() && std::count(sampler.other_names.begin(), sampler.other_names.end(), name) > 0;
        if (name == sampler.name || is_other || (name.size() == 1 && name[0] == sampler.letter))
            return &sampler;
    }
    return nullptr;
}

std::string known_samplers() {
    std::string names;
    for (const SamplerInfo& sampler : kSamplers)
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", sampler.name, sampler.letter);
    return names;
}

std::string known_options() {
    std::string names;
    for (const OptionInfo& option : kOptions)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", option.name);
    return names;
}

// The whole text as a number, or NaN.
double number_of(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? value : std::nan("");
}

int32_t to_int32(double value) {
    return static_cast<int32_t>(std::clamp(value, -2147483648.0, 2147483647.0));
}

void check_range(const OptionInfo& option, double value) {
    if (value >= option.min && value <= option.max) return;
    const bool is_open = option.min <= -1e30 && option.max >= 1e30;
    const std::string range = is_open ? "a finite number" : fmt::format("{} to {}", option.min, option.max);
    fail(ErrorCode::invalid_argument, "sampling option {} is {}; allowed: {} ({})", option.name, value, range,
         option.help);
}

bool parse_flag(const OptionInfo& option, std::string_view value) {
    if (value == "true" || value == "1" || value == "on") return true;
    if (value == "false" || value == "0" || value == "off") return false;
    fail(ErrorCode::invalid_argument, "sampling option {} is \"{}\"; allowed: true, false", option.name,
         value);
}

void set_option(SamplingOptions& options, const OptionInfo& option, std::string_view text) {
    if (const auto* flag = std::get_if<bool O::*>(&option.member)) {
        options.*(*flag) = parse_flag(option, text);
        return;
    }
    const auto* decimal = std::get_if<float O::*>(&option.member);
    const double value = number_of(text);
    const bool is_integer = std::isfinite(value) && value == std::floor(value);
    if (std::isnan(value) || (decimal == nullptr && !is_integer))
        fail(ErrorCode::invalid_argument, "sampling option {} is \"{}\", which is not {} ({})", option.name,
             text, decimal != nullptr ? "a number" : "a whole number", option.help);
    const auto* seed = std::get_if<uint32_t O::*>(&option.member);
    if (seed != nullptr && value == -1) {
        options.*(*seed) = kRandomSeed;
        return;
    }
    check_range(option, value);
    if (decimal != nullptr) options.*(*decimal) = static_cast<float>(value);
    if (seed != nullptr) options.*(*seed) = static_cast<uint32_t>(value);
    if (const auto* integer = std::get_if<int32_t O::*>(&option.member))
        options.*(*integer) = to_int32(value);
}

void add_sampler(std::vector<SamplerKind>& order, const SamplerInfo& sampler) {
    if (std::count(order.begin(), order.end(), sampler.kind) > 0)
        fail(ErrorCode::invalid_argument, "sampler {} is named twice; each runs once, so leave one out",
             sampler.name);
    order.push_back(sampler.kind);
}

void set_sampler_values(SamplingOptions& options, const SamplerInfo& sampler, std::string_view text) {
    const auto values = split(text, ",");
    const auto n_known =
        sampler.options.size() - std::count(sampler.options.begin(), sampler.options.end(), "");
    if (values.size() > n_known)
        fail(ErrorCode::invalid_argument, "sampler {} has {} values in \"{}\"; it takes at most {}",
             sampler.name, values.size(), text, n_known);
    for (size_t i = 0; i < values.size(); ++i)
        set_option(options, *find_option(sampler.options[i]), values[i]);
}

void parse_item(std::string_view item, SamplingOptions& options, std::vector<SamplerKind>& order) {
    const size_t equals = item.find('=');
    const std::string name = normal_name(trimmed(item.substr(0, equals)));
    const bool has_value = equals != std::string_view::npos;
    const std::string_view value = has_value ? trimmed(item.substr(equals + 1)) : std::string_view();
    if (const SamplerInfo* sampler = find_sampler(name)) {
        add_sampler(order, *sampler);
        if (has_value) set_sampler_values(options, *sampler, value);
    } else if (name == "greedy" && !has_value) {
        options.temp = 0.0f;
    } else if (const OptionInfo* option = find_option(name)) {
        if (!has_value)
            fail(ErrorCode::invalid_argument, "sampling option {} needs a value: {}=...", option->name,
                 option->name);
        set_option(options, *option, value);
    } else {
        fail(ErrorCode::not_found, "sampler chain: \"{}\" is unknown; samplers: {}; options: {}", item,
             known_samplers(), known_options());
    }
}

}  // namespace

std::vector<SamplerKind> default_samplers() {
    std::vector<SamplerKind> order;
    for (const SamplerInfo& sampler : kSamplers) order.push_back(sampler.kind);
    return order;
}

std::span<const OptionInfo> sampling_option_table() { return kOptions; }

void set_sampling_option(SamplingOptions& options, std::string_view name, std::string_view value) {
    const OptionInfo* option = find_option(normal_name(trimmed(name)));
    if (option == nullptr)
        fail(ErrorCode::not_found, "there is no sampling option \"{}\"; known: {}", name, known_options());
    set_option(options, *option, trimmed(value));
}

bool change_option(SamplingOptions& options, const OptionChange& change) {
    const OptionInfo* option = find_option(normal_name(change.name));
    if (option == nullptr) return false;
    const auto changed = [&](double value) {
        return std::clamp(value + change.delta, option->min, option->max);
    };
    if (const auto* decimal = std::get_if<float O::*>(&option->member)) {
        options.*(*decimal) = static_cast<float>(changed(options.*(*decimal)));
        return true;
    }
    const auto* integer = std::get_if<int32_t O::*>(&option->member);
    if (integer != nullptr) options.*(*integer) = to_int32(std::round(changed(options.*(*integer))));
    return integer != nullptr;
}

SamplingOptions parse_sampling(std::string_view text, SamplingOptions base) {
    std::vector<SamplerKind> order;
    for (const std::string_view item : split(text, ";\n"))
        if (!item.empty()) parse_item(item, base, order);
    if (!order.empty()) base.samplers = std::move(order);
    return base;
}

std::vector<SamplerKind> parse_sampler_letters(std::string_view letters) {
    std::vector<SamplerKind> order;
    for (const char letter : letters) {
        const SamplerInfo* sampler = find_sampler(std::string_view(&letter, 1));
        if (sampler == nullptr)
            fail(ErrorCode::invalid_argument, "\"{}\" in \"{}\" is no letter of a sampler; known: {}", letter,
                 letters, known_samplers());
        add_sampler(order, *sampler);
    }
    return order;
}

std::vector<SamplerKind> parse_sampler_names(std::span<const std::string> names) {
    std::vector<SamplerKind> order;
    for (const std::string& name : names) {
        const SamplerInfo* sampler = find_sampler(normal_name(trimmed(name)));
        if (sampler == nullptr)
            fail(ErrorCode::invalid_argument, "there is no sampler \"{}\"; known: {}", name,
                 known_samplers());
        add_sampler(order, *sampler);
    }
    return order;
}

std::string_view sampler_name(SamplerKind kind) {
    for (const SamplerInfo& sampler : kSamplers)
        if (sampler.kind == kind) return sampler.name;
    fail(ErrorCode::invalid_argument, "sampler number {} does not exist", static_cast<int>(kind));
}

void check_sampling_options(const SamplingOptions& options) {
    for (const OptionInfo& option : kOptions) {
        if (const auto* decimal = std::get_if<float O::*>(&option.member))
            check_range(option, options.*(*decimal));
        if (const auto* integer = std::get_if<int32_t O::*>(&option.member))
            check_range(option, options.*(*integer));
    }
    std::vector<SamplerKind> seen;
    for (const SamplerKind kind : options.samplers) add_sampler(seen, *find_sampler(sampler_name(kind)));
    for (const TokenBias& bias : options.logit_bias)
        if (std::isnan(bias.bias))
            fail(ErrorCode::invalid_argument,
                 "the bias of token {} is not a number; use -inf to forbid a token", bias.token);
}

}  // namespace cria::sampling
