// Objects: named properties in the schema's order, then further ones whose names are a regular set; and their
// number.
#include <algorithm>
#include <tuple>

#include "grammar/json_schema_compiler.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

// Every subset of the patterns is a set of names of its own.
constexpr size_t kMaxPatterns = 5;

}  // namespace

struct SchemaCompiler::Property {
    std::string name;
    ExprId member = 0;  // "name": value
    bool is_required = false;
};

struct SchemaCompiler::ObjectShape {
    std::string path;
    std::vector<Property> properties;
    std::vector<std::string> names;      // of all properties that are spoken of, forbidden ones too
    std::optional<ExprId> extra_member;  // any further one
    CountRange size;
    // Rules by (property, members so far, those that count for the minimum) and their bodies still to be
    // written.
    using State = std::tuple<size_t, uint64_t, uint64_t>;
    std::map<State, RuleId> states;
    std::vector<State> todo;
};

// What a property of this name has to satisfy; nothing when it must be absent.
std::optional<SchemaNodes> SchemaCompiler::property_nodes(const Alternative& alternative,
                                                          const std::string& name) {
    SchemaNodes nodes;
    for (const Json* node : alternative.nodes) {
        if (document_.is_made(node) && node->contains(negation_keyword::kForbidden)) {
            for (const Json& forbidden : node->at(negation_keyword::kForbidden)) {
                if (forbidden == name) return std::nullopt;
            }
        }
        if (node->contains("propertyNames") &&
            !all_strings({document_.child(node, "propertyNames")}).contains(name))
            return std::nullopt;
        bool is_named = node->contains("properties") && node->at("properties").contains(name);
        if (is_named) nodes.push_back(document_.child(node, "properties", name));
        if (node->contains("patternProperties")) {
            for (const auto& [pattern, schema] : node->at("patternProperties").items()) {
                if (!Regex::compile(pattern).search(name)) continue;
                is_named = true;
                nodes.push_back(document_.child(node, "patternProperties", pattern));
            }
        }
        if (!is_named && node->contains("additionalProperties"))
            nodes.push_back(document_.child(node, "additionalProperties"));
    }
    return nodes;
}

SchemaCompiler::ObjectShape SchemaCompiler::object_shape(const Alternative& alternative) {
    ObjectShape shape;
    shape.path = document_.path(alternative.nodes.front());
    shape.size = count_range(alternative, "minProperties", "maxProperties");
    std::vector<std::string> required;
    const auto speak_of = [&](const std::string& name) {
        if (std::ranges::find(shape.names, name) == shape.names.end()) shape.names.push_back(name);
    };
    for (const Json* node : alternative.nodes) {
        for (const char* key : {"properties", "patternProperties"}) {
            if (node->contains(key) && !node->at(key).is_object())
                document_.refuse_broken(node, key, "must be an object");
        }
        if (node->contains("properties")) {
            for (const auto& [name, schema] : node->at("properties").items()) speak_of(name);
        }
    }
    for (const Json* node : alternative.nodes) {
        if (!node->contains("required") || node->at("required").is_boolean())
            continue;  // a flag of draft 3 and OpenAPI
        if (!node->at("required").is_array())
            document_.refuse_broken(node, "required", "must be an array of names");
        for (const Json& name : node->at("required")) {
            if (!name.is_string()) document_.refuse_broken(node, "required", "must be an array of names");
            speak_of(name.get<std::string>());
            required.push_back(name.get<std::string>());
        }
    }
    for (const std::string& name : shape.names) {
        const bool is_required = std::ranges::find(required, name) != required.end();
        const std::optional<SchemaNodes> nodes = property_nodes(alternative, name);
        if (!nodes && !is_required) continue;
        const ExprId inside = nodes ? value(*nodes) : grammar_.choice({});
        shape.properties.push_back(
            {name, grammar_.sequence({text(Json(name).dump()), text(":"), space(), inside}), is_required});
    }
    for (const Json* node : alternative.nodes) {
        if (!document_.is_made(node) || !node->contains(negation_keyword::kForbidden)) continue;
        for (const Json& name : node->at(negation_keyword::kForbidden)) speak_of(name.get<std::string>());
    }
    add_extras(shape, alternative);
    return shape;
}

// Further names fall into classes by the patterns they match; each class has its schemas.
void SchemaCompiler::add_extras(ObjectShape& shape, const Alternative& alternative) {
    if (leaves_out_unevaluated(alternative, "unevaluatedProperties")) return;
    std::vector<std::pair<const Json*, std::string>> patterns;
    bool names_some = false, is_open = false;
    StringSet others = StringSet::of(shape.names).complement();
    for (const Json* node : alternative.nodes) {
        is_open |= node->contains("additionalProperties");
        names_some |= node->contains("properties") && !node->at("properties").empty();
        if (node->contains("propertyNames"))
            others = others.intersected(all_strings({document_.child(node, "propertyNames")}));
        if (!node->contains("patternProperties")) continue;
        for (const auto& [pattern, schema] : node->at("patternProperties").items())
            patterns.emplace_back(node, pattern);
        if (patterns.size() > kMaxPatterns)
            document_.refuse(node, "patternProperties", fmt::format("more than {} patterns", kMaxPatterns));
    }
    std::vector<StringSet> matching;
    for (const auto& [node, pattern] : patterns)
        matching.push_back(Regex::compile(pattern).language(RegexUse::search));
    std::vector<ExprId> members;
    for (uint32_t matched = 0; matched < 1u << patterns.size(); ++matched) {
        if (matched == 0 && names_some && !is_open) continue;
        StringSet names = others;
        SchemaNodes nodes;
        for (size_t i = 0; i < patterns.size(); ++i) {
            const bool is_matched = (matched >> i & 1) != 0;
            names = names.intersected(is_matched ? matching[i] : matching[i].complement());
            if (is_matched)
                nodes.push_back(document_.child(patterns[i].first, "patternProperties", patterns[i].second));
        }
        for (const Json* node : alternative.nodes) {
            bool is_named = false;
            for (size_t i = 0; i < patterns.size(); ++i)
                is_named |= patterns[i].first == node && (matched >> i & 1) != 0;
            if (!is_named && node->contains("additionalProperties"))
                nodes.push_back(document_.child(node, "additionalProperties"));
        }
        if (names.empty()) continue;
        const ExprId name =
            names.is_everything() ? any_string() : grammar_.strings(std::move(names), StringEncoding::json);
        members.push_back(grammar_.sequence({name, text(":"), space(), value(nodes)}));
    }
    if (!members.empty()) shape.extra_member = grammar_.choice(std::move(members));
}

ExprId SchemaCompiler::object(const Alternative& alternative) {
    for (const Json& value : excluded(alternative, json_kind::kObject)) {
        document_.refuse(alternative.nodes.front(), "not",
                         "the object " + value.dump() + " cannot be excluded");
    }
    ObjectShape shape = object_shape(alternative);
    if (shape.size.is_empty()) return grammar_.choice({});
    // Names of further members might repeat, and a repeated one is the same property: only one of them surely
    // counts.
    if (shape.size.min > shape.properties.size() + (shape.extra_member ? 1 : 0)) {
        document_.refuse(
            alternative.nodes.front(), "minProperties",
            "only named properties and one more can be guaranteed; name more in properties, or lower it");
    }
    const ExprId start = grammar_.sequence({text("{"), space(), object_state(shape, 0, 0, 0)});
    while (!shape.todo.empty()) {
        const ObjectShape::State state = shape.todo.back();
        shape.todo.pop_back();
        const ExprId body = object_from(shape, std::get<0>(state), std::get<1>(state), std::get<2>(state));
        grammar_.define(shape.states.at(state), body);
    }
    return start;
}

// `n_members` have been written, `n_counted` of them count for the minimum, and property `index` is the next
// that may come. Both numbers stop where they no longer matter.
ExprId SchemaCompiler::object_state(ObjectShape& shape, size_t index, uint64_t n_members,
                                    uint64_t n_counted) {
    n_members = std::min(n_members, shape.size.max.value_or(1));
    n_counted = std::min(n_counted, shape.size.min);
    const ObjectShape::State state{index, n_members, n_counted};
    const auto [known, is_new] = shape.states.try_emplace(state, 0);
    if (is_new) {
        known->second = new_rule(shape.path);
        shape.todo.push_back(state);
    }
    return grammar_.rule(known->second);
}

ExprId SchemaCompiler::object_from(ObjectShape& shape, size_t index, uint64_t n_members, uint64_t n_counted) {
    const bool has_room = !shape.size.max || n_members < *shape.size.max;
    const ExprId comma = n_members > 0 ? grammar_.sequence({text(","), space()}) : text("");
    std::vector<ExprId> choices;
    if (index < shape.properties.size()) {
        const Property& property = shape.properties[index];
        if (has_room)
            choices.push_back(grammar_.sequence(
                {comma, property.member, object_state(shape, index + 1, n_members + 1, n_counted + 1)}));
        if (!property.is_required) choices.push_back(object_state(shape, index + 1, n_members, n_counted));
        return grammar_.choice(std::move(choices));
    }
    // The first further member counts; it moves on to a second phase (index one higher), where no more do.
    if (n_counted >= shape.size.min)
        choices.push_back(grammar_.sequence({n_members > 0 ? space() : text(""), text("}")}));
    if (shape.extra_member && has_room) {
        const uint64_t counted_now = index == shape.properties.size() ? 1 : 0;
        choices.push_back(grammar_.sequence(
            {comma, *shape.extra_member,
             object_state(shape, shape.properties.size() + 1, n_members + 1, n_counted + counted_now)}));
    }
    return grammar_.choice(std::move(choices));
}

}  // namespace cria::grammar
