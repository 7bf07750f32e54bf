// Keyword by keyword. Numbers are compared as double, which the listed values of schemas survive.
#include "grammar/json_value_check.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "grammar/json_formats.h"
#include "grammar/regex.h"

namespace cria::grammar {
namespace {

uint64_t n_code_points(const std::string& text) {
    return static_cast<uint64_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

bool text_matches(const Json& pattern, const std::string& text) {
    return Regex::compile(pattern.get<std::string>()).search(text).has_value();
}

class ValueCheck {
  public:
    explicit ValueCheck(SchemaDocument& document) : document_(document) {}

    // Recursion over references ends because expand() has refused loops, and goes down in the value
    // everywhere else.
    bool holds(const Json& value, const Json* node) {
        const std::vector<SchemaDocument::Alternative> alternatives = document_.expand({node});
        return std::ranges::any_of(alternatives, [&](const auto& alternative) {
            return std::ranges::all_of(alternative.nodes,
                                       [&](const Json* flat) { return holds_flat(value, flat); });
        });
    }

  private:
    bool holds_flat(const Json& value, const Json* node) {
        if ((SchemaDocument::kind_of(value) & document_.kinds(node)) == 0) return false;
        if (node->contains("const") && !json_equal(value, node->at("const"))) return false;
        if (node->contains("enum") && !listed(value, node->at("enum"))) return false;
        if (document_.is_made(node) && node->contains(negation_keyword::kExcluded) &&
            listed(value, node->at(negation_keyword::kExcluded)))
            return false;
        if (value.is_number()) return number_holds(value.get<double>(), *node);
        if (value.is_string()) return string_holds(value.get<std::string>(), node);
        if (value.is_array()) return array_holds(value, node);
        return !value.is_object() || object_holds(value, node);
    }

    static bool listed(const Json& value, const Json& values) {
        return std::ranges::any_of(values, [&](const Json& other) { return json_equal(value, other); });
    }

    // The limit under a keyword, or `otherwise`.
    static double limit(const Json& node, const char* key, double otherwise) {
        return node.contains(key) && node.at(key).is_number() ? node.at(key).get<double>() : otherwise;
    }

    static bool number_holds(double number, const Json& node) {
        if (number < limit(node, "minimum", -INFINITY) || number > limit(node, "maximum", INFINITY))
            return false;
        if (number <= limit(node, "exclusiveMinimum", -INFINITY) ||
            number >= limit(node, "exclusiveMaximum", INFINITY))
            return false;
        const double divisor = limit(node, "multipleOf", 0);
        return divisor == 0 || std::floor(number / divisor) == number / divisor;
    }

    bool string_holds(const std::string& text, const Json* node) {
        const auto length = static_cast<double>(n_code_points(text));
        if (length < limit(*node, "minLength", 0) || length > limit(*node, "maxLength", INFINITY))
            return false;
        if (node->contains("pattern") && !text_matches(node->at("pattern"), text)) return false;
        if (node->contains("format") && !format_holds(node->at("format"), text, node)) return false;
        if (!document_.is_made(node)) return true;
        if (node->contains(negation_keyword::kNotPattern) &&
            text_matches(node->at(negation_keyword::kNotPattern), text))
            return false;
        return !node->contains(negation_keyword::kNotFormat) ||
               !format_holds(node->at(negation_keyword::kNotFormat), text, node);
    }

    bool format_holds(const Json& format, const std::string& text, const Json* node) {
        const std::string name = format.get<std::string>();
        if (format_status(name) == FormatStatus::refused)
            document_.refuse(node, "format", "\"" + name + "\" is not supported");
        return format_status(name) == FormatStatus::unknown || format_strings(name).contains(text);
    }

    bool array_holds(const Json& value, const Json* node) {
        const auto size = static_cast<double>(value.size());
        if (size < limit(*node, "minItems", 0) || size > limit(*node, "maxItems", INFINITY)) return false;
        const bool is_old = node->contains("items") && node->at("items").is_array();
        const char* prefix = is_old ? "items" : "prefixItems";
        const char* rest = is_old ? "additionalItems" : "items";
        const size_t n_prefix = node->contains(prefix) ? node->at(prefix).size() : 0;
        for (size_t i = 0; i < value.size(); ++i) {
            if (i < n_prefix ? !holds(value[i], document_.child(node, prefix, i))
                             : node->contains(rest) && !holds(value[i], document_.child(node, rest)))
                return false;
        }
        if (node->contains("uniqueItems") && node->at("uniqueItems") == true) {
            for (size_t i = 0; i < value.size(); ++i) {
                for (size_t j = 0; j < i; ++j) {
                    if (json_equal(value[i], value[j])) return false;
                }
            }
        }
        if (!node->contains("contains")) return true;
        const Json* wanted = document_.child(node, "contains");
        const auto n_found = static_cast<double>(
            std::ranges::count_if(value, [&](const Json& item) { return holds(item, wanted); }));
        return n_found >= limit(*node, "minContains", 1) && n_found <= limit(*node, "maxContains", INFINITY);
    }

    bool object_holds(const Json& value, const Json* node) {
        const auto size = static_cast<double>(value.size());
        if (size < limit(*node, "minProperties", 0) || size > limit(*node, "maxProperties", INFINITY))
            return false;
        const auto has = [&](const Json& name) { return value.contains(name.get<std::string>()); };
        if (node->contains("required") && !std::ranges::all_of(node->at("required"), has)) return false;
        if (document_.is_made(node) && node->contains(negation_keyword::kForbidden) &&
            std::ranges::any_of(node->at(negation_keyword::kForbidden), has))
            return false;
        for (const auto& [name, property] : value.items()) {
            if (!property_holds(name, property, node)) return false;
            if (node->contains("propertyNames") && !holds(Json(name), document_.child(node, "propertyNames")))
                return false;
        }
        return true;
    }

    bool property_holds(const std::string& name, const Json& property, const Json* node) {
        bool is_named = false;
        if (node->contains("properties") && node->at("properties").contains(name)) {
            is_named = true;
            if (!holds(property, document_.child(node, "properties", name))) return false;
        }
        if (node->contains("patternProperties")) {
            for (const auto& [pattern, schema] : node->at("patternProperties").items()) {
                if (!text_matches(pattern, name)) continue;
                is_named = true;
                if (!holds(property, document_.child(node, "patternProperties", pattern))) return false;
            }
        }
        return is_named || !node->contains("additionalProperties") ||
               holds(property, document_.child(node, "additionalProperties"));
    }

    SchemaDocument& document_;
};

}  // namespace

bool json_equal(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) return a == b || a.get<double>() == b.get<double>();
    if (a.type() != b.type()) return false;
    if (a.is_array()) return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), json_equal);
    if (!a.is_object()) return a == b;
    return a.size() == b.size() && std::ranges::all_of(a.items(), [&](const auto& entry) {
               return b.contains(entry.key()) && json_equal(entry.value(), b.at(entry.key()));
           });
}

bool satisfies(SchemaDocument& document, const Json& value, const SchemaNodes& nodes) {
    ValueCheck check(document);
    return std::ranges::all_of(nodes, [&](const Json* node) { return check.holds(value, node); });
}

}  // namespace cria::grammar
