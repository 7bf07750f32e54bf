// The opposite of a schema: it fails when one of its keywords fails, so its negation is a choice between the
// failures. Only keywords whose failure is a schema again can be negated; the others are refused by name.
#include <map>
#include <set>

#include "base/error.h"
#include "grammar/json_schema_document.h"

namespace cria::grammar {
namespace {

using namespace negation_keyword;

Json of_kind(uint32_t kinds) { return Json{{kKinds, kinds}}; }

Json with(Json schema, const std::string& key, Json value) {
    schema[key] = std::move(value);
    return schema;
}

// They say nothing about the value.
bool is_annotation(const std::string& key) {
    static const std::set<std::string> names = {
        "title",     "description", "default",        "examples",        "$comment",         "$schema",
        "$id",       "$anchor",     "$defs",          "definitions",     "deprecated",       "readOnly",
        "writeOnly", "$vocabulary", "$dynamicAnchor", "contentEncoding", "contentMediaType", "contentSchema"};
    return names.contains(key);
}

bool is_assertion(const std::string& key) {
    static const std::set<std::string> names = {"type",
                                                "enum",
                                                "const",
                                                "multipleOf",
                                                "maximum",
                                                "exclusiveMaximum",
                                                "minimum",
                                                "exclusiveMinimum",
                                                "maxLength",
                                                "minLength",
                                                "pattern",
                                                "format",
                                                "items",
                                                "prefixItems",
                                                "additionalItems",
                                                "maxItems",
                                                "minItems",
                                                "uniqueItems",
                                                "contains",
                                                "minContains",
                                                "maxContains",
                                                "properties",
                                                "required",
                                                "patternProperties",
                                                "additionalProperties",
                                                "propertyNames",
                                                "minProperties",
                                                "maxProperties",
                                                "dependentRequired",
                                                "dependentSchemas",
                                                "dependencies",
                                                "unevaluatedItems",
                                                "unevaluatedProperties",
                                                "allOf",
                                                "anyOf",
                                                "oneOf",
                                                "not",
                                                "if",
                                                "then",
                                                "else",
                                                "$ref"};
    return names.contains(key);
}

}  // namespace

const Json* SchemaDocument::negation_of(const Json* node) {
    const auto known = negation_nodes_.find(node);
    if (known != negation_nodes_.end()) return known->second;
    const Json* made = add_node(Json::object(), node);
    negation_targets_[made] = node;
    return negation_nodes_[node] = made;
}

const SchemaDocument::Branches& SchemaDocument::negated(const Json* node) {
    const auto known = negated_.find(node);
    if (known != negated_.end()) return known->second;
    Branches branches;
    if (node->is_boolean()) {
        if (!node->get<bool>()) branches.push_back({});
        return negated_[node] = std::move(branches);
    }
    if (const auto target = negation_targets_.find(node); target != negation_targets_.end())
        branches.push_back({target->second});
    for (const auto& [key, value] : node->items()) negate_keyword(node, key, branches);
    return negated_[node] = std::move(branches);
}

// Adds what it takes for one keyword to fail.
void SchemaDocument::negate_keyword(const Json* node, const std::string& key, Branches& out) {
    const auto add = [&](Json schema) { out.push_back({add_node(std::move(schema), node)}); };
    const Json& value = node->at(key);
    if (key == "type") {
        const uint32_t others = json_kind::kAll & ~kinds(node);
        if (others != 0) add(of_kind(others));
    } else if (key == "enum" || key == "const") {
        add(Json{{kExcluded, key == "enum" ? value : Json::array({value})}});
    } else if (key == "pattern") {
        add(with(of_kind(json_kind::kString), kNotPattern, value));
    } else if (key == "format") {
        add(with(of_kind(json_kind::kString), kNotFormat, value));
    } else if (key == "required" && value.is_array()) {
        for (const Json& name : value)
            add(with(of_kind(json_kind::kObject), kForbidden, Json::array({name})));
    } else if (key == "properties" && value.is_object()) {
        for (const auto& [name, schema] : value.items()) {
            const Json fails = Json{{name, Json{{"not", schema}}}};
            add(with(with(of_kind(json_kind::kObject), "required", Json::array({name})), "properties",
                     fails));
        }
    } else if (key == "contains" && !node->contains("minContains") && !node->contains("maxContains")) {
        add(with(of_kind(json_kind::kArray), "items", Json{{"not", value}}));
    } else if (key == "items" && !value.is_array() && !node->contains("prefixItems")) {
        add(with(of_kind(json_kind::kArray), "contains", Json{{"not", value}}));
    } else if (key == "allOf" && value.is_array()) {
        for (size_t i = 0; i < value.size(); ++i) out.push_back({negation_of(child(node, key, i))});
    } else if (key == "anyOf" && value.is_array()) {
        SchemaNodes all;
        for (size_t i = 0; i < value.size(); ++i) all.push_back(negation_of(child(node, key, i)));
        out.push_back(std::move(all));
    } else if (key == "not") {
        out.push_back({child(node, key)});
    } else if (key == "$ref") {
        out.push_back({negation_of(reference_target(node))});
    } else if (!negate_limit(node, key, out) && (is_assertion(key) || key.starts_with('\1'))) {
        refuse(node, key,
               "this cannot be excluded, as not, oneOf or if needs it; state what is wanted instead");
    }
}

bool SchemaDocument::negate_limit(const Json* node, const std::string& key, Branches& out) {
    struct Opposite {
        uint32_t kind;
        const char* key;
        int step;  // the opposite of "at most n" is "at least n + 1"
    };
    static const std::map<std::string, Opposite> opposites = {
        {"minimum", {json_kind::kNumber, "exclusiveMaximum", 0}},
        {"maximum", {json_kind::kNumber, "exclusiveMinimum", 0}},
        {"exclusiveMinimum", {json_kind::kNumber, "maximum", 0}},
        {"exclusiveMaximum", {json_kind::kNumber, "minimum", 0}},
        {"minLength", {json_kind::kString, "maxLength", -1}},
        {"maxLength", {json_kind::kString, "minLength", 1}},
        {"minItems", {json_kind::kArray, "maxItems", -1}},
        {"maxItems", {json_kind::kArray, "minItems", 1}},
        {"minProperties", {json_kind::kObject, "maxProperties", -1}},
        {"maxProperties", {json_kind::kObject, "minProperties", 1}},
    };
    const auto known = opposites.find(key);
    if (known == opposites.end()) return is_annotation(key);
    const Opposite& opposite = known->second;
    const Json& value = node->at(key);
    if (!value.is_number()) refuse_broken(node, key, "must be a number");
    if (opposite.step == 0) {
        out.push_back({add_node(with(of_kind(opposite.kind), opposite.key, value), node)});
        return true;
    }
    const double limit = value.get<double>();
    if (!(limit >= 0 && limit < 1e15))
        refuse_broken(node, key, "must be a whole number that is not negative");
    const auto other = static_cast<int64_t>(limit) + opposite.step;
    if (other >= 0) out.push_back({add_node(with(of_kind(opposite.kind), opposite.key, other), node)});
    return true;
}

}  // namespace cria::grammar
