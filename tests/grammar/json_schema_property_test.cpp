// Whatever a schema lets through is valid: random texts are checked by python3-jsonschema, which knows
// nothing of this engine.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "base/error.h"
#include "grammar/conformance.h"
#include "grammar/json_schema.h"
#include "grammar/random_text.h"

namespace cria::grammar {
namespace {

// One or two per keyword and combination that the conformance data lack.
const char* const kSchemas[] = {
    R"({"type":"number","minimum":-12.25,"exclusiveMaximum":3.5})",
    R"({"type":"number","exclusiveMinimum":0.001,"maximum":0.0125})",
    R"({"type":"number","maximum":-0.5})",
    R"({"type":"integer","exclusiveMinimum":-1000,"maximum":-7,"multipleOf":7})",
    R"({"type":"integer","minimum":5,"multipleOf":12})",
    R"({"type":"integer","minimum":1e3,"maximum":1.5e4})",
    R"({"oneOf":[{"type":"integer","minimum":10},{"type":"integer","maximum":20}]})",
    R"({"type":"string","minLength":150,"maxLength":420})",
    R"({"type":"string","pattern":"b[0-9]|^x","maxLength":9})",
    R"({"type":"string","pattern":"^[ -~]*\\bcat\\b[ -~]*$","minLength":5,"maxLength":12})",
    R"({"type":"string","not":{"pattern":"[aeiou]"},"minLength":2,"maxLength":5})",
    R"({"type":"string","not":{"enum":["a","b",""]},"maxLength":1})",
    R"({"type":"string","format":"date-time"})",
    R"({"type":"string","format":"date","pattern":"-02-29$"})",
    R"({"type":"string","format":"duration"})",
    R"({"type":"string","format":"ipv6"})",
    R"({"type":"string","format":"hostname"})",
    R"({"type":"string","format":"email"})",
    R"({"type":"string","format":"uri"})",
    R"({"type":"string","format":"uri-reference"})",
    R"({"type":"string","format":"json-pointer"})",
    R"({"type":"string","format":"relative-json-pointer"})",
    R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":9},"minItems":3,"maxItems":7})",
    R"({"type":"array","items":{"enum":["a","b","c",1]},"uniqueItems":true,"minItems":2,"maxItems":3})",
    R"({"type":"array","items":{"type":"boolean"},"uniqueItems":true})",
    R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":5},"contains":{"const":3},"minContains":2,"maxContains":3,"maxItems":6})",
    R"({"type":"array","prefixItems":[{"const":1},{"const":2}],"contains":{"type":"string"},"minItems":4})",
    R"({"type":"array","prefixItems":[{"type":"null"},{"type":"boolean"}],"unevaluatedItems":false})",
    R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"additionalProperties":{"type":"boolean"},"minProperties":3,"maxProperties":4})",
    R"({"type":"object","patternProperties":{"^s_":{"type":"string"},"_n$":{"minLength":2}},"additionalProperties":{"type":"null"}})",
    R"({"type":"object","propertyNames":{"enum":["x","y"]},"additionalProperties":{"type":"integer"},"minProperties":1})",
    R"({"type":"object","properties":{"a":true,"b":true,"c":true},"dependentRequired":{"a":["b"]},"dependentSchemas":{"b":{"properties":{"c":{"const":5}},"required":["c"]}}})",
    R"({"type":"object","properties":{"k":{"enum":["x","y","z"]}},"required":["k"],"if":{"properties":{"k":{"const":"x"}}},"then":{"properties":{"v":{"type":"integer"}},"required":["v"]},"else":{"properties":{"w":{"type":"boolean"}}}})",
    R"({"oneOf":[{"type":"object","properties":{"t":{"const":"a"},"n":{"type":"integer"}},"required":["t"]},{"type":"object","properties":{"t":{"const":"b"},"s":{"type":"string"}},"required":["t","s"]}]})",
    R"({"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}}})",
    R"({"not":{"anyOf":[{"type":"string"},{"type":"object"},{"type":"array"},{"minimum":5}]}})",
    R"({"not":{"const":1},"type":"number","minimum":0,"maximum":2})",
    R"({"allOf":[{"$ref":"#/$defs/p"},{"properties":{"z":{"type":"integer"}}}],"unevaluatedProperties":false,"$defs":{"p":{"properties":{"x":{"type":"integer"}},"required":["x"]}},"type":"object"})",
    R"({"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"l":{"anyOf":[{"$ref":"#/$defs/t"},{"type":"null"}]},"r":{"$ref":"#/$defs/t"}},"required":["v"]}},"$ref":"#/$defs/t"})",
    R"({"$ref":"#item","$defs":{"i":{"$anchor":"item","type":"array","items":{"$ref":"#item"},"maxItems":2}}})",
    R"({"enum":[{"a":[1,{"b":null}]},[],"é\n\"",3.25,{"a":1}],"not":{"const":3.25}})",
    R"({"type":["integer","string","null"],"minimum":3,"maxLength":2})",
};

// Prints what is wrong; the exit status says whether anything is.
constexpr const char* kCheck = R"(
import json, sys, jsonschema
bad = 0
for line in open(sys.argv[1], encoding='utf-8'):
    entry = json.loads(line)
    validator = jsonschema.Draft202012Validator(entry['schema'], format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    if 'draft-07' in json.dumps(entry['schema']): validator = jsonschema.Draft7Validator(entry['schema'])
    for text in entry['texts']:
        try: value = json.loads(text)
        except ValueError as error: print(entry['schema'], 'not JSON:', text, error); bad += 1; continue
        for error in validator.iter_errors(value):
            print(json.dumps(entry['schema'])[:300], 'lets through', text[:300], '|', error.message[:200]); bad += 1; break
sys.exit(bad != 0)
)";

std::vector<std::string> all_schemas() {
    std::vector<std::string> schemas(std::begin(kSchemas), std::end(kSchemas));
    const auto data = testing::read_conformance("grammar/schemas.json");
    static const std::set<std::string> refused = {"pattern-lookahead", "pattern-backreference"};
    for (const auto& entry : data.value_or(nlohmann::ordered_json::array())) {
        if (!entry.value("must_refuse", false) && !refused.contains(entry["name"]))
            schemas.push_back(entry["schema"].dump());
    }
    return schemas;
}

TEST(JsonSchemaProperty, RandomTextsAreValidForPython) {
    if (std::system("python3 -c 'import jsonschema' 2>/dev/null") != 0)
        GTEST_SKIP() << "python3-jsonschema is not installed";
    const char* wanted = std::getenv("CRIA_SCHEMA_TEXTS");
    const int n_texts = wanted != nullptr ? std::atoi(wanted) : 20;
    const std::string path = ::testing::TempDir() + "cria_schema_texts_" + std::to_string(getpid());
    std::mt19937 random(7);
    {
        std::ofstream lines(path + ".jsonl"), script(path + ".py");
        script << kCheck;
        for (const std::string& schema : all_schemas()) {
            SCOPED_TRACE(schema);
            std::shared_ptr<const Program> program;
            ASSERT_NO_THROW(program = compile_json_schema(schema));
            const Matcher start(program);
            nlohmann::ordered_json entry = {{"schema", nlohmann::ordered_json::parse(schema)},
                                            {"texts", nlohmann::ordered_json::array()}};
            for (int i = 0; i < n_texts; ++i) {
                if (const auto text = testing::random_text(start, random)) entry["texts"].push_back(*text);
            }
            EXPECT_GT(entry["texts"].size(), 0u) << "no walk came to an end";
            lines << entry.dump() << '\n';
        }
    }
    EXPECT_EQ(std::system(("python3 " + path + ".py " + path + ".jsonl").c_str()), 0)
        << "see the lines above";
    std::remove((path + ".jsonl").c_str());
    std::remove((path + ".py").c_str());
}

}  // namespace
}  // namespace cria::grammar
