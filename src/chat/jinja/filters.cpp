// Filters on text, numbers and single values, and the list of all filters. Those on sequences are in
// filters_sequence.cpp.
#include "chat/jinja/filters.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "chat/jinja/names.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

Value filter_abs(Engine&, const Value& self, const CallArgs&) {
    if (self.is_undefined()) raise_undefined(self);
    if (self.is_float()) return std::fabs(self.as_double());
    if (!self.is_integral()) raise("TypeError", "bad operand type for abs(): '{}'", self.type_name());
    return self.as_int() < 0 ? negated(self, UnaryOp::minus) : Value(self.as_int());
}

Value filter_attr(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("attr", args, {"name"});
    return self.is_dict() ? Value::undefined(
                                fmt::format("'dict object' has no attribute {}", quoted_text(bound.text(0))))
                          : get_attribute(self, bound.text(0));
}

Value filter_capitalize(Engine& engine, const Value& self, const CallArgs&) {
    return capitalized(engine.text_of(self));
}
Value filter_lower(Engine& engine, const Value& self, const CallArgs&) {
    return to_lower(engine.text_of(self));
}
Value filter_upper(Engine& engine, const Value& self, const CallArgs&) {
    return to_upper(engine.text_of(self));
}
Value filter_string(Engine& engine, const Value& self, const CallArgs&) {
    return self.is_string() ? self : Value(engine.text_of(self));
}

Value filter_center(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("center", args, {"width"});
    return justified(engine, engine.text_of(self), {.width = bound.integer(0, 80), .align = '^'});
}

Value filter_default(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("default", args, {"default_value", "boolean"});
    const bool is_missing = self.is_undefined() || (bound.flag(1, false) && !self.is_true());
    if (!is_missing) return self;
    return bound.get(0) ? *bound.get(0) : Value("");
}

Value filter_escape(Engine& engine, const Value& self, const CallArgs&) {
    return self.is_markup() ? self : Value::markup(html_escaped(engine.text_of(self)));
}
Value filter_forceescape(Engine& engine, const Value& self, const CallArgs&) {
    return Value::markup(html_escaped(engine.text_of(self)));
}

Value filter_filesizeformat(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("filesizeformat", args, {"binary"});
    const bool is_binary = bound.flag(0, false);
    const double base = is_binary ? 1024 : 1000;
    double size = self.is_number() ? self.as_double() : std::strtod(self.text().c_str(), nullptr);
    if (size == 1) return "1 Byte";
    if (size < base) return fmt::format("{} Bytes", static_cast<int64_t>(size));
    constexpr std::string_view kPrefixes = "kMGTPEZY";
    size_t prefix = 0;
    for (size /= base; size >= base && prefix + 1 < kPrefixes.size(); ++prefix) size /= base;
    const char letter = is_binary && prefix == 0 ? 'K' : kPrefixes[prefix];
    return fmt::format("{:.1f} {}{}", size, letter, is_binary ? "iB" : "B");
}

// A number from text as Python reads it: surrounding white space and single underscores are allowed.
std::optional<double> read_float(const std::string& text) {
    std::string digits(stripped(text, Side::both));
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    if (digits.empty() || digits.find_first_of("xXpP") != std::string::npos) return std::nullopt;
    char* end = nullptr;
    const double number = std::strtod(digits.c_str(), &end);
    if (end != digits.c_str() + digits.size()) return std::nullopt;
    return number;
}

Value filter_float(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("float", args, {"default"});
    if (self.is_number()) return self.as_double();
    const auto number = self.is_string() ? read_float(self.as_string()) : std::nullopt;
    if (number) return *number;
    return bound.get(0) ? *bound.get(0) : Value(0.0);
}

std::optional<int64_t> read_int(std::string_view text, int base) {
    std::string digits(stripped(text, Side::both));
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    if (digits.empty() || base < 0 || base == 1 || base > 36) return std::nullopt;
    if (base == 2 || base == 8) {
        const size_t sign = digits[0] == '-' || digits[0] == '+' ? 1 : 0;
        const char prefix = base == 2 ? 'b' : 'o';
        if (digits.size() > sign + 2 && digits[sign] == '0' && (digits[sign + 1] | 0x20) == prefix)
            digits.erase(sign, 2);
    }
    char* end = nullptr;
    errno = 0;
    const long long number = std::strtoll(digits.c_str(), &end, base);
    if (end != digits.c_str() + digits.size() || errno != 0) return std::nullopt;
    return number;
}

Value filter_int(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("int", args, {"default", "base"});
    const Value fallback = bound.get(0) ? *bound.get(0) : Value(int64_t{0});
    if (self.is_integral()) return self.as_int();
    if (self.is_float())
        return std::fabs(self.as_double()) < 9.2e18 ? Value(static_cast<int64_t>(self.as_double()))
                                                    : fallback;
    if (!self.is_string()) return fallback;
    const int64_t base = bound.integer(1, 10);
    if (base >= 0 && base <= 36) {
        if (const auto number = read_int(self.as_string(), static_cast<int>(base))) return *number;
    }
    const auto number = read_float(self.as_string());
    return number && std::fabs(*number) < 9.2e18 ? Value(static_cast<int64_t>(*number)) : fallback;
}

Value filter_format(Engine& engine, const Value& self, const CallArgs& args) {
    const std::string format = engine.text_of(self);
    if (args.named.empty())
        return format_percent(engine, format, Value::list(args.positional, ListKind::tuple));
    Dict named;
    for (const auto& [name, value] : args.named) named.set(name, value);
    return format_percent(engine, format, named);
}

Value filter_indent(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("indent", args, {"width", "first", "blank"});
    const bool has_text = bound.get(0) && bound.get(0)->is_string();
    const int64_t width = has_text ? 0 : std::max<int64_t>(bound.integer(0, 4), 0);
    engine.charge(width);
    const std::string prefix =
        has_text ? bound.get(0)->as_string() : std::string(static_cast<size_t>(width), ' ');
    const std::string text = engine.text_of(self);
    const auto n_lines = static_cast<int64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    engine.charge(n_lines * static_cast<int64_t>(prefix.size()));
    std::string result = bound.flag(1, false) ? prefix : "";
    for (size_t at = 0, line = 0; at <= text.size(); ++line) {
        const size_t end = std::min(text.find('\n', at), text.size());
        if (line > 0) {
            result += '\n';
            if (end > at || bound.flag(2, false)) result += prefix;
        }
        result.append(text, at, end - at);
        at = end + 1;
    }
    return result;
}

Value filter_replace(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("replace", args, {"old", "new", "count"});
    const bool all = !bound.get(2) || bound.get(2)->is_none();
    return replaced(engine, engine.text_of(self), engine.text_of(bound.need(0)),
                    engine.text_of(bound.need(1)), all ? -1 : bound.integer(2, -1));
}

// Decimal rounding through the printed form, as Python does it: exact ties go to the even digit.
double rounded(double number, int precision) {
    if (!std::isfinite(number)) return number;
    if (precision >= 0)
        return std::strtod(fmt::format("{:.{}f}", number, std::min(precision, 300)).c_str(), nullptr);
    const double scale = std::pow(10.0, std::min(-precision, 300));
    return std::nearbyint(number / scale) * scale;
}

Value filter_round(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("round", args, {"precision", "method"});
    if (self.is_undefined()) raise_undefined(self);
    if (!self.is_number()) raise("TypeError", "type {} doesn't define __round__ method", self.type_name());
    const auto precision = static_cast<int>(std::clamp<int64_t>(bound.integer(0, 0), -300, 300));
    const std::string method = bound.get(1) ? bound.text(1) : "common";
    if (method == "common") {
        if (self.is_integral() && precision >= 0) return self.as_int();
        return rounded(self.as_double(), precision);
    }
    const double scale = std::pow(10.0, precision);
    if (method == "ceil") return std::ceil(self.as_double() * scale) / scale;
    if (method == "floor") return std::floor(self.as_double() * scale) / scale;
    raise("FilterArgumentError", "method must be common, ceil or floor");
}

Value filter_striptags(Engine& engine, const Value& self, const CallArgs&) {
    const std::string text = engine.text_of(self);
    std::string plain;
    for (size_t at = 0; at < text.size();) {
        const size_t open = text[at] == '<' ? at : std::string::npos;
        const bool is_comment = text.compare(at, 4, "<!--") == 0;
        const size_t close = open == std::string::npos ? open : text.find(is_comment ? "-->" : ">", at);
        if (close == std::string::npos) {
            plain += text[at++];
        } else {
            at = close + (is_comment ? 3 : 1);
        }
    }
    std::string result;
    for (const std::string_view word : split_words(plain)) {
        if (!result.empty()) result += ' ';
        result += word;
    }
    return result;
}

Value filter_title(Engine& engine, const Value& self, const CallArgs&) {
    const std::string text = engine.text_of(self);
    std::string result;
    bool at_start = true;
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        append_char(result, at_start ? upper_of(here.code) : lower_of(here.code));
        at_start = is_space(here.code) ||
                   (here.code < 0x80 &&
                    std::string_view("-({[<").find(static_cast<char>(here.code)) != std::string_view::npos);
        at += here.bytes;
    }
    return result;
}

Value filter_tojson(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("tojson", args, {"ensure_ascii", "indent", "separators", "sort_keys"});
    JsonStyle style{.sort_keys = bound.flag(3, false), .ensure_ascii = bound.flag(0, false)};
    if (const Value* indent = bound.get(1); indent && !indent->is_none()) {
        constexpr int64_t kMaxIndent = 32;
        style.indent =
            indent->is_string()
                ? indent->as_string()
                : std::string(static_cast<size_t>(std::clamp<int64_t>(bound.integer(1, 0), 0, kMaxIndent)),
                              ' ');
        style.item_separator = ",";
    }
    if (const Value* separators = bound.get(2); separators && !separators->is_none()) {
        const std::vector<Value> parts = engine.items_of(*separators);
        if (parts.size() != 2) raise("ValueError", "tojson: separators must be two texts");
        style.item_separator = need_text(parts[0], "tojson");
        style.key_separator = need_text(parts[1], "tojson");
    }
    const auto extent = self.extent();
    const auto per_item = static_cast<int64_t>(style.indent.size()) * extent.depth +
                          static_cast<int64_t>(style.item_separator.size() + style.key_separator.size());
    engine.charge(extent.weight * 2 + extent.weight / 8 * per_item);
    return to_json(self, style);
}

Value filter_trim(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("trim", args, {"chars"});
    const bool has_set = bound.get(0) && !bound.get(0)->is_none();
    return stripped(engine.text_of(self), Side::both, has_set ? &bound.text(0) : nullptr);
}

Value filter_truncate(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("truncate", args, {"length", "killwords", "end", "leeway"});
    const std::string text = engine.text_of(self);
    const std::string end = bound.get(2) ? bound.text(2) : "...";
    const int64_t length = bound.integer(0, 255);
    const auto n_end = static_cast<int64_t>(count_chars(end));
    if (length < n_end) raise("ValueError", "expected length >= {}, got {}", n_end, length);
    const int64_t leeway = bound.integer(3, 5);
    const auto n_chars = static_cast<int64_t>(count_chars(text));
    if (n_chars <= length || n_chars - length <= leeway) return text;
    std::string kept = text.substr(0, char_offset(text, static_cast<size_t>(length - n_end)));
    if (!bound.flag(1, false) && kept.find(' ') != std::string::npos) kept.resize(kept.rfind(' '));
    return kept + end;
}

Value filter_urlencode(Engine& engine, const Value& self, const CallArgs&) {
    const auto encode = [](std::string_view text, std::string_view safe) {
        std::string result;
        for (const char c : text) {
            const bool is_plain = std::isalnum(static_cast<uint8_t>(c)) != 0 ||
                                  std::string_view("_.-~").find(c) != std::string_view::npos;
            if (is_plain || safe.find(c) != std::string_view::npos) {
                result += c;
            } else {
                result += fmt::format("%{:02X}", static_cast<uint8_t>(c));
            }
        }
        return result;
    };
    if (!self.is_dict()) return encode(engine.text_of(self), "/");
    std::string query;
    for (const auto& [key, value] : self.as_dict().entries()) {
        if (!query.empty()) query += '&';
        query += encode(engine.text_of(key), "") + "=" + encode(engine.text_of(value), "");
    }
    return query;
}

Value filter_wordcount(Engine& engine, const Value& self, const CallArgs&) {
    const std::string text = engine.text_of(self);
    int64_t n_words = 0;
    bool in_word = false;
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        const bool is_word = here.code == '_' || is_digit(here.code) || is_alpha(here.code);
        n_words += is_word && !in_word;
        in_word = is_word;
        at += here.bytes;
    }
    return n_words;
}

Value filter_pprint(Engine& engine, const Value& self, const CallArgs&) {
    engine.charge(self.extent().weight);
    return self.repr();
}

Value filter_safe(Engine& engine, const Value& self, const CallArgs&) {
    return Value::markup(engine.text_of(self));
}

constexpr NamedFunction kFilters[] = {
    {"abs", filter_abs},
    {"attr", filter_attr},
    {"batch", filter_batch},
    {"capitalize", filter_capitalize},
    {"center", filter_center},
    {"count", filter_length},
    {"d", filter_default},
    {"default", filter_default},
    {"dictsort", filter_dictsort},
    {"e", filter_escape},
    {"escape", filter_escape},
    {"filesizeformat", filter_filesizeformat},
    {"first", filter_first},
    {"float", filter_float},
    {"forceescape", filter_forceescape},
    {"format", filter_format},
    {"groupby", filter_groupby},
    {"indent", filter_indent},
    {"int", filter_int},
    {"items", filter_items},
    {"join", filter_join},
    {"last", filter_last},
    {"length", filter_length},
    {"list", filter_list},
    {"lower", filter_lower},
    {"map", filter_map},
    {"max", filter_max},
    {"min", filter_min},
    {"pprint", filter_pprint},
    {"reject", filter_reject},
    {"rejectattr", filter_rejectattr},
    {"replace", filter_replace},
    {"reverse", filter_reverse},
    {"round", filter_round},
    {"safe", filter_safe},
    {"select", filter_select},
    {"selectattr", filter_selectattr},
    {"slice", filter_slice},
    {"sort", filter_sort},
    {"string", filter_string},
    {"striptags", filter_striptags},
    {"sum", filter_sum},
    {"title", filter_title},
    {"tojson", filter_tojson},
    {"trim", filter_trim},
    {"truncate", filter_truncate},
    {"unique", filter_unique},
    {"upper", filter_upper},
    {"urlencode", filter_urlencode},
    {"wordcount", filter_wordcount},
};

}  // namespace

NativeFunction find_filter(std::string_view name) { return find_in(kFilters, name); }
bool has_filter(std::string_view name) { return find_filter(name) != nullptr; }

}  // namespace cria::chat::jinja
