// Synthetic models for measuring speed: real shapes and types, random weights, nothing to download.
#pragma once

#include <memory>
#include <string>

#include "model/model.h"

namespace cria::app {

// spec: SHAPE:TYPE, e.g. "llama-1b:q4_k_m". Shapes and types are listed by synthetic_help(). Throws
// Error{invalid_argument} naming what exists. Takes seconds and the model's size in memory.
std::shared_ptr<const Model> make_synthetic(const std::string& spec);

// One line of shapes and types for --help.
std::string synthetic_help();

}  // namespace cria::app
