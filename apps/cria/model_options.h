// Options that every command with a model shares: which model, how it is read, and the context it works in.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "runtime/context.h"

namespace cria::app {

struct ModelChoice {
    std::string path;  // empty: the built-in model
    bool no_mmap = false;
    bool lock = false;
    bool check_tensors = false;
    std::vector<std::string> overrides;  // KEY=TYPE:VALUE
};

void add_model_options(CLI::App& command, ModelChoice& choice);
// Opens it, with a progress bar on a terminal when it takes a while.
std::shared_ptr<const Model> load_model(const ModelChoice& choice, bool vocab_only = false);

struct ContextChoice {
    ContextOptions options;
    std::string k_type = "f16";
    std::string v_type = "f16";
};

void add_context_options(CLI::App& command, ContextChoice& choice);
// Resolves names of types. Throws Error{invalid_argument} naming the option and what it can be.
ContextOptions context_options(const ContextChoice& choice);

}  // namespace cria::app
