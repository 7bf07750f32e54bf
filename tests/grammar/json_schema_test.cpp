// What is refused, with the path and the reason; what each part of a schema lets through beyond the
// conformance data.
#include "grammar/json_schema.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "grammar/matcher.h"

namespace cria::grammar {
namespace {

std::string refusal(const std::string& schema) {
    try {
        compile_json_schema(schema);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

bool accepts(const std::string& schema, const std::string& text, JsonSchemaOptions options = {}) {
    Matcher matcher(compile_json_schema(schema, options));
    return matcher.accept(text) && matcher.may_end();
}

TEST(JsonSchema, RefusalsNameThePathAndTheReason) {
    const std::pair<const char*, std::vector<const char*>> cases[] = {
        {R"({"properties":{"a":{"type":"array","uniqueItems":true}}})",
         {"#/properties/a/uniqueItems", "enum or const"}},
        {R"({"properties":{"a":{"pattern":"(a)\\1"}}})", {"#/properties/a/pattern", "back-references"}},
        {R"({"items":{"multipleOf":0.01}})", {"#/items/multipleOf", "whole numbers"}},
        {R"({"items":{"multipleOf":0}})", {"#/items/multipleOf", "above 0"}},
        {R"({"format":"regex"})", {"#/format", "not supported"}},
        {R"({"$defs":{"a/b":{"minLength":"x"}},"$ref":"#/$defs/a~1b"})",
         {"#/$defs/a~1b/minLength", "whole number"}},
        {R"({"$ref":"#/nowhere"})", {"#/$ref", "does not exist"}},
        {R"({"$ref":"other.json#/a"})", {"#/$ref", "nothing is fetched"}},
        {R"({"anyOf":[{"$ref":"#"}]})", {"never ends"}},
        {R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}})",
         {"never ends"}},
        {R"({"$dynamicRef":"#x"})", {"#/$dynamicRef"}},
        {R"({"not":{"patternProperties":{"a":true}}})", {"#/not/patternProperties", "cannot be excluded"}},
        {R"({"oneOf":[{"properties":{"a":{}}},{"patternProperties":{"b":{"type":"null"}}}]})",
         {"#/oneOf", "branches 0 and 1"}},
        {R"({"minProperties":3})", {"minProperties", "only named properties"}},
        {R"({"enum":[1,2],"minimum":5})", {"matches no text"}},
        {R"({"type":"object","required":["a"],"properties":{"a":false}})", {"matches no text"}},
        {R"({"properties":[]})", {"#/properties", "object"}},
        {R"({"properties":{"a":1}})", {"#/properties/a", "object or a boolean"}},
        {R"({"type":["string","nul"]})", {"#/type", "no type"}},
        {R"({"required":[1]})", {"#/required"}},
        {R"({"enum":5})", {"#/enum"}},
        {R"({"anyOf":[]})", {"#/anyOf"}},
        {R"(["type"])", {"object or a boolean"}},
        {R"({"type")", {"not valid JSON"}},
        {R"({"a\u0001":1,"\u0001kinds":"x"})", {"U+0001"}},
        {R"({"contains":{"const":1},"maxItems":200000})", {"rules"}},
        {R"({"minimum":1e300})", {"digits"}},
        {R"({"allOf":[{"type":"object","properties":{"b":{}}},{"type":"object","unevaluatedProperties":false}]})",
         {"unevaluatedProperties"}},
    };
    for (const auto& [schema, words] : cases) {
        const std::string message = refusal(schema);
        for (const char* word : words)
            EXPECT_NE(message.find(word), std::string::npos) << schema << "\n" << message;
    }
}

TEST(JsonSchema, DeepOrWideSchemasExhaustNothing) {
    EXPECT_NE(refusal(std::string(120 * 1024, '[')).find("nested more than"), std::string::npos);
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += R"({"items":)";
    EXPECT_NE(refusal(deep).find("nested more than"), std::string::npos);
    std::string product = R"({"allOf":[)";
    for (int i = 0; i < 40; ++i) product += R"({"anyOf":[{"minimum":1},{"maximum":2}]},)";
    EXPECT_NE(refusal(product + "{}]}").find("combinations"), std::string::npos);
    std::string wide = R"({"type":"object","properties":{)";
    for (int i = 0; i < 1000; ++i)
        wide += (i > 0 ? ",\"p" : "\"p") + std::to_string(i) + R"(":{"type":"string"})";
    EXPECT_TRUE(accepts(wide + "}}", R"({"p3":"x", "p999":""})"));
    EXPECT_TRUE(accepts(R"({"type":"string","maxLength":150000})", "\"" + std::string(150000, 'x') + "\""));
    EXPECT_FALSE(accepts(R"({"type":"string","maxLength":150000})", "\"" + std::string(150001, 'x') + "\""));
    EXPECT_TRUE(accepts(R"({"type":"array","maxItems":100000,"minItems":3})", "[1,2,3]"));
    EXPECT_FALSE(accepts(R"({"type":"array","maxItems":100000,"minItems":3})", "[1,2]"));
}

TEST(JsonSchema, LargeCountsAreExact) {
    for (const size_t n : {127u, 128u, 255u, 256u, 257u, 300u, 355u, 399u}) {
        const std::string schema = R"({"type":"string","minLength":)" + std::to_string(n) +
                                   R"(,"maxLength":)" + std::to_string(2 * n) + "}";
        const Matcher start(compile_json_schema(schema));
        for (size_t length = n - 1; length <= 2 * n + 1; ++length) {
            Matcher matcher = start;
            const bool accepted = matcher.accept("\"" + std::string(length, 'x') + "\"") && matcher.may_end();
            ASSERT_EQ(accepted, length >= n && length <= 2 * n) << schema << " " << length;
        }
    }
}

TEST(JsonSchema, WhiteSpaceIsFreeWithinBoundsOrCompact) {
    const std::string schema = R"({"type":"object","properties":{"a":{"type":"array"}}})";
    const std::string pretty = "{\n    \"a\": [\n        1,\n        {}\n    ]\n}";
    EXPECT_TRUE(accepts(schema, pretty));
    EXPECT_FALSE(accepts(schema, pretty, {.is_compact = true}));
    EXPECT_TRUE(accepts(schema, R"({"a":[1,{}]})", {.is_compact = true}));
    EXPECT_FALSE(accepts(schema, "{  \"a\":[]}"));
    EXPECT_FALSE(accepts(schema, "{\n" + std::string(21, ' ') + "\"a\":[]}"));
}

TEST(JsonSchema, StringsCountCharactersNotBytesOrEscapes) {
    const std::string schema = R"({"type":"string","minLength":2,"maxLength":2})";
    for (const char* text : {R"("😀é")", R"("\ud83d\ude00x")", R"("\n\"")", R"("\u0041\u00e9")"})
        EXPECT_TRUE(accepts(schema, text)) << text;
    for (const char* text : {R"("😀")", R"("\ud83d\ude00")", R"("\ud83dx")", R"("\ude00x")", "\"a\nb\""})
        EXPECT_FALSE(accepts(schema, text)) << text;
}

TEST(JsonSchema, ReferencesFollowPointersAnchorsAndTheRootsAddress) {
    EXPECT_TRUE(accepts(
        R"({"$id":"https://x.y/s","$ref":"https://x.y/s#/$defs/a%20b","$defs":{"a b":{"const":1}}})", "1"));
    EXPECT_TRUE(accepts(R"({"$ref":"#q","$defs":{"z":{"$anchor":"q","const":"ok"}}})", "\"ok\""));
    EXPECT_TRUE(accepts(R"({"anyOf":[{"const":5}],"items":{"$ref":"#/anyOf/0"}})", "5"));
}

TEST(JsonSchema, DependenciesOfBothDraftsHold) {
    const std::string schema =
        R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"dependencies":{"a":["b"],"b":{"required":["c"]}}})";
    EXPECT_TRUE(accepts(schema, R"({"a":1,"b":2,"c":3})"));
    EXPECT_TRUE(accepts(schema, R"({"c":3})"));
    EXPECT_FALSE(accepts(schema, R"({"a":1,"c":3})"));
    EXPECT_FALSE(accepts(schema, R"({"b":1})"));
}

TEST(JsonSchema, ObjectModeIsAnyObject) {
    const Matcher start(compile_json_object());
    Matcher matcher = start;
    EXPECT_TRUE(matcher.accept(R"({"a": [1, -2.5e3, {"b": null}], "é": "\u00e9"})"));
    EXPECT_TRUE(matcher.may_end());
    EXPECT_FALSE(start.allows("["));
    EXPECT_FALSE(start.allows("1"));
}

}  // namespace
}  // namespace cria::grammar
