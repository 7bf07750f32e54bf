// The frame: rules for sets of schemas, the shared rules for plain JSON, and counts.
#include "grammar/json_schema.h"

#include <algorithm>

#include "base/error.h"
#include "grammar/json_schema_compiler.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

// Counts up to this are written out; larger ones are made of hundreds of hundreds.
constexpr uint64_t kMaxPlainCount = 128;
constexpr uint64_t kChunk = 100;
// Beyond this a count means "many" to every model, and the automaton would only grow.
constexpr uint64_t kMaxCount = 1'000'000'000;

}  // namespace

SchemaCompiler::SchemaCompiler(SchemaDocument& document, const JsonSchemaOptions& options)
    : document_(document), options_(options) {}

Grammar SchemaCompiler::build() {
    const RuleId root = new_rule("root");
    grammar_.set_root(root);
    grammar_.define(root, value({document_.root()}));
    while (!pending_.empty()) {
        const auto [nodes, rule] = std::move(pending_.back());
        pending_.pop_back();
        std::vector<ExprId> alternatives;
        for (const Alternative& alternative : document_.expand(nodes))
            alternatives.push_back(alternative_value(alternative));
        grammar_.define(rule, grammar_.choice(std::move(alternatives)));
    }
    return std::move(grammar_);
}

RuleId SchemaCompiler::new_rule(const std::string& name) {
    if (grammar_.rules().size() >= kMaxRules) {
        fail(ErrorCode::unsupported,
             "the JSON schema needs more than {} grammar rules; make its counts (minProperties, "
             "maxProperties, contains) smaller",
             kMaxRules);
    }
    return grammar_.add_rule(name);
}

ExprId SchemaCompiler::value(const SchemaNodes& nodes) {
    SchemaNodes kept;
    for (const Json* node : nodes) {
        const bool says_nothing =
            node->is_boolean() ? node->get<bool>() : node->empty() && !document_.is_made(node);
        if (!says_nothing && std::ranges::find(kept, node) == kept.end()) kept.push_back(node);
    }
    if (kept.empty()) return any_value();
    const auto known = rules_.find(kept);
    if (known != rules_.end()) return grammar_.rule(known->second);
    const RuleId rule = new_rule(document_.path(kept.front()));
    rules_.emplace(kept, rule);
    pending_.emplace_back(std::move(kept), rule);
    return grammar_.rule(rule);
}

uint32_t SchemaCompiler::kinds(const Alternative& alternative) const {
    uint32_t mask = json_kind::kAll;
    for (const Json* node : alternative.nodes) mask &= document_.kinds(node);
    return mask;
}

ExprId SchemaCompiler::alternative_value(const Alternative& alternative) {
    if (const auto values = values_of(alternative)) return listed_values(alternative, *values);
    const uint32_t mask = kinds(alternative);
    std::vector<ExprId> choices;
    if ((mask & json_kind::kNull) != 0 && !is_excluded(alternative, nullptr)) choices.push_back(text("null"));
    if ((mask & json_kind::kBoolean) != 0) {
        if (!is_excluded(alternative, true)) choices.push_back(text("true"));
        if (!is_excluded(alternative, false)) choices.push_back(text("false"));
    }
    if ((mask & json_kind::kNumber) != 0) choices.push_back(numbers(alternative, mask & json_kind::kNumber));
    if ((mask & json_kind::kString) != 0) choices.push_back(strings(alternative));
    if ((mask & json_kind::kArray) != 0) choices.push_back(array(alternative));
    if ((mask & json_kind::kObject) != 0) choices.push_back(object(alternative));
    return grammar_.choice(std::move(choices));
}

ExprId SchemaCompiler::space() {
    if (options_.is_compact) return text("");
    const auto [known, is_new] = shared_rules_.try_emplace("space", 0);
    if (is_new) {
        known->second = new_rule("space");
        const ExprId blanks = grammar_.repeat(grammar_.characters({{' ', ' '}, {'\t', '\t'}}), 0, 20);
        grammar_.define(known->second,
                        grammar_.choice({text(""), text(" "), grammar_.sequence({text("\n"), blanks})}));
    }
    return grammar_.rule(known->second);
}

ExprId SchemaCompiler::any_string() {
    const auto [known, is_new] = shared_rules_.try_emplace("string", 0);
    if (is_new) {
        known->second = new_rule("string");
        grammar_.define(known->second, grammar_.strings(StringSet::everything(), StringEncoding::json));
    }
    return grammar_.rule(known->second);
}

// One character of a JSON string, escaped or not; surrogate escapes come in pairs and count once.
ExprId SchemaCompiler::string_character() {
    const auto [known, is_new] = shared_rules_.try_emplace("character", 0);
    if (!is_new) return grammar_.rule(known->second);
    known->second = new_rule("character");
    const ExprId raw = grammar_.characters(CodePointSet{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}}.complement());
    const auto set = [&](std::string_view members) {
        std::vector<CodePointRange> ranges;
        for (const char c : members) ranges.push_back({static_cast<uint8_t>(c), static_cast<uint8_t>(c)});
        return grammar_.characters(CodePointSet(std::move(ranges)));
    };
    const ExprId hex = grammar_.characters({{'0', '9'}, {'a', 'f'}, {'A', 'F'}});
    const ExprId alone = grammar_.choice({grammar_.sequence({set("0123456789abcefABCEF"), hex, hex, hex}),
                                          grammar_.sequence({set("dD"), set("01234567"), hex, hex})});
    const ExprId pair = grammar_.sequence(
        {set("dD"), set("89abAB"), hex, hex, text("\\u"), set("dD"), set("cdefCDEF"), hex, hex});
    const ExprId escape =
        grammar_.choice({set("\"\\/bfnrt"), grammar_.sequence({text("u"), grammar_.choice({alone, pair})})});
    grammar_.define(known->second, grammar_.choice({raw, grammar_.sequence({text("\\"), escape})}));
    return grammar_.rule(known->second);
}

ExprId SchemaCompiler::any_value() {
    const auto [known, is_new] = shared_rules_.try_emplace("value", 0);
    if (!is_new) return grammar_.rule(known->second);
    known->second = new_rule("value");
    const ExprId value = grammar_.rule(known->second);
    const ExprId comma = grammar_.sequence({text(","), space()});
    const ExprId member = grammar_.sequence({any_string(), text(":"), space(), value});
    const auto listing = [&](const char* open, ExprId element, const char* close) {
        const ExprId more = grammar_.repeat(grammar_.sequence({comma, element}), 0);
        return grammar_.sequence({text(open), space(),
                                  grammar_.optional(grammar_.sequence({element, more, space()})),
                                  text(close)});
    };
    const ExprId number = grammar_.strings(
        Regex::compile("-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?").language(RegexUse::whole),
        StringEncoding::plain);
    const RuleId object = new_rule("object");
    shared_rules_["object"] = object;
    grammar_.define(object, listing("{", member, "}"));
    grammar_.define(known->second,
                    grammar_.choice({text("null"), text("true"), text("false"), number, any_string(),
                                     listing("[", value, "]"), grammar_.rule(object)}));
    return value;
}

ExprId SchemaCompiler::exactly(ExprId what, uint64_t n) {
    if (n <= kMaxPlainCount) return grammar_.repeat(what, static_cast<uint32_t>(n), static_cast<uint32_t>(n));
    const ExprId chunk = exactly(what, kChunk);
    return grammar_.sequence({exactly(chunk, n / kChunk), exactly(what, n % kChunk)});
}

// Chunks first, then single ones: the rest is at least one short of a chunk, so every count can be reached.
ExprId SchemaCompiler::at_most(ExprId what, uint64_t n) {
    if (n <= 2 * kMaxPlainCount) return grammar_.repeat(what, 0, static_cast<uint32_t>(n));
    const uint64_t n_chunks = (n - (kChunk - 1)) / kChunk;
    const ExprId chunk = exactly(what, kChunk);
    return grammar_.sequence({at_most(chunk, n_chunks), at_most(what, n - n_chunks * kChunk)});
}

ExprId SchemaCompiler::counted(ExprId what, CountRange count) {
    if (count.is_empty()) return grammar_.choice({});
    const ExprId least = exactly(what, count.min);
    return grammar_.sequence(
        {least, count.max ? at_most(what, *count.max - count.min) : grammar_.repeat(what, 0)});
}

uint64_t SchemaCompiler::count(const Json* node, const char* key) {
    const Json& value = node->at(key);
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0) || number != static_cast<double>(static_cast<uint64_t>(std::min(number, 1e18)))) {
        document_.refuse_broken(node, key, "must be a whole number that is not negative");
    }
    return static_cast<uint64_t>(std::min(number, 1e18));
}

SchemaCompiler::CountRange SchemaCompiler::count_range(const Alternative& alternative, const char* min_key,
                                                       const char* max_key) {
    CountRange range;
    for (const Json* node : alternative.nodes) {
        if (node->contains(min_key)) range.min = std::max(range.min, count(node, min_key));
        if (node->contains(max_key))
            range.max = std::min(range.max.value_or(UINT64_MAX), count(node, max_key));
    }
    if (range.min > kMaxCount)
        fail(ErrorCode::unsupported, "JSON schema: {} is {}, above {}", min_key, range.min, kMaxCount);
    if (range.max) range.max = std::min(*range.max, kMaxCount);
    return range;
}

// unevaluatedItems and unevaluatedProperties: whether something is to be left out. They see what their own
// subschemas describe, so every node of the alternative has to be one of those.
bool SchemaCompiler::leaves_out_unevaluated(const Alternative& alternative, const char* key) {
    bool leaves_out = false;
    for (size_t i = 0; i < alternative.nodes.size(); ++i) {
        if (!alternative.nodes[i]->contains(key) || is_true(alternative.nodes[i], key)) continue;
        leaves_out = true;
        for (size_t j = 0; j < alternative.nodes.size(); ++j) {
            if (alternative.descends_from(j, i) && !document_.is_made(alternative.nodes[j])) continue;
            document_.refuse(
                alternative.nodes[i], key,
                "together with schemas from outside of this one, or with not and if, this is not supported");
        }
    }
    return leaves_out;
}

std::shared_ptr<const Program> compile_json_schema(std::string_view schema,
                                                   const JsonSchemaOptions& options) {
    SchemaDocument document(schema);
    try {
        return Program::compile(SchemaCompiler(document, options).build(), {.prune_dead_ends = true});
    } catch (const Json::exception& error) {
        fail(ErrorCode::invalid_argument, "the JSON schema has a keyword of a wrong type: {}", error.what());
    }
}

std::shared_ptr<const Program> compile_json_object(const JsonSchemaOptions& options) {
    return compile_json_schema(R"({"type": "object"})", options);
}

}  // namespace cria::grammar
