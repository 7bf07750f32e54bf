// Writing values: "%05.1f" % x, "{:>8}".format(x), JSON, and dates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "chat/jinja/library.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

constexpr int64_t kMaxWidth = 1 << 20;
constexpr int64_t kMaxPrecision = 300;

// What stands between the % and the letter, or after the colon in braces.
struct Spec {
    std::string fill = " ";
    char align = '\0';  // < > ^ or none
    char sign = '\0';   // + or space
    bool alternate = false, zero = false, thousands = false;
    int64_t width = 0;
    int64_t precision = -1;
    char type = '\0';
};

int64_t read_number(std::string_view text, size_t& at) {
    int64_t number = 0;
    while (at < text.size() && is_digit(static_cast<uint8_t>(text[at]))) {
        number = std::min<int64_t>(number * 10 + (text[at++] - '0'), int64_t{1} << 40);
    }
    return number;
}

void check_spec(const Spec& spec) {
    if (spec.width > kMaxWidth) raise("ValueError", "a format width of {} is over {}", spec.width, kMaxWidth);
    if (spec.precision > kMaxPrecision && spec.type != 's' && spec.type != '\0') {
        raise("ValueError", "a format precision of {} is over {}", spec.precision, kMaxPrecision);
    }
}

std::string padded(const std::string& text, const Spec& spec, char default_align) {
    const auto n_chars = static_cast<int64_t>(count_chars(text));
    if (n_chars >= spec.width) return text;
    const int64_t missing = spec.width - n_chars;
    const char align = spec.align ? spec.align : default_align;
    const int64_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
    std::string result;
    for (int64_t i = 0; i < before; ++i) result += spec.fill;
    result += text;
    for (int64_t i = before; i < missing; ++i) result += spec.fill;
    return result;
}

std::string with_thousands(std::string digits) {
    size_t end = 0;
    while (end < digits.size() && digits[end] != '.') ++end;
    for (size_t i = end; i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
}

// Puts sign, zeros and padding around the digits of a number.
std::string number_text(bool is_negative, std::string digits, const Spec& spec) {
    if (spec.thousands) digits = with_thousands(std::move(digits));
    const std::string sign = is_negative ? "-" : spec.sign ? std::string(1, spec.sign) : "";
    if (spec.zero && spec.align == '\0') {
        const auto taken = static_cast<int64_t>(sign.size() + digits.size());
        if (taken < spec.width) digits.insert(0, static_cast<size_t>(spec.width - taken), '0');
    }
    return padded(sign + digits, spec, '>');
}

std::string integer_text(int64_t number, const Spec& spec) {
    const uint64_t magnitude = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    std::string digits;
    switch (spec.type) {
        case 'x':
            digits = (spec.alternate ? "0x" : "") + fmt::format("{:x}", magnitude);
            break;
        case 'X':
            digits = (spec.alternate ? "0X" : "") + fmt::format("{:X}", magnitude);
            break;
        case 'o':
            digits = (spec.alternate ? "0o" : "") + fmt::format("{:o}", magnitude);
            break;
        case 'b':
            digits = (spec.alternate ? "0b" : "") + fmt::format("{:b}", magnitude);
            break;
        default:
            digits = fmt::format("{}", magnitude);
    }
    return number_text(number < 0, digits, spec);
}

std::string real_text(double number, const Spec& spec) {
    const bool is_negative = std::signbit(number) && !std::isnan(number);
    const double magnitude = std::fabs(number);
    const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
    if (!std::isfinite(number)) return number_text(is_negative, std::isnan(number) ? "nan" : "inf", spec);
    std::string digits;
    switch (spec.type) {
        case 'e':
            digits = fmt::format("{:.{}e}", magnitude, precision);
            break;
        case 'E':
            digits = fmt::format("{:.{}E}", magnitude, precision);
            break;
        case 'g':
            digits = fmt::format("{:.{}g}", magnitude, precision);
            break;
        case 'G':
            digits = fmt::format("{:.{}G}", magnitude, precision);
            break;
        case '%':
            digits = fmt::format("{:.{}f}%", magnitude * 100, precision);
            break;
        default:
            digits = fmt::format("{:.{}f}", magnitude, precision);
    }
    return number_text(is_negative, digits, spec);
}

std::string cut(const std::string& text, int64_t precision) {
    return precision < 0 ? text : text.substr(0, char_offset(text, static_cast<size_t>(precision)));
}

// One value under a % letter.
std::string percent_value(Engine& engine, const Value& value, const Spec& spec) {
    switch (spec.type) {
        case 's':
            return padded(cut(engine.text_of(value), spec.precision), spec, '>');
        case 'r':
        case 'a':
            engine.charge(value.extent().weight);
            return padded(cut(value.repr(), spec.precision), spec, '>');
        case 'c':
            if (value.is_string()) return padded(value.as_string(), spec, '>');
            break;
        case 'd':
        case 'i':
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (!value.is_number()) {
                raise("TypeError", "%{} format: a real number is required, not {}", spec.type,
                      value.type_name());
            }
            return integer_text(value.is_float() ? need_integer(value, "format") : value.as_int(), spec);
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            if (!value.is_number()) raise("TypeError", "must be real number, not {}", value.type_name());
            return real_text(value.as_double(), spec);
        default:
            break;
    }
    raise("ValueError", "unsupported format character '{}'", spec.type);
}

Spec read_percent_spec(std::string_view format, size_t& at) {
    Spec spec;
    for (; at < format.size(); ++at) {
        if (format[at] == '-') {
            spec.align = '<';
        } else if (format[at] == '0') {
            spec.zero = true;
        } else if (format[at] == '#') {
            spec.alternate = true;
        } else if (format[at] == '+' || format[at] == ' ') {
            spec.sign = format[at];
        } else {
            break;
        }
    }
    spec.width = read_number(format, at);
    if (at < format.size() && format[at] == '.') {
        ++at;
        spec.precision = read_number(format, at);
    }
    while (at < format.size() && (format[at] == 'l' || format[at] == 'h' || format[at] == 'L')) ++at;
    if (at >= format.size()) raise("ValueError", "incomplete format");
    spec.type = format[at++];
    check_spec(spec);
    return spec;
}

Spec read_brace_spec(std::string_view text) {
    Spec spec;
    size_t at = 0;
    const auto is_align = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    if (!text.empty()) {
        const size_t n_fill = char_at(text, 0).bytes;
        if (n_fill < text.size() && is_align(text[n_fill])) {
            spec.fill = std::string(text.substr(0, n_fill));
            spec.align = text[n_fill];
            at = n_fill + 1;
        } else if (is_align(text[0])) {
            spec.align = text[at++];
        }
    }
    const auto skip = [&](char c) { return at < text.size() && text[at] == c && ++at; };
    if (skip('+')) spec.sign = '+';
    if (skip(' ')) spec.sign = ' ';
    skip('-');
    spec.alternate = skip('#');
    spec.zero = skip('0');
    spec.width = read_number(text, at);
    spec.thousands = skip(',');
    if (skip('.')) spec.precision = read_number(text, at);
    if (at < text.size()) spec.type = text[at++];
    if (at < text.size()) raise("ValueError", "Invalid format specifier '{}'", text);
    check_spec(spec);
    return spec;
}

std::string brace_value(Engine& engine, const Value& value, const Spec& spec) {
    const std::string_view type(&spec.type, spec.type ? 1 : 0);
    const bool wants_real = type.find_first_of("eEfFgG%") != std::string_view::npos;
    const bool wants_integer = type.find_first_of("dxXobn") != std::string_view::npos;
    if (value.is_number() && (wants_real || (value.is_float() && spec.precision >= 0))) {
        Spec real = spec;
        if (!wants_real) real.type = 'g';
        return real_text(value.as_double(), real);
    }
    if (value.is_int() || (value.is_bool() && wants_integer)) return integer_text(value.as_int(), spec);
    if (value.is_float() && type.empty()) {
        return number_text(value.as_double() < 0, float_text(std::fabs(value.as_double())), spec);
    }
    if (!type.empty() && type != "s") {
        raise("ValueError", "Unknown format code '{}' for object of type '{}'", type, value.type_name());
    }
    return padded(cut(engine.text_of(value), spec.precision), spec, '<');
}

// The value that "0", "name", "x.y" or "x[0]" in braces names; `automatic` counts empty ones.
Value brace_field(std::string_view field, const CallArgs& args, size_t& automatic) {
    const size_t name_end = std::min(field.find_first_of(".["), field.size());
    const std::string_view name = field.substr(0, name_end);
    Value value;
    if (name.empty() || is_digit(static_cast<uint8_t>(name[0]))) {
        size_t at = 0;
        const size_t index = name.empty() ? automatic++ : static_cast<size_t>(read_number(name, at));
        if (index >= args.positional.size()) {
            raise("IndexError", "Replacement index {} out of range for positional args tuple", index);
        }
        value = args.positional[index];
    } else {
        const Value* named = args.find(name);
        if (!named) raise("KeyError", "'{}'", name);
        value = *named;
    }
    for (size_t at = name_end; at < field.size();) {
        const bool is_item = field[at] == '[';
        const size_t end = is_item ? field.find(']', at) : field.find_first_of(".[", at + 1);
        const std::string_view key = field.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
        size_t digits = 0;
        const bool is_index = is_item && !key.empty() && is_digit(static_cast<uint8_t>(key[0]));
        value = !is_item ? get_attribute(value, key)
                         : get_item(value, is_index ? Value(read_number(key, digits)) : Value(key));
        if (end == std::string_view::npos) break;
        at = is_item ? end + 1 : end;
    }
    return value;
}

void append_json_string(std::string& out, std::string_view text, bool ensure_ascii) {
    out += '"';
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        switch (here.code) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            default:
                if (here.code < 0x20 || (ensure_ascii && here.code >= 0x7F && here.code < 0x10000)) {
                    out += fmt::format("\\u{:04x}", here.code);
                } else if (ensure_ascii && here.code >= 0x10000) {
                    const uint32_t rest = here.code - 0x10000;
                    out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
                } else {
                    out.append(text.substr(at, here.bytes));
                }
        }
        at += here.bytes;
    }
    out += '"';
}

std::string json_key(const Value& key) {
    if (key.is_string()) return key.as_string();
    if (key.is_none()) return "null";
    if (key.is_bool()) return key.as_bool() ? "true" : "false";
    if (key.is_number()) return key.repr();
    raise("TypeError", "keys must be str, int, float, bool or None, not {}", key.type_name());
}

class JsonWriter {
  public:
    explicit JsonWriter(const JsonStyle& style) : style_(style) {}

    void write(const Value& value) {
        if (value.is_none()) {
            out += "null";
        } else if (value.is_bool()) {
            out += value.as_bool() ? "true" : "false";
        } else if (value.is_int()) {
            out += std::to_string(value.as_int());
        } else if (value.is_float()) {
            const double number = value.as_double();
            out += std::isnan(number)   ? "NaN"
                   : std::isinf(number) ? (number > 0 ? "Infinity" : "-Infinity")
                                        : float_text(number);
        } else if (value.is_string()) {
            append_json_string(out, value.as_string(), style_.ensure_ascii);
        } else if (value.is_dict()) {
            write_dict(value.as_dict());
        } else if (value.is_list()) {
            write_list(value);
        } else {
            raise("TypeError", "Object of type {} is not JSON serializable", value.type_name());
        }
    }

    std::string out;

  private:
    void begin_item(bool is_first) {
        if (!is_first) out += style_.item_separator;
        if (style_.indent.empty()) return;
        out += '\n';
        for (int i = 0; i < level_; ++i) out += style_.indent;
    }
    void end_items(bool is_empty) {
        --level_;
        if (!is_empty) begin_item(true);
    }

    // Generators, ranges and views are written as lists: Python refuses them, other programs do not.
    void write_list(const Value& value) {
        const std::vector<Value> items = iterate(value);
        out += '[';
        ++level_;
        for (size_t i = 0; i < items.size(); ++i) {
            begin_item(i == 0);
            write(items[i]);
        }
        end_items(items.empty());
        out += ']';
    }

    void write_dict(const Dict& dict) {
        std::vector<const Dict::Entry*> entries;
        for (const auto& entry : dict.entries()) entries.push_back(&entry);
        if (style_.sort_keys) {
            std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
                return compare(a->first, b->first, "<") < 0;
            });
        }
        out += '{';
        ++level_;
        for (size_t i = 0; i < entries.size(); ++i) {
            begin_item(i == 0);
            append_json_string(out, json_key(entries[i]->first), style_.ensure_ascii);
            out += style_.key_separator;
            write(entries[i]->second);
        }
        end_items(entries.empty());
        out += '}';
    }

    const JsonStyle& style_;
    int level_ = 0;
};

}  // namespace

std::string format_percent(Engine& engine, const std::string& format, const Value& values) {
    const bool is_tuple = values.is_list(ListKind::tuple);
    size_t n_used = 0;
    const auto next_value = [&]() -> Value {
        if (is_tuple ? n_used >= values.as_list().items.size() : n_used > 0) {
            raise("TypeError", "not enough arguments for format string");
        }
        return is_tuple ? values.as_list().items[n_used++] : (++n_used, values);
    };
    std::string result;
    for (size_t at = 0; at < format.size();) {
        const size_t percent = std::min(format.find('%', at), format.size());
        result.append(format, at, percent - at);
        at = percent + 1;
        if (percent == format.size()) break;
        if (at < format.size() && format[at] == '%') {
            result += '%';
            ++at;
            continue;
        }
        std::optional<Value> named;
        if (at < format.size() && format[at] == '(') {
            const size_t close = format.find(')', at);
            if (close == std::string::npos) raise("ValueError", "incomplete format key");
            if (!values.is_dict()) raise("TypeError", "format requires a mapping");
            const Value* found =
                values.as_dict().find(std::string_view(format).substr(at + 1, close - at - 1));
            if (!found) raise("KeyError", "{}", format.substr(at + 1, close - at - 1));
            named = *found;
            at = close + 1;
        }
        const Spec spec = read_percent_spec(format, at);
        engine.charge(spec.width);
        result += percent_value(engine, named ? *named : next_value(), spec);
    }
    if (is_tuple ? n_used < values.as_list().items.size() : n_used == 0 && !values.is_dict()) {
        raise("TypeError", "not all arguments converted during string formatting");
    }
    return result;
}

std::string format_braces(Engine& engine, const std::string& format, const CallArgs& args) {
    std::string result;
    size_t automatic = 0;
    for (size_t at = 0; at < format.size(); ++at) {
        const char c = format[at];
        const bool is_doubled = at + 1 < format.size() && format[at + 1] == c;
        if ((c == '{' || c == '}') && is_doubled) {
            result += c;
            ++at;
        } else if (c == '}') {
            raise("ValueError", "Single '}}' encountered in format string");
        } else if (c != '{') {
            result += c;
        } else {
            const size_t close = format.find('}', at);
            if (close == std::string::npos) raise("ValueError", "Single '{{' encountered in format string");
            std::string_view field = std::string_view(format).substr(at + 1, close - at - 1);
            const size_t colon = field.find(':');
            const Spec spec = read_brace_spec(colon == std::string_view::npos ? "" : field.substr(colon + 1));
            field = field.substr(0, colon);
            const size_t bang = field.find('!');
            const bool wants_repr = bang != std::string_view::npos && field.substr(bang) != "!s";
            Value value = brace_field(field.substr(0, bang), args, automatic);
            engine.charge(spec.width + value.extent().weight);
            if (wants_repr) value = value.repr();
            result += brace_value(engine, value, spec);
            at = close;
        }
    }
    return result;
}

std::string to_json(const Value& value, const JsonStyle& style) {
    JsonWriter writer(style);
    writer.write(value);
    return std::move(writer.out);
}

std::string format_time(const std::string& format, int64_t seconds) {
    if (format.empty() || format.size() > 1000) return {};
    const std::time_t time = seconds;
    std::tm parts{};
    if (!gmtime_r(&time, &parts)) raise("ValueError", "the date is out of range");
    std::string buffer(format.size() * 64 + 64, '\0');
    buffer.resize(std::strftime(buffer.data(), buffer.size(), format.c_str(), &parts));
    return buffer;
}

}  // namespace cria::chat::jinja
