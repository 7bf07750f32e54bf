// conformance/text/grammar/gbnf.json: which grammars are refused, and what the others accept, whole and byte
// by byte.
#include <gtest/gtest.h>

#include "base/error.h"
#include "grammar/conformance.h"
#include "grammar/gbnf.h"
#include "grammar/matcher.h"

namespace cria::grammar {
namespace {

using testing::conformance_text;

// "full", "part", or the byte at which the first refused character starts.
std::string outcome(const Matcher& start, const std::string& text) {
    size_t accepted = start.accepted_length(text);
    if (accepted == text.size()) {
        Matcher matcher = start;
        EXPECT_TRUE(matcher.accept(text));
        return matcher.may_end() ? "full" : "part";
    }
    while (accepted > 0 && (static_cast<uint8_t>(text[accepted]) & 0xC0) == 0x80) --accepted;
    return std::to_string(accepted);
}

std::string outcome_by_bytes(Matcher matcher, const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (matcher.accept(text.substr(i, 1))) continue;
        while (i > 0 && (static_cast<uint8_t>(text[i]) & 0xC0) == 0x80) --i;
        return std::to_string(i);
    }
    return matcher.may_end() ? "full" : "part";
}

TEST(GbnfConformance, EveryGrammarIsRefusedOrMatchesAsListed) {
    const auto data = testing::read_conformance("grammar/gbnf.json");
    if (!data) GTEST_SKIP() << "no conformance data at " << testing::kConformanceDir;
    size_t n_strings = 0;
    for (const auto& entry : (*data)["grammars"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const bool is_ok = entry.value("expected_init", entry["init"].get<std::string>()) == "ok";
        const std::string root = entry.value("root", "root");
        const std::string text = entry["gbnf"];
        const auto compile = [&] { return Program::compile(parse_gbnf(text, {.root = root})); };
        if (!is_ok) {
            EXPECT_THROW(compile(), Error);
            continue;
        }
        std::shared_ptr<const Program> program;
        ASSERT_NO_THROW(program = compile());
        const Matcher start(program);
        for (const auto& string : entry["strings"]) {
            const std::string input = conformance_text(string[0]);
            const std::string expected =
                string[1].is_string() ? string[1].get<std::string>() : string[1].dump();
            EXPECT_EQ(outcome(start, input), expected) << input;
            EXPECT_EQ(outcome_by_bytes(start, input), expected) << input;
            ++n_strings;
        }
    }
    EXPECT_GT(n_strings, 300u);
}

}  // namespace
}  // namespace cria::grammar
