// One option per row of the sampling room's table, so that none is forgotten and help says the same as the
// library.
#include "sampling_options.h"

#include <fmt/core.h>

#include <algorithm>

namespace cria::app {
namespace {

std::string dashed(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string value_text(const sampling::OptionInfo& row, const sampling::SamplingOptions& options) {
    return std::visit(
        [&](auto member) -> std::string {
            using Value = std::remove_cvref_t<decltype(options.*member)>;
            if constexpr (std::is_same_v<Value, bool>)
                return options.*member ? "true" : "false";
            else if constexpr (std::is_same_v<Value, uint32_t>)
                return options.*member == sampling::kRandomSeed ? "random" : std::to_string(options.*member);
            else
                return fmt::format("{}", options.*member);
        },
        row.member);
}

}  // namespace

void add_sampling_options(CLI::App& command, SamplingChoice& choice) {
    const char* group = "Sampling";
    for (const sampling::OptionInfo& row : sampling::sampling_option_table()) {
        command
            .add_option_function<std::string>(
                "--" + dashed(row.name),
                [&choice, name = std::string(row.name)](const std::string& value) {
                    sampling::set_sampling_option(choice.options, name, value);
                },
                std::string(row.help) + " [" + value_text(row, choice.options) + "]")
            ->type_name("N")
            ->group(group);
    }
    command
        .add_option("--sampler", choice.chain,
                    "Chain as text, in the order to run: \"top_k=40;top_p=0.95;temp=0.8\", \"greedy\"")
        ->type_name("CHAIN")
        ->group(group);
}

sampling::SamplingOptions sampling_options(const SamplingChoice& choice) {
    sampling::SamplingOptions options = choice.options;
    if (!choice.chain.empty()) options = sampling::parse_sampling(choice.chain, options);
    sampling::check_sampling_options(options);
    return options;
}

}  // namespace cria::app
