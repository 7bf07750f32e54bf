// Reads conformance/quant/*.json and draws the input they were made from (conformance/README.md).
#include "golden.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace cria::testing {
namespace {

using nlohmann::json;

std::vector<std::byte> from_hex(const std::string& hex) {
    std::vector<std::byte> bytes(hex.size() / 2);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    }
    return bytes;
}

void append_floats(std::vector<float>& to, const json& list) {
    for (const json& value : list) to.push_back(static_cast<float>(value.get<double>()));
}

std::optional<GoldenErrors> errors_of(const json& file, const char* rmse, const char* weighted) {
    if (!file.contains(rmse) || file[rmse].is_null()) return std::nullopt;
    return GoldenErrors{.rmse = file[rmse], .weighted_rmse = file[weighted]};
}

// The parser takes "-0" for an integer and loses its sign; "-0.0" keeps it.
json parse_keeping_negative_zero(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    for (size_t at = 0; (at = text.find(",-0", at)) != std::string::npos; at += 3) {
        if (text[at + 3] == ',' || text[at + 3] == ']') text.insert(at + 3, ".0");
    }
    for (size_t at = 0; (at = text.find("[-0", at)) != std::string::npos; at += 3) {
        if (text[at + 3] == ',' || text[at + 3] == ']') text.insert(at + 3, ".0");
    }
    return json::parse(text);
}

Golden read_golden(const std::filesystem::path& path) {
    const json file = parse_keeping_negative_zero(path);
    Golden golden;
    golden.info = find_type(file["name"].get<std::string>());
    golden.block_elements = file["block_size"];
    golden.block_bytes = file["block_bytes"];
    golden.row_header_bytes = file["row_header_bytes"];
    golden.group_rows = file["interleaved_rows"];
    golden.row_bytes_1024 = file["row_bytes_1024"];
    golden.needs_importance = file["requires_imatrix"];
    if (file["base"].is_string()) golden.base_name = file["base"];
    golden.n_input_rows = file["rows"];

    golden.rows.row_length = kGoldenRowLength;
    golden.rows.n_rows =
        golden.group_rows > 1 ? golden.group_rows : static_cast<int64_t>(file["bytes"].size());
    for (const json& hex : file["bytes"])
        std::ranges::copy(from_hex(hex), std::back_inserter(golden.rows.bytes));
    if (file.contains("dequant_group")) {
        for (const json& row : file["dequant_group"]) append_floats(golden.rows.floats, row);
    } else {
        append_floats(golden.rows.floats, file["dequant"]);
    }
    if (file.contains("random")) {
        const json& random = file["random"];
        golden.random.emplace();
        golden.random->bytes = from_hex(random["bytes"]);
        golden.random->row_length = random["n"];
        golden.random->n_rows = static_cast<int64_t>(random["dequant"].size());
        for (const json& row : random["dequant"]) append_floats(golden.random->floats, row);
    }
    golden.plain = errors_of(file, "rmse", "wrmse");
    golden.flat = errors_of(file, "rmse_flat_imatrix", "wrmse_flat_imatrix");
    golden.importance = errors_of(file, "imatrix_rmse", "imatrix_wrmse");
    return golden;
}

std::vector<Golden> read_all() {
    const std::filesystem::path folder = CRIA_SOURCE_DIR "/../shared/conformance/quant";
    std::vector<std::filesystem::path> paths;
    if (std::filesystem::is_directory(folder)) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().filename() != "tables.json") paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    std::vector<Golden> all;
    for (const auto& path : paths) all.push_back(read_golden(path));
    return all;
}

uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// u(i) of a named sequence: uniform in [-1, 1).
double uniform(const std::string& name, uint64_t i) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : name) hash = (hash ^ c) * 0x100000001b3;
    return static_cast<double>(mix(hash + i + 0x9e3779b97f4a7c15) >> 40) / 16777216.0 * 2 - 1;
}

}  // namespace

const std::vector<Golden>& goldens() {
    static const std::vector<Golden> all = read_all();
    return all;
}

std::vector<float> golden_input(int64_t n_rows) {
    std::vector<float> x;
    for (uint64_t j = 0; j < static_cast<uint64_t>(n_rows * kGoldenRowLength); ++j) {
        double sum = 0;
        for (uint64_t i = 0; i < 4; ++i) sum += uniform("quant.row", 4 * j + i);
        const double outlier = j % kGoldenRowLength % 97 == 5 ? 8 : 1;
        x.push_back(static_cast<float>(0.5 * sum * outlier));
    }
    return x;
}

std::vector<float> golden_importance() {
    std::vector<float> w;
    for (uint64_t i = 0; i < kGoldenRowLength; ++i) {
        w.push_back(static_cast<float>(0.05 + std::abs(uniform("quant.imatrix", i))));
    }
    return w;
}

}  // namespace cria::testing
