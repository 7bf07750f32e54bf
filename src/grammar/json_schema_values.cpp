// Listed values, numbers and strings.
#include <algorithm>

#include "base/error.h"
#include "grammar/json_formats.h"
#include "grammar/json_numbers.h"
#include "grammar/json_schema_compiler.h"
#include "grammar/json_value_check.h"
#include "grammar/regex.h"

namespace cria::grammar {

// The values that enum or const list; nothing when neither stands there and the kinds are not few either.
std::optional<std::vector<Json>> SchemaCompiler::values_of(const Alternative& alternative) {
    for (const Json* node : alternative.nodes) {
        if (node->contains("const")) return std::vector<Json>{node->at("const")};
        if (!node->contains("enum")) continue;
        if (!node->at("enum").is_array()) document_.refuse_broken(node, "enum", "must be an array");
        return std::vector<Json>(node->at("enum").begin(), node->at("enum").end());
    }
    return std::nullopt;
}

ExprId SchemaCompiler::listed_values(const Alternative& alternative, const std::vector<Json>& values) {
    std::vector<ExprId> choices;
    for (const Json& value : values) {
        if (satisfies(document_, value, alternative.nodes)) choices.push_back(constant(value));
    }
    return grammar_.choice(std::move(choices));
}

ExprId SchemaCompiler::constant(const Json& value) {
    if (!value.is_structured()) return text(value.dump());
    std::vector<ExprId> parts = {text(value.is_array() ? "[" : "{"), space()};
    for (const auto& [key, member] : value.items()) {
        if (parts.size() > 2) parts.insert(parts.end(), {text(","), space()});
        if (value.is_object()) parts.insert(parts.end(), {text(Json(key).dump()), text(":"), space()});
        parts.push_back(constant(member));
    }
    if (!value.empty()) parts.push_back(space());
    parts.push_back(text(value.is_array() ? "]" : "}"));
    return grammar_.sequence(std::move(parts));
}

bool SchemaCompiler::is_excluded(const Alternative& alternative, const Json& value) const {
    const std::vector<Json> values = excluded(alternative, SchemaDocument::kind_of(value));
    return std::ranges::any_of(values, [&](const Json& other) { return json_equal(value, other); });
}

std::vector<Json> SchemaCompiler::excluded(const Alternative& alternative, uint32_t kinds) const {
    std::vector<Json> values;
    for (const Json* node : alternative.nodes) {
        if (!document_.is_made(node) || !node->contains(negation_keyword::kExcluded)) continue;
        for (const Json& value : node->at(negation_keyword::kExcluded)) {
            if ((SchemaDocument::kind_of(value) & kinds) != 0) values.push_back(value);
        }
    }
    return values;
}

ExprId SchemaCompiler::numbers(const Alternative& alternative, uint32_t kinds) {
    static constexpr const char* kKeywords[] = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
                                                "multipleOf"};
    const std::vector<Json> not_these = excluded(alternative, json_kind::kNumber);
    const bool is_bounded =
        !not_these.empty() || std::ranges::any_of(alternative.nodes, [](const Json* node) {
            return std::ranges::any_of(kKeywords, [&](const char* key) { return node->contains(key); });
        });
    StringSet set = kinds == json_kind::kInteger    ? integer_decimals()
                    : kinds == json_kind::kFraction ? fractional_decimals()
                                                    : all_decimals();
    if (!is_bounded && kinds == json_kind::kNumber) {
        static const StringSet with_exponents =
            Regex::compile("-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?").language(RegexUse::whole);
        return grammar_.strings(with_exponents, StringEncoding::plain);
    }
    for (const Json* node : alternative.nodes) narrow_by_bounds(set, node);
    for (const Json& value : not_these)
        set = set.intersected(decimals_equal_to(Decimal::of(value)).complement());
    return grammar_.strings(std::move(set), StringEncoding::plain);
}

void SchemaCompiler::narrow_by_bounds(StringSet& set, const Json* node) {
    const auto bound = [&](const char* key) -> std::optional<Decimal> {
        if (!node->contains(key) || node->at(key).is_boolean()) return std::nullopt;
        if (!node->at(key).is_number()) document_.refuse_broken(node, key, "must be a number");
        return Decimal::of(node->at(key));
    };
    // Draft 4 wrote exclusiveMinimum as a flag beside minimum.
    if (const auto least = bound("minimum"))
        set = set.intersected(decimals_at_least(*least, is_true(node, "exclusiveMinimum")));
    if (const auto most = bound("maximum"))
        set = set.intersected(decimals_at_most(*most, is_true(node, "exclusiveMaximum")));
    if (const auto least = bound("exclusiveMinimum")) set = set.intersected(decimals_at_least(*least, true));
    if (const auto most = bound("exclusiveMaximum")) set = set.intersected(decimals_at_most(*most, true));
    const auto divisor = bound("multipleOf");
    if (!divisor) return;
    if (divisor->is_negative || divisor->text() == "0")
        document_.refuse_broken(node, "multipleOf", "must be above 0");
    if (!divisor->is_integer() || divisor->whole.size() > 4 || std::stoul(divisor->whole) > kMaxDivisor) {
        document_.refuse(node, "multipleOf",
                         fmt::format("only whole numbers up to {} are supported", kMaxDivisor));
    }
    set = set.intersected(integer_multiples(static_cast<uint32_t>(std::stoul(divisor->whole))));
}

std::optional<StringSet> SchemaCompiler::string_set(const Alternative& alternative, CountRange& length) {
    length = count_range(alternative, "minLength", "maxLength");
    std::optional<StringSet> set;
    const auto narrow = [&](const StringSet& other) { set = set ? set->intersected(other) : other; };
    const auto pattern_set = [&](const Json* node, const char* key) {
        if (!node->at(key).is_string()) document_.refuse_broken(node, "pattern", "must be a string");
        try {
            return Regex::compile(node->at(key).get<std::string>()).language(RegexUse::search);
        } catch (const Error& error) {
            error.code() == ErrorCode::unsupported ? document_.refuse(node, "pattern", error.what())
                                                   : document_.refuse_broken(node, "pattern", error.what());
        }
    };
    const auto format_set = [&](const Json* node, const char* key) -> std::optional<StringSet> {
        if (!node->at(key).is_string()) document_.refuse_broken(node, "format", "must be a string");
        const std::string name = node->at(key).get<std::string>();
        if (format_status(name) == FormatStatus::refused)
            document_.refuse(node, "format", "\"" + name + "\" is not supported");
        if (format_status(name) == FormatStatus::unknown) return std::nullopt;
        return format_strings(name);
    };
    for (const Json* node : alternative.nodes) {
        if (node->contains("pattern")) narrow(pattern_set(node, "pattern"));
        if (node->contains("format")) {
            if (const auto strings = format_set(node, "format")) narrow(*strings);
        }
        if (!document_.is_made(node)) continue;
        if (node->contains(negation_keyword::kNotPattern))
            narrow(pattern_set(node, negation_keyword::kNotPattern).complement());
        if (node->contains(negation_keyword::kNotFormat)) {
            const auto strings = format_set(node, negation_keyword::kNotFormat);
            // format_strings() holds only a well-formed part, so what lies outside may still be of the
            // format.
            document_.refuse(
                node, "format",
                strings ? "a format cannot be excluded" : "an unknown format cannot be excluded");
        }
    }
    std::vector<std::string> not_these;
    for (const Json& value : excluded(alternative, json_kind::kString))
        not_these.push_back(value.get<std::string>());
    if (!not_these.empty()) narrow(StringSet::of(not_these).complement());
    if (set && (length.min > 0 || length.max))
        narrow(length.is_empty() ? StringSet() : StringSet::with_length(length.min, length.max));
    return set;
}

ExprId SchemaCompiler::strings(const Alternative& alternative) {
    CountRange length;
    if (auto set = string_set(alternative, length)) {
        return set->empty() ? grammar_.choice({}) : grammar_.strings(std::move(*set), StringEncoding::json);
    }
    if (length.min == 0 && !length.max) return any_string();
    return grammar_.sequence({text("\""), counted(string_character(), length), text("\"")});
}

StringSet SchemaCompiler::all_strings(const SchemaNodes& nodes) {
    StringSet all;
    for (const Alternative& alternative : document_.expand(nodes)) {
        if (const auto values = values_of(alternative)) {
            std::vector<std::string> names;
            for (const Json& value : *values) {
                if (value.is_string() && satisfies(document_, value, alternative.nodes))
                    names.push_back(value.get<std::string>());
            }
            all = all.united(StringSet::of(names));
        } else if ((kinds(alternative) & json_kind::kString) != 0) {
            CountRange length;
            const auto set = string_set(alternative, length);
            all = all.united(set                 ? *set
                             : length.is_empty() ? StringSet()
                                                 : StringSet::with_length(length.min, length.max));
        }
    }
    return all;
}

}  // namespace cria::grammar
