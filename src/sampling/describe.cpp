// The one-line description of options: see describe_sampling in options.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "sampling/options.h"

namespace cria::sampling {
namespace {

std::string describe_penalties(const SamplingOptions& o) {
    std::string text;
    if (o.penalty_repeat != 1.0f) text += fmt::format(" repeat={:g}", o.penalty_repeat);
    if (o.penalty_freq != 0.0f) text += fmt::format(" frequency={:g}", o.penalty_freq);
    if (o.penalty_present != 0.0f) text += fmt::format(" presence={:g}", o.penalty_present);
    if (text.empty() || o.penalty_last_n == 0) return {};
    return fmt::format("penalties{} last_n={}", text, o.penalty_last_n);
}

std::string describe_temperature(const SamplingOptions& o) {
    if (o.dynatemp_range > 0.0f)
        return fmt::format("temp={:g}..{:g} by entropy^{:g}", std::max(0.0f, o.temp - o.dynatemp_range),
                           o.temp + o.dynatemp_range, o.dynatemp_exponent);
    return o.temp == 1.0f ? std::string() : fmt::format("temp={:g}", o.temp);
}

// Empty: the sampler is off.
std::string describe_sampler(SamplerKind kind, const SamplingOptions& o) {
    switch (kind) {
        case SamplerKind::dry:
            if (o.dry_multiplier == 0.0f || o.dry_base < 1.0f || o.dry_penalty_last_n == 0) return {};
            return fmt::format("dry={:g},{:g},{},{}", o.dry_multiplier, o.dry_base, o.dry_allowed_length,
                               o.dry_penalty_last_n);
        case SamplerKind::top_k:
            return o.top_k <= 0 ? std::string() : fmt::format("top_k={}", o.top_k);
        case SamplerKind::tail_free:
            return o.tfs_z >= 1.0f ? std::string() : fmt::format("tfs_z={:g}", o.tfs_z);
        case SamplerKind::typical:
            return o.typical_p >= 1.0f ? std::string() : fmt::format("typical_p={:g}", o.typical_p);
        case SamplerKind::top_p:
            return o.top_p >= 1.0f ? std::string() : fmt::format("top_p={:g}", o.top_p);
        case SamplerKind::min_p:
            return o.min_p <= 0.0f ? std::string() : fmt::format("min_p={:g}", o.min_p);
        case SamplerKind::xtc:
            if (o.xtc_probability <= 0.0f || o.xtc_threshold > 0.5f) return {};
            return fmt::format("xtc={:g},{:g}", o.xtc_probability, o.xtc_threshold);
        case SamplerKind::top_n_sigma:
            return o.top_n_sigma <= 0.0f ? std::string() : fmt::format("top_n_sigma={:g}", o.top_n_sigma);
        case SamplerKind::temperature:
            return describe_temperature(o);
        case SamplerKind::adaptive_p:
            return {};  // always last: see below
    }
    return {};
}

}  // namespace

std::string describe_sampling(const SamplingOptions& o) {
    std::vector<std::string> steps;
    const auto add = [&](std::string step) {
        if (!step.empty()) steps.push_back(std::move(step));
    };
    if (!o.logit_bias.empty()) add(fmt::format("bias of {} tokens", o.logit_bias.size()));
    add(describe_penalties(o));
    const bool is_greedy = o.temp <= 0.0f;
    const bool has_mirostat = !is_greedy && o.mirostat != 0;
    for (const SamplerKind kind : o.samplers)
        if (kind == SamplerKind::dry || (!is_greedy && !has_mirostat)) add(describe_sampler(kind, o));
    if (has_mirostat) {
        add(describe_temperature(o));
        add(fmt::format("mirostat {} tau={:g} eta={:g}", o.mirostat, o.mirostat_tau, o.mirostat_eta));
    } else if (!is_greedy && o.adaptive_target >= 0.0f) {
        add(fmt::format("adaptive_p={:g},{:g}", o.adaptive_target, o.adaptive_decay));
    }
    add(is_greedy ? "most probable token" : "draw");
    std::string line;
    for (const std::string& step : steps) line += (line.empty() ? "" : " -> ") + step;
    return line;
}

}  // namespace cria::sampling
