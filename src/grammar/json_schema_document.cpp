// References and applicators.
#include "grammar/json_schema_document.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"

namespace cria::grammar {
namespace {

// Work that expanding may do in all for one schema: every $ref and branch counts once each time it is
// reached.
constexpr size_t kMaxExpandedNodes = 2'000'000;
// How deep disjointness of oneOf's branches is looked for.
constexpr int kDisjointDepth = 4;

std::string pointer_token(std::string_view key) {
    std::string token;
    for (const char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return token;
}

std::string from_pointer_token(std::string_view token) {
    std::string key;
    for (size_t i = 0; i < token.size(); ++i) {
        if (token[i] == '~' && i + 1 < token.size()) {
            key += token[++i] == '1' ? '/' : '~';
        } else if (token[i] == '%' && i + 2 < token.size()) {
            key += static_cast<char>(std::strtoul(std::string(token.substr(i + 1, 2)).c_str(), nullptr, 16));
            i += 2;
        } else {
            key += token[i];
        }
    }
    return key;
}

}  // namespace

SchemaDocument::SchemaDocument(std::string_view text) {
    if (text.size() > kMaxBytes)
        fail(ErrorCode::invalid_argument, "the JSON schema has {} bytes, more than {}", text.size(),
             kMaxBytes);
    const auto check = [](int depth, Json::parse_event_t event, Json& value) {
        if (depth > kMaxDepth)
            fail(ErrorCode::invalid_argument, "the JSON schema is nested more than {} deep", kMaxDepth);
        if (event == Json::parse_event_t::key && value.get_ref<const std::string&>().starts_with('\1')) {
            fail(ErrorCode::invalid_argument,
                 "a key of the JSON schema begins with U+0001, which is kept for inner use");
        }
        return true;
    };
    try {
        root_ = Json::parse(text, check);
    } catch (const Json::exception& error) {
        fail(ErrorCode::invalid_argument, "the JSON schema is not valid JSON: {}", error.what());
    }
    paths_[&root_] = "#";
    if (!root_.is_object() && !root_.is_boolean())
        fail(ErrorCode::invalid_argument, "a JSON schema is an object or a boolean");
}

std::string SchemaDocument::path(const Json* node) const {
    const auto known = paths_.find(node);
    return known == paths_.end() ? "#" : known->second;
}

void SchemaDocument::refuse(const Json* node, std::string_view keyword, std::string_view why) const {
    fail(ErrorCode::unsupported, "JSON schema, {}/{}: {}", path(node), keyword, why);
}

void SchemaDocument::refuse_broken(const Json* node, std::string_view keyword, std::string_view why) const {
    fail(ErrorCode::invalid_argument, "JSON schema, {}/{}: {}", path(node), keyword, why);
}

const Json* SchemaDocument::register_child(const Json* node, const Json& schema, std::string_view key,
                                           const std::string& rest) {
    if (!schema.is_object() && !schema.is_boolean())
        refuse_broken(node, std::string(key) + rest, "a schema must be an object or a boolean");
    if (!paths_.contains(&schema)) paths_[&schema] = path(node) + "/" + pointer_token(key) + rest;
    if (made_.contains(node)) made_.insert(&schema);
    return &schema;
}

const Json* SchemaDocument::child(const Json* node, std::string_view key,
                                  std::optional<std::string_view> key2) {
    const Json& first = node->at(std::string(key));
    if (!key2) return register_child(node, first, key, "");
    return register_child(node, first.at(std::string(*key2)), key, "/" + pointer_token(*key2));
}

const Json* SchemaDocument::child(const Json* node, std::string_view key, size_t index) {
    return register_child(node, node->at(std::string(key)).at(index), key, "/" + std::to_string(index));
}

const Json* SchemaDocument::add_node(Json schema, const Json* origin) {
    made_nodes_.push_back(std::move(schema));
    made_.insert(&made_nodes_.back());
    paths_[&made_nodes_.back()] = path(origin);
    return &made_nodes_.back();
}

// "#", "#/a/b", "#anchor", or the same after the root's own $id. Nothing is ever fetched.
const Json* SchemaDocument::reference_target(const Json* node) {
    const Json& reference = node->at("$ref");
    if (!reference.is_string()) refuse_broken(node, "$ref", "must be a string");
    std::string target = reference.get<std::string>();
    if (root_.is_object() && root_.contains("$id") && root_["$id"].is_string()) {
        std::string id = root_["$id"].get<std::string>();
        if (const size_t hash = id.find('#'); hash != std::string::npos) id.resize(hash);
        if (!id.empty() && target.starts_with(id)) target.erase(0, id.size());
        if (target.empty()) target = "#";
    }
    if (!target.starts_with('#'))
        refuse(node, "$ref", "\"" + target + "\" is another document; nothing is fetched, put it into $defs");
    if (target == "#") return &root_;
    if (target[1] != '/') {
        const Json* found = find_anchor(root_, target.substr(1), "#");
        if (found == nullptr)
            refuse_broken(node, "$ref", "there is no \"$anchor\": \"" + target.substr(1) + "\"");
        return found;
    }
    const Json* at = &root_;
    for (size_t i = 2; i <= target.size();) {
        const size_t end = std::min(target.find('/', i), target.size());
        const std::string key = from_pointer_token(std::string_view(target).substr(i, end - i));
        const bool is_index = at->is_array() && !key.empty() && key.size() < 9 &&
                              key.find_first_not_of("0123456789") == std::string::npos;
        if (at->is_object() && at->contains(key)) {
            at = &at->at(key);
        } else if (is_index && std::stoul(key) < at->size()) {
            at = &at->at(std::stoul(key));
        } else {
            refuse_broken(node, "$ref", "\"" + target + "\" does not exist: there is no \"" + key + "\"");
        }
        i = end + 1;
    }
    if (!at->is_object() && !at->is_boolean())
        refuse_broken(node, "$ref", "\"" + target + "\" is not a schema");
    if (!paths_.contains(at)) paths_[at] = target;
    return at;
}

const Json* SchemaDocument::find_anchor(const Json& within, const std::string& anchor,
                                        const std::string& at) {
    if (within.is_object() && within.contains("$anchor") && within["$anchor"] == anchor) {
        paths_.try_emplace(&within, at);
        return &within;
    }
    if (!within.is_structured()) return nullptr;
    for (const auto& [key, value] : within.items()) {
        const Json* found = find_anchor(value, anchor, at + "/" + pointer_token(key));
        if (found != nullptr) return found;
    }
    return nullptr;
}

uint32_t SchemaDocument::kind_of(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return json_kind::kNull;
        case Json::value_t::boolean:
            return json_kind::kBoolean;
        case Json::value_t::string:
            return json_kind::kString;
        case Json::value_t::array:
            return json_kind::kArray;
        case Json::value_t::object:
            return json_kind::kObject;
        case Json::value_t::number_float: {
            const double number = value.get<double>();
            return number == std::floor(number) ? json_kind::kInteger : json_kind::kFraction;
        }
        default:
            return json_kind::kInteger;
    }
}

uint32_t SchemaDocument::kinds(const Json* node) const {
    static const std::map<std::string, uint32_t> names = {
        {"null", json_kind::kNull},     {"boolean", json_kind::kBoolean}, {"integer", json_kind::kInteger},
        {"number", json_kind::kNumber}, {"string", json_kind::kString},   {"array", json_kind::kArray},
        {"object", json_kind::kObject}};
    if (!node->is_object()) return json_kind::kAll;
    uint32_t mask = json_kind::kAll;
    if (made_.contains(node) && node->contains(negation_keyword::kKinds))
        mask = node->at(negation_keyword::kKinds).get<uint32_t>();
    if (!node->contains("type")) return mask;
    const auto kind_named = [&](const Json& name) {
        const auto known = name.is_string() ? names.find(name.get<std::string>()) : names.end();
        if (known == names.end())
            refuse_broken(
                node, "type",
                name.dump() + " is no type; there are null, boolean, integer, number, string, array, object");
        return known->second;
    };
    const Json& type = node->at("type");
    if (!type.is_array()) return mask & kind_named(type);
    uint32_t listed = 0;
    for (const Json& name : type) listed |= kind_named(name);
    return mask & listed;
}

bool SchemaDocument::Alternative::descends_from(size_t node, size_t ancestor) const {
    while (node != ancestor && parents[node] != node) node = parents[node];
    return node == ancestor;
}

// A list of nodes that is being taken apart.
struct SchemaDocument::Open {
    Alternative so_far;
    std::vector<std::pair<const Json*, uint32_t>> todo;  // node, and index of its parent
    std::vector<std::pair<Branches, uint32_t>> choices;  // still to be chosen from
    static constexpr uint32_t kNoParent = UINT32_MAX;
    bool is_impossible = false;
};

std::vector<SchemaDocument::Alternative> SchemaDocument::expand(const SchemaNodes& nodes) {
    Open open;
    for (const Json* node : nodes) open.todo.emplace_back(node, Open::kNoParent);
    std::vector<Alternative> alternatives;
    expand_open(std::move(open), alternatives);
    return alternatives;
}

void SchemaDocument::expand_open(Open open, std::vector<Alternative>& out) {
    while (!open.todo.empty() && !open.is_impossible) {
        const auto [node, parent] = open.todo.front();
        open.todo.erase(open.todo.begin());
        visit(open, node, parent);
    }
    if (open.is_impossible) return;
    if (open.choices.empty()) {
        if (out.size() >= kMaxAlternatives) {
            refuse(open.so_far.nodes.front(), "anyOf",
                   fmt::format("more than {} combinations with other anyOf, oneOf or if", kMaxAlternatives));
        }
        out.push_back(std::move(open.so_far));
        return;
    }
    const auto [branches, parent] = std::move(open.choices.back());
    open.choices.pop_back();
    for (const SchemaNodes& branch : branches) {
        Open next = open;
        for (const Json* node : branch) next.todo.emplace_back(node, parent);
        expand_open(std::move(next), out);
    }
}

void SchemaDocument::visit(Open& open, const Json* node, uint32_t parent) {
    if (++n_expanded_ > kMaxExpandedNodes)
        refuse(node, "$ref", "the schema has too many combinations of references and branches");
    if (node->is_boolean()) {
        open.is_impossible |= !node->get<bool>();
        return;
    }
    Alternative& so_far = open.so_far;
    const auto known = std::find(so_far.nodes.begin(), so_far.nodes.end(), node);
    if (known != so_far.nodes.end()) {
        const auto index = static_cast<size_t>(known - so_far.nodes.begin());
        if (parent != Open::kNoParent && so_far.descends_from(parent, index)) {
            refuse_broken(
                node, "$ref",
                "the schema refers to itself without going into a property or item, so it never ends");
        }
        return;
    }
    const auto index = static_cast<uint32_t>(so_far.nodes.size());
    so_far.nodes.push_back(node);
    so_far.parents.push_back(parent == Open::kNoParent ? index : parent);
    if (node->contains("$id") && node != &root_ && !is_made(node))
        refuse(node, "$id", "schemas with their own base address are not supported");
    for (const char* keyword : {"$dynamicRef", "$recursiveRef"}) {
        if (node->contains(keyword)) refuse(node, keyword, "only $ref is supported");
    }
    if (node->contains("$ref")) open.todo.emplace_back(reference_target(node), index);
    if (node->contains("allOf")) {
        if (!node->at("allOf").is_array()) refuse_broken(node, "allOf", "must be an array");
        for (size_t i = 0; i < node->at("allOf").size(); ++i)
            open.todo.emplace_back(child(node, "allOf", i), index);
    }
    for (const Branches& branches : branches_of(node)) open.choices.emplace_back(branches, index);
}

// What the node leaves to choose. Computed once per node, so that nodes made on the way stay the same ones.
const std::vector<SchemaDocument::Branches>& SchemaDocument::branches_of(const Json* node) {
    if (const auto known = branches_.find(node); known != branches_.end()) return known->second;
    std::vector<Branches> all;
    for (const char* keyword : {"anyOf", "oneOf"}) {
        if (!node->contains(keyword)) continue;
        if (!node->at(keyword).is_array() || node->at(keyword).empty())
            refuse_broken(node, keyword, "must be an array with at least one schema");
    }
    if (node->contains("anyOf")) {
        Branches& branches = all.emplace_back();
        for (size_t i = 0; i < node->at("anyOf").size(); ++i) branches.push_back({child(node, "anyOf", i)});
    }
    if (node->contains("oneOf")) all.push_back(one_of_branches(node));
    if (node->contains("not")) all.push_back(negated(child(node, "not")));
    if (const auto target = negation_targets_.find(node); target != negation_targets_.end())
        all.push_back(negated(target->second));
    if (node->contains("if") && (node->contains("then") || node->contains("else"))) {
        Branches& branches = all.emplace_back(1, SchemaNodes{child(node, "if")});
        if (node->contains("then")) branches[0].push_back(child(node, "then"));
        for (SchemaNodes otherwise : negated(child(node, "if"))) {
            if (node->contains("else")) otherwise.push_back(child(node, "else"));
            branches.push_back(std::move(otherwise));
        }
    }
    add_dependencies(node, all);
    return branches_[node] = std::move(all);
}

// Each entry reads: the property is absent, or it is there and the rest holds. Values that are no objects
// take the first branch.
void SchemaDocument::add_dependencies(const Json* node, std::vector<Branches>& out) {
    for (const char* keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
        if (!node->contains(keyword)) continue;
        if (!node->at(keyword).is_object()) refuse_broken(node, keyword, "must be an object");
        for (const auto& [name, rest] : node->at(keyword).items()) {
            const Json* present = add_node(
                Json{{negation_keyword::kKinds, json_kind::kObject}, {"required", Json::array({name})}},
                node);
            const Json* holds =
                rest.is_array() ? add_node(Json{{"required", rest}}, node) : child(node, keyword, name);
            const Json* absent = add_node(Json{{negation_keyword::kForbidden, Json::array({name})}}, node);
            out.push_back({{absent}, {present, holds}});
        }
    }
}

// Branch i holds and no other does. A branch that cannot hold together with i needs no negation.
SchemaDocument::Branches SchemaDocument::one_of_branches(const Json* node) {
    const size_t n = node->at("oneOf").size();
    Branches branches(n);
    for (size_t i = 0; i < n; ++i) {
        branches[i].push_back(child(node, "oneOf", i));
        for (size_t j = 0; j < n; ++j) {
            const Json* other = child(node, "oneOf", j);
            if (j == i || certainly_disjoint({branches[i][0], other}, kDisjointDepth)) continue;
            try {
                negated(other);
            } catch (const Error& error) {
                refuse(node, "oneOf",
                       fmt::format("branches {} and {} may hold at once, and the second cannot be excluded "
                                   "({}); use anyOf, or make them differ in a "
                                   "required property",
                                   i, j, error.what()));
            }
            branches[i].push_back(negation_of(other));
        }
    }
    return branches;
}

bool SchemaDocument::certainly_disjoint(const SchemaNodes& nodes, int depth) {
    const std::vector<Alternative> alternatives = expand(nodes);
    return std::ranges::all_of(alternatives, [&](const Alternative& alternative) {
        return certainly_impossible(alternative, depth);
    });
}

// Looks at kinds, at constants, and (for objects) at required properties.
bool SchemaDocument::certainly_impossible(const Alternative& alternative, int depth) {
    uint32_t mask = json_kind::kAll;
    const Json* values = nullptr;
    for (const Json* node : alternative.nodes) {
        mask &= kinds(node);
        const Json* listed = node->contains("const") ? &node->at("const") : nullptr;
        const auto allows = [&](const Json& value) {
            return listed != nullptr
                       ? value == *listed
                       : !node->contains("enum") ||
                             std::ranges::find(node->at("enum"), value) != node->at("enum").end();
        };
        if (values != nullptr && std::ranges::none_of(*values, allows)) return true;
        if (values == nullptr && node->contains("enum") && node->at("enum").is_array())
            values = &node->at("enum");
    }
    for (const Json* node : alternative.nodes) {
        if (!node->contains("const")) continue;
        mask &= kind_of(node->at("const"));
        for (const Json* other : alternative.nodes) {
            if (other->contains("const") && other->at("const") != node->at("const")) return true;
            if (other->contains("enum") &&
                std::ranges::find(other->at("enum"), node->at("const")) == other->at("enum").end())
                return true;
        }
    }
    if (values != nullptr &&
        std::ranges::none_of(*values, [&](const Json& value) { return (kind_of(value) & mask) != 0; }))
        return true;
    if (mask == 0) return true;
    if (mask != json_kind::kObject || depth == 0) return false;
    for (const Json* node : alternative.nodes) {
        if (!node->contains("required") || !node->at("required").is_array()) continue;
        for (const Json& name : node->at("required")) {
            SchemaNodes holds;
            for (const Json* other : alternative.nodes) {
                const bool declares = other->contains("properties") && other->at("properties").is_object() &&
                                      name.is_string() &&
                                      other->at("properties").contains(name.get<std::string>());
                if (declares) holds.push_back(child(other, "properties", name.get<std::string>()));
            }
            if (!holds.empty() && certainly_disjoint(holds, depth - 1)) return true;
        }
    }
    return false;
}

}  // namespace cria::grammar
