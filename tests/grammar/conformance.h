// Shared by the tests of this room: where the conformance data lies, and how it is read.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace cria::grammar::testing {

inline const std::string kConformanceDir = CRIA_SOURCE_DIR "/../shared/conformance/text/";

// Nothing when the file is not there: the caller skips.
inline std::optional<nlohmann::ordered_json> read_conformance(const std::string& name) {
    std::ifstream file(kConformanceDir + name);
    if (!file) return std::nullopt;
    return nlohmann::ordered_json::parse(file);
}

// {"repeat": [text, times]} or a plain text.
inline std::string conformance_text(const nlohmann::ordered_json& value) {
    if (value.is_string()) return value.get<std::string>();
    std::string text;
    for (size_t i = 0; i < value["repeat"][1].get<size_t>(); ++i)
        text += value["repeat"][0].get<std::string>();
    return text;
}

}  // namespace cria::grammar::testing
