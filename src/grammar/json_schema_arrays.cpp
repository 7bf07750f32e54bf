// Arrays: a prefix with schemas of its own, a rest, counts, contains and uniqueItems.
#include <algorithm>
#include <bit>

#include "grammar/json_schema_compiler.h"
#include "grammar/json_value_check.h"

namespace cria::grammar {
namespace {

// The expression of a prefix nests once per item.
constexpr size_t kMaxPrefix = 200;
// uniqueItems remembers which values have been written: one rule per subset.
constexpr size_t kMaxUniqueValues = 8;

}  // namespace

struct SchemaCompiler::ArrayShape {
    std::vector<SchemaNodes> prefix;
    SchemaNodes rest;
    CountRange size;
    const Json* contains_node = nullptr;
    const Json* contains = nullptr;
    CountRange found{1, std::nullopt};
    const Json* unique_node = nullptr;
};

SchemaCompiler::ArrayShape SchemaCompiler::array_shape(const Alternative& alternative) {
    ArrayShape shape;
    shape.size = count_range(alternative, "minItems", "maxItems");
    bool has_rest = false;
    for (const Json* node : alternative.nodes) {
        const bool is_old = node->contains("items") && node->at("items").is_array();  // draft 7
        const char* prefix = is_old ? "items" : "prefixItems";
        const char* rest = is_old ? "additionalItems" : "items";
        if (node->contains(prefix)) {
            if (!node->at(prefix).is_array()) document_.refuse_broken(node, prefix, "must be an array");
            if (node->at(prefix).size() > kMaxPrefix)
                document_.refuse(node, prefix, fmt::format("more than {} schemas", kMaxPrefix));
            shape.prefix.resize(std::max(shape.prefix.size(), node->at(prefix).size()));
        }
        has_rest |= node->contains(rest);
        if (is_true(node, "uniqueItems")) shape.unique_node = node;
        if (!node->contains("contains")) continue;
        shape.found = {node->contains("minContains") ? count(node, "minContains") : 1, std::nullopt};
        if (node->contains("maxContains")) shape.found.max = count(node, "maxContains");
        if (shape.found.min == 0 && !shape.found.max) continue;
        if (shape.contains != nullptr)
            document_.refuse(node, "contains", "more than one contains for the same array is not supported");
        shape.contains_node = node;
        shape.contains = document_.child(node, "contains");
    }
    for (const Json* node : alternative.nodes) {
        const bool is_old = node->contains("items") && node->at("items").is_array();
        const char* prefix = is_old ? "items" : "prefixItems";
        const char* rest = is_old ? "additionalItems" : "items";
        const size_t n_prefix = node->contains(prefix) ? node->at(prefix).size() : 0;
        for (size_t i = 0; i < shape.prefix.size(); ++i) {
            if (i < n_prefix) {
                shape.prefix[i].push_back(document_.child(node, prefix, i));
            } else if (node->contains(rest)) {
                shape.prefix[i].push_back(document_.child(node, rest));
            }
        }
        if (node->contains(rest)) shape.rest.push_back(document_.child(node, rest));
    }
    if (leaves_out_unevaluated(alternative, "unevaluatedItems") && !has_rest) {
        shape.size.max = std::min<uint64_t>(shape.size.max.value_or(UINT64_MAX), shape.prefix.size());
    }
    return shape;
}

ExprId SchemaCompiler::array(const Alternative& alternative) {
    const ArrayShape shape = array_shape(alternative);
    for (const Json& value : excluded(alternative, json_kind::kArray)) {
        document_.refuse(alternative.nodes.front(), "not",
                         "the array " + value.dump() + " cannot be excluded");
    }
    if (shape.size.is_empty()) return grammar_.choice({});
    if (shape.unique_node != nullptr && shape.size.max.value_or(2) > 1)
        return unique_array(shape, alternative);
    return shape.contains != nullptr ? containing_array(shape) : plain_array(shape);
}

ExprId SchemaCompiler::item(const ArrayShape& shape, size_t index) {
    return value(index < shape.prefix.size() ? shape.prefix[index] : shape.rest);
}

ExprId SchemaCompiler::plain_array(const ArrayShape& shape) {
    const uint64_t min = shape.size.min;
    const uint64_t max = shape.size.max.value_or(UINT64_MAX);
    const size_t n_prefix = std::max<size_t>(shape.prefix.size(),
                                             1);  // without prefix, the first item is still one without comma
    const ExprId comma = grammar_.sequence({text(","), space()});
    const ExprId empty = grammar_.sequence({text("["), space(), text("]")});
    if (max == 0) return empty;
    ExprId rest = text("");
    if (max > n_prefix) {
        CountRange more{min > n_prefix ? min - n_prefix : 0, std::nullopt};
        if (shape.size.max) more.max = max - n_prefix;
        rest = counted(grammar_.sequence({comma, value(shape.rest)}), more);
    }
    for (size_t i = n_prefix - 1; i > 0; --i) {
        rest = i >= max ? text("") : grammar_.sequence({comma, item(shape, i), rest});
        if (i >= min && i < max) rest = grammar_.optional(rest);
    }
    const ExprId filled = grammar_.sequence({text("["), space(), item(shape, 0), rest, space(), text("]")});
    return min == 0 ? grammar_.choice({empty, filled}) : filled;
}

// A rule per number of items so far (as far as it matters) and number of found ones.
ExprId SchemaCompiler::containing_array(const ArrayShape& shape) {
    const uint64_t last =
        shape.size.max.value_or(std::max<uint64_t>({shape.prefix.size(), shape.size.min, 1}));
    const uint64_t most = shape.found.max.value_or(shape.found.min);
    std::map<std::pair<uint64_t, uint64_t>, RuleId> states;
    std::vector<std::pair<uint64_t, uint64_t>> todo;
    const auto state = [&](uint64_t n_items, uint64_t n_found) {
        const std::pair key{n_items, n_found};
        const auto [known, is_new] = states.try_emplace(key, 0);
        if (is_new) {
            known->second = new_rule(document_.path(shape.contains_node) + "/contains");
            todo.push_back(key);
        }
        return grammar_.rule(known->second);
    };
    const ExprId start = grammar_.sequence({text("["), space(), state(0, 0)});
    while (!todo.empty()) {
        const auto [n_items, n_found] = todo.back();
        todo.pop_back();
        std::vector<ExprId> choices;
        if (n_items >= shape.size.min && n_found >= shape.found.min)
            choices.push_back(grammar_.sequence({n_items > 0 ? space() : text(""), text("]")}));
        if (!shape.size.max || n_items < last) {
            const ExprId before = n_items > 0 ? grammar_.sequence({text(","), space()}) : text("");
            const uint64_t next = std::min(n_items + 1, last);
            SchemaNodes found = n_items < shape.prefix.size() ? shape.prefix[n_items] : shape.rest;
            SchemaNodes other = found;
            found.push_back(shape.contains);
            if (shape.found.max) other.push_back(document_.negation_of(shape.contains));
            choices.push_back(grammar_.sequence({before, value(other), state(next, n_found)}));
            if (!shape.found.max || n_found < most) {
                choices.push_back(
                    grammar_.sequence({before, value(found), state(next, std::min(n_found + 1, most))}));
            }
        }
        grammar_.define(states.at({n_items, n_found}), grammar_.choice(std::move(choices)));
    }
    return start;
}

// Each of a few listed values at most once: a rule per subset that has been written.
ExprId SchemaCompiler::unique_array(const ArrayShape& shape, const Alternative&) {
    if (!shape.prefix.empty() || shape.contains != nullptr)
        document_.refuse(shape.unique_node, "uniqueItems",
                         "not supported together with prefixItems or contains");
    std::vector<Json> values;
    bool is_listed = !shape.rest.empty();
    for (const Alternative& alternative : document_.expand(shape.rest)) {
        std::optional<std::vector<Json>> listed = values_of(alternative);
        if (!listed && (kinds(alternative) & ~(json_kind::kNull | json_kind::kBoolean)) == 0)
            listed = std::vector<Json>{nullptr, false, true};
        is_listed &= listed.has_value();
        for (const Json& value : listed.value_or(std::vector<Json>{})) {
            const bool is_known =
                std::ranges::any_of(values, [&](const Json& other) { return json_equal(value, other); });
            if (!is_known && satisfies(document_, value, alternative.nodes)) values.push_back(value);
        }
    }
    if (!is_listed || values.size() > kMaxUniqueValues) {
        document_.refuse(
            shape.unique_node, "uniqueItems",
            fmt::format("only supported for items that are listed by enum or const, at most {} of them",
                        kMaxUniqueValues));
    }
    std::vector<RuleId> rules;
    for (size_t used = 0; used < size_t{1} << values.size(); ++used)
        rules.push_back(new_rule(document_.path(shape.unique_node) + "/uniqueItems"));
    for (uint32_t used = 0; used < rules.size(); ++used) {
        const auto n_used = static_cast<uint64_t>(std::popcount(used));
        std::vector<ExprId> choices;
        if (n_used >= shape.size.min)
            choices.push_back(grammar_.sequence({used != 0 ? space() : text(""), text("]")}));
        for (size_t i = 0; i < values.size() && n_used < shape.size.max.value_or(UINT64_MAX); ++i) {
            if ((used >> i & 1) != 0) continue;
            const ExprId before = used != 0 ? grammar_.sequence({text(","), space()}) : text("");
            choices.push_back(
                grammar_.sequence({before, constant(values[i]), grammar_.rule(rules[used | 1u << i])}));
        }
        grammar_.define(rules[used], grammar_.choice(std::move(choices)));
    }
    return grammar_.sequence({text("["), space(), grammar_.rule(rules[0])});
}

}  // namespace cria::grammar
