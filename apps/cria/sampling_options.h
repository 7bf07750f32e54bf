// Options of commands that choose tokens.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "sampling/options.h"

namespace cria::app {

struct SamplingChoice {
    sampling::SamplingOptions options;
    std::string chain;  // --sampler: overrides the single options' order
};

void add_sampling_options(CLI::App& command, SamplingChoice& choice);
sampling::SamplingOptions sampling_options(const SamplingChoice& choice);

}  // namespace cria::app
