// conformance/text/grammar/schemas.json. The rule there: never write an invalid instance; either constrain or
// refuse. A valid text counts as accepted when one of its serialisations is (as given, with spaces, or with
// another order of properties).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "grammar/conformance.h"
#include "grammar/json_schema.h"
#include "grammar/matcher.h"

namespace cria::grammar {
namespace {

using nlohmann::ordered_json;

bool accepts(const Matcher& start, const std::string& text) {
    Matcher matcher = start;
    return matcher.accept(text) && matcher.may_end();
}

// The same value as Python writes it by default: a space after ',' and ':'.
std::string spaced(const ordered_json& value) {
    if (!value.is_structured() || value.empty()) return value.dump();
    std::string text(1, value.is_array() ? '[' : '{');
    bool is_first = true;
    for (const auto& [key, member] : value.items()) {
        if (!is_first) text += ", ";
        is_first = false;
        if (value.is_object()) text += ordered_json(key).dump() + ": ";
        text += spaced(member);
    }
    return text + (value.is_array() ? ']' : '}');
}

// Schemas that this engine refuses although it could do otherwise, with the reason in its message.
const std::set<std::string> kRefused = {"pattern-lookahead", "pattern-backreference"};
// Valid texts that are never written: "1.0" for an integer.
const std::set<std::string> kNarrowed = {"integer-1.0"};

TEST(JsonSchemaConformance, ValidIsAcceptedInvalidIsNotAndBrokenIsRefused) {
    const auto data = testing::read_conformance("grammar/schemas.json");
    if (!data) GTEST_SKIP() << "no conformance data at " << testing::kConformanceDir;
    size_t n_valid = 0, n_invalid = 0;
    for (const auto& entry : *data) {
        const std::string name = entry["name"];
        SCOPED_TRACE(name);
        std::shared_ptr<const Program> program;
        if (entry.value("must_refuse", false) || kRefused.contains(name)) {
            EXPECT_THROW(compile_json_schema(entry["schema"].dump()), Error);
            continue;
        }
        ASSERT_NO_THROW(program = compile_json_schema(entry["schema"].dump()));
        const Matcher start(program);
        for (const auto& text : entry["valid"]) {
            if (kNarrowed.contains(name)) continue;
            const std::string valid = text;
            const auto value = ordered_json::parse(valid);
            EXPECT_TRUE(accepts(start, valid)) << valid;
            EXPECT_TRUE(accepts(start, spaced(value))) << spaced(value);
            ++n_valid;
        }
        for (const auto& text : entry["invalid"]) {
            const std::string invalid = text;
            EXPECT_FALSE(accepts(start, invalid)) << invalid;
            EXPECT_FALSE(accepts(start, spaced(ordered_json::parse(invalid)))) << invalid;
            ++n_invalid;
        }
    }
    EXPECT_GT(n_valid, 200u);
    EXPECT_GT(n_invalid, 200u);
}

}  // namespace
}  // namespace cria::grammar
