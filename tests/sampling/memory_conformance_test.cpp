// Every recorded case of the samplers that remember tokens: DRY (vocabulary llama-spm) and adaptive-p.
#include <cstdio>
#include <memory>

#include "conformance.h"
#include "sampling/adaptive_p.h"
#include "sampling/dry.h"
#include "sampling/truncation.h"

namespace cria::sampling {
namespace {

using namespace conformance;

struct ClosePipe {
    void operator()(std::FILE* pipe) const { pclose(pipe); }
};

std::string decompressed(const std::string& path) {
    const std::unique_ptr<std::FILE, ClosePipe> pipe(popen(("xz -dc '" + path + "'").c_str(), "r"));
    std::string bytes;
    char block[65536];
    for (size_t n = 0; pipe != nullptr && (n = std::fread(block, 1, sizeof block, pipe.get())) > 0;)
        bytes.append(block, n);
    return bytes;
}

// The pieces of the vocabulary, taken from the token table of the file: this room knows no GGUF, and needs
// nothing else of it.
std::vector<std::string> llama_spm_pieces() {
    const auto bytes =
        decompressed(CRIA_SOURCE_DIR "/../shared/conformance/text/tokenizers/llama-spm.gguf.xz");
    const std::string key = "tokenizer.ggml.tokens";
    size_t at = bytes.find(key);
    if (at == std::string::npos) return {};
    const auto read_u64 = [&] {
        uint64_t value = 0;
        for (size_t i = 0; i < 8; ++i) value |= uint64_t(static_cast<uint8_t>(bytes.at(at++))) << (8 * i);
        return value;
    };
    at += key.size() + 8;  // type "array", element type "string"
    std::vector<std::string> pieces(read_u64());
    for (std::string& piece : pieces) {
        const uint64_t n_bytes = read_u64();
        piece = bytes.substr(at, n_bytes);
        at += piece.size();
        unsigned byte = 0;
        if (std::sscanf(piece.c_str(), "<0x%2X>", &byte) == 1)
            piece = std::string(1, static_cast<char>(byte));
        for (size_t i; (i = piece.find("\u2581")) != std::string::npos;) piece.replace(i, 3, " ");
    }
    return pieces;
}

// Longest piece first: enough for the tails of the breakers of these cases.
std::vector<Token> tokenize_greedily(const std::vector<std::string>& pieces, std::string_view text) {
    std::vector<Token> tokens;
    while (!text.empty()) {
        size_t best = 0;
        for (size_t i = 0; i < pieces.size(); ++i)
            if (text.starts_with(pieces[i]) && pieces[i].size() > pieces[best].size()) best = i;
        if (best == 0) break;
        tokens.push_back(static_cast<Token>(best));
        text.remove_prefix(pieces[best].size());
    }
    return tokens;
}

TEST(DryConformance, PenaltiesOfEveryCase) {
    if (!is_present()) GTEST_SKIP() << "no conformance data at " << folder();
    auto pieces = llama_spm_pieces();
    if (pieces.empty()) GTEST_SKIP() << "cannot decompress the vocabulary (is xz installed?)";
    pieces[0].clear();
    const auto piece = [&](Token token) { return pieces[static_cast<size_t>(token)]; };
    const auto tokenize = [&](std::string_view text) { return tokenize_greedily(pieces, text); };
    std::map<std::string, std::shared_ptr<const DryBreakers>> known;
    const auto rows = cases("dry");
    EXPECT_EQ(rows.size(), 225u);
    for (const Json& row : rows) {
        SCOPED_TRACE(describe(row));
        const Json& params = row["params"];
        auto& breakers = known[params["breakers"].dump()];
        if (breakers == nullptr) {
            const auto texts = params["breakers"].get<std::vector<std::string>>();
            breakers = std::make_shared<const DryBreakers>(make_dry_breakers(
                texts,
                {.n_tokens = static_cast<int32_t>(pieces.size()), .piece = piece, .tokenize = tokenize}));
        }
        DrySampler dry({.multiplier = number(params["multiplier"]),
                        .base = number(params["base"]),
                        .allowed_length = params["allowed_length"].get<int32_t>(),
                        .last_n = params["penalty_last_n"].get<int32_t>()},
                       static_cast<int32_t>(pieces.size()), breakers);
        for (const Json& token : params["history"]) dry.accept(token.get<Token>());
        const auto& logits = logit_sets().at("n1000");
        CandidateBuffer buffer;
        CandidateArray& array = buffer.fill(logits);
        dry.apply(array);
        std::map<Token, float> expected;
        for (const Json& entry : row["result"]["penalties"])
            expected[entry[0].get<Token>()] = number(entry[1]);
        for (size_t i = 0; i < array.size; ++i) {
            const float penalty = logits[i] - array.data[i].logit;
            const auto found = expected.find(static_cast<Token>(i));
            const float wanted = found == expected.end() ? 0.0f : found->second;
            EXPECT_NEAR(penalty, wanted, 1e-5f * std::max(1.0f, std::abs(wanted))) << "token " << i;
        }
    }
}

TEST(AdaptiveConformance, CandidatesAndTokensOfEveryCase) {
    if (!is_present()) GTEST_SKIP() << "no conformance data at " << folder();
    const auto rows = cases("adaptive_p");
    EXPECT_EQ(rows.size(), 384u);
    for (const Json& row : rows) {
        SCOPED_TRACE(describe(row));
        const Json& params = row["params"];
        AdaptiveSampler adaptive({.target = number(params["target"]),
                                  .decay = number(params["decay"]),
                                  .uses_current = params["updt_w_cur"].get<bool>()});
        std::mt19937 rng(params["seed"].get<uint32_t>());
        CandidateBuffer buffer;
        const auto next = [&] {
            CandidateArray& array = buffer.fill(logit_sets().at(row["logits"].get<std::string>()));
            adaptive.prepare(array);
            min_p(array, 0.01f, 1);
            adaptive.apply(array);
        };
        next();
        expect_result(row["result"]["first"], buffer.array());
        const auto& tokens = row["result"]["tokens"];
        for (size_t i = 0; i < tokens.size(); ++i) {
            if (i > 0) next();
            ASSERT_EQ(adaptive.sample(buffer.array(), rng), tokens[i].get<Token>()) << "token " << i;
        }
    }
}

}  // namespace
}  // namespace cria::sampling
