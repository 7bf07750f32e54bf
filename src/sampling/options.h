// Options of a sampler chain as plain values, and their text forms: by name ("top_k", "40") for command lines
// and requests, and as one chain text ("top_k=40;top_p=0.95;temp=0.8"). Names, letters and defaults as in
// shared/spec/interop.md 4.3 and 4.4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sampling/penalties.h"

namespace cria::sampling {

enum class SamplerKind {
    dry,
    top_k,
    tail_free,
    typical,
    top_p,
    min_p,
    xtc,
    top_n_sigma,
    temperature,
    adaptive_p
};

// The order in which samplers run when nobody says otherwise.
std::vector<SamplerKind> default_samplers();

inline constexpr uint32_t kRandomSeed = 0xFFFFFFFF;

struct SamplingOptions {
    uint32_t seed = kRandomSeed;  // kRandomSeed: a different one each time
    std::vector<SamplerKind> samplers = default_samplers();
    int32_t min_keep = 0;
    int32_t top_k = 40;        // <= 0 keeps all
    float top_p = 0.95f;       // 1 is off
    float min_p = 0.05f;       // 0 is off
    float tfs_z = 1.0f;        // 1 is off
    float typical_p = 1.0f;    // 1 is off
    float top_n_sigma = 0.0f;  // 0 is off
    float xtc_probability = 0.0f;
    float xtc_threshold = 1.0f;  // above 0.5 is off
    float temp = 0.8f;           // <= 0 takes the most probable token
    float dynatemp_range = 0.0f;
    float dynatemp_exponent = 1.0f;
    int32_t penalty_last_n = 64;  // 0 is off, -1 all
    float penalty_repeat = 1.0f;
    float penalty_freq = 0.0f;
    float penalty_present = 0.0f;
    bool penalize_nl = false;  // newlines take part in penalties
    float dry_multiplier = 0.0f;
    float dry_base = 1.75f;
    int32_t dry_allowed_length = 2;
    int32_t dry_penalty_last_n = -1;
    std::vector<std::string> dry_sequence_breakers = {"\n", ":", "\"", "*"};
    int32_t mirostat = 0;  // 0, or version 1 or 2, which then replaces all samplers but temperature
    float mirostat_tau = 5.0f;
    float mirostat_eta = 0.1f;
    float adaptive_target = -1.0f;  // < 0 is off
    float adaptive_decay = 0.9f;
    bool adaptive_updt_w_cur = false;
    std::vector<TokenBias> logit_bias;
    std::optional<std::vector<Token>>
        penalty_tokens;  // penalise (the last of) these instead of what was said
};

// One row of the table of options that have a name and a number.
struct OptionInfo {
    std::string_view name;
    std::string_view other_name;  // as other programs call it; empty: none
    std::variant<int32_t SamplingOptions::*, uint32_t SamplingOptions::*, float SamplingOptions::*,
                 bool SamplingOptions::*>
        member;
    std::string_view help;  // one line for people
    double min = -1e30;     // values outside min..max are refused
    double max = 1e30;
};
std::span<const OptionInfo> sampling_option_table();

// Sets one option by either name; '-' and '_' are the same. Throws Error{not_found} for an unknown name
// (listing the known ones) and Error{invalid_argument} for a value that is not a number of the right kind or
// out of range.
void set_sampling_option(SamplingOptions& options, std::string_view name, std::string_view value);

// A change of one option by its name, as in "a little warmer": +0.3 on temp.
struct OptionChange {
    std::string name;
    float delta = 0.0f;
};
// Adds the change and keeps the value within the option's range. False, and nothing happens, when the name is
// none of an option with a number other than seed.
bool change_option(SamplingOptions& options, const OptionChange& change);

// Items separated by ';' or line ends, spaces ignored. An item is
//   a sampler: a name or letter of interop 4.3, alone or with "=value[,value...]"
//   (dry=multiplier,base,allowed_length,last_n;
//     xtc=probability,threshold; temperature=temp,range,exponent; adaptive_p=target,decay; others one value);
//   an option of the table with "=value"; or "greedy", the same as "temp=0" without a place in the order.
// The samplers that are named run in the order given and no others; when none is named the order of `base`
// stays. Throws as set_sampling_option does, and Error{invalid_argument} for a sampler named twice.
SamplingOptions parse_sampling(std::string_view text, SamplingOptions base = {});

// "kpmt" or {"top_k", "top-p"} to an order. Unknown letters, names and repetitions are
// Error{invalid_argument}.
std::vector<SamplerKind> parse_sampler_letters(std::string_view letters);
std::vector<SamplerKind> parse_sampler_names(std::span<const std::string> names);

std::string_view sampler_name(SamplerKind kind);

// Checks every option against its range. Throws Error{invalid_argument} naming option, value and range.
void check_sampling_options(const SamplingOptions& options);

// What will happen to the logits, in order, in one line without the parts that are off:
// "penalties repeat=1.1 last_n=64 -> top_k=40 -> top_p=0.95 -> temp=0.8 -> draw".
std::string describe_sampling(const SamplingOptions& options);

}  // namespace cria::sampling
