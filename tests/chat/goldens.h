// Reading the golden data of ../shared/conformance/text/chat.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace cria::chat::testing {

inline std::string golden_folder() { return CRIA_SOURCE_DIR "/../shared/conformance/text/chat/"; }

inline bool has_goldens() { return std::ifstream(golden_folder() + "builtin.json").good(); }

inline std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline nlohmann::ordered_json read_json(const std::string& name) {
    return nlohmann::ordered_json::parse(read_text(golden_folder() + name));
}

}  // namespace cria::chat::testing
