// Tags, Python-like calls and braces, read in one pass each. Values nest at most kMaxNesting deep.
#include "chat/parse/call_body.h"

#include <algorithm>

namespace cria::chat {
namespace {

constexpr int kMaxNesting = 64;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

// Values begin and end with a newline in most families; one of each is theirs.
std::string_view without_outer_newlines(std::string_view text) {
    if (text.starts_with('\n')) text.remove_prefix(1);
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

std::string with_key(std::string_view pattern, std::string_view key) {
    const size_t at = pattern.find("{key}");
    if (at == std::string_view::npos) return std::string(pattern);
    return std::string(pattern.substr(0, at)).append(key).append(pattern.substr(at + 5));
}

struct Parameter {
    std::string_view key, attributes, value;
};

// The parameters of a tagged call, from `rest` on. Nothing when something else stands between them, or one is
// not closed; then *is_open tells which.
std::optional<std::vector<Parameter>> read_parameters(const CallFormat& format, std::string_view rest,
                                                      bool* is_open) {
    std::vector<Parameter> parameters;
    *is_open = false;
    for (rest = without_blank(rest); !rest.empty(); rest = without_blank(rest)) {
        if (!rest.starts_with(format.param_open)) return std::nullopt;
        *is_open = true;
        rest.remove_prefix(format.param_open.size());
        const size_t key_end = rest.find(format.key_end);
        if (key_end == std::string_view::npos) return std::nullopt;
        Parameter parameter{without_blank(rest.substr(0, key_end)), {}, {}};
        rest.remove_prefix(key_end + format.key_end.size());
        if (!format.value_open.empty()) {
            const size_t value_open = rest.find(format.value_open);
            if (value_open == std::string_view::npos) return std::nullopt;
            parameter.attributes = rest.substr(0, value_open);
            rest.remove_prefix(value_open + format.value_open.size());
        }
        const std::string close = with_key(format.param_close, parameter.key);
        const size_t value_end = rest.find(close);
        if (value_end == std::string_view::npos) return std::nullopt;
        parameter.value = rest.substr(0, value_end);
        rest.remove_prefix(value_end + close.size());
        parameters.push_back(parameter);
        *is_open = false;
    }
    return parameters;
}

// Nothing, or key="value" and so on; the last quote may be missing.
bool are_attributes(std::string_view text) {
    while (!(text = without_blank(text)).empty()) {
        size_t n_key = 0;
        while (n_key < text.size() && is_word(text[n_key])) ++n_key;
        if (n_key == 0 || !text.substr(n_key).starts_with("=\"")) return false;
        const size_t n_value = std::min(text.find('"', n_key + 2), text.size());
        text.remove_prefix(std::min(n_value + 1, text.size()));
    }
    return true;
}

// Name and the rest of a tagged call's body.
std::optional<std::pair<std::string_view, std::string_view>> split_name(const CallFormat& format,
                                                                        std::string_view body) {
    const std::string_view end = format.name_end.empty() ? format.param_open : format.name_end;
    size_t at = body.find(end);
    if (at == std::string_view::npos) {
        if (!format.name_end.empty()) return std::nullopt;
        at = body.size();
    }
    std::string_view name = without_blank(body.substr(0, at));
    // More attributes may follow the name: tool="f" index="1"
    const size_t quote = std::min(name.find('"'), name.size());
    if (!are_attributes(name.substr(std::min(quote + 1, name.size())))) return std::nullopt;
    name = name.substr(0, quote);
    const std::string_view rest = body.substr(std::min(body.size(), at + format.name_end.size()));
    if (name.empty() || name.find_first_of("<>{}\n") != std::string_view::npos) return std::nullopt;
    return std::pair{name, rest};
}

// Reads the values of Python-like and brace calls from left to right, writing JSON.
class ValueReader {
  public:
    ValueReader(std::string_view text, bool has_marked_strings)
        : text_(text), has_marked_strings_(has_marked_strings) {}

    void skip_blank() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }
    bool skip(std::string_view what) {
        skip_blank();
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    std::string_view word() {
        skip_blank();
        const size_t start = at_;
        while (at_ < text_.size() && is_word(text_[at_])) ++at_;
        return text_.substr(start, at_ - start);
    }
    bool at_end() {
        skip_blank();
        return at_ >= text_.size();
    }

    // Appends the value as JSON; false when it is none.
    bool value(std::string& json, int level = 0) {
        if (level > kMaxNesting) return false;
        if (has_marked_strings_ && skip(kMark)) return marked_string(json);
        if (skip("[")) return items(json, "]", level);
        if (!has_marked_strings_ && skip("(")) return items(json, ")", level);
        if (skip("{")) return members(json, level);
        skip_blank();
        if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return quoted(json);
        return plain(json);
    }

    // key: value, ... up to the closing brace
    bool members(std::string& json, int level) {
        json += '{';
        for (bool is_first = true; !skip("}"); is_first = false) {
            if (!is_first && !skip(",")) return false;
            if (!is_first) json += ", ";
            if (!key(json) || !skip(":")) return false;
            json += ": ";
            if (!value(json, level + 1)) return false;
        }
        json += '}';
        return true;
    }

  private:
    static constexpr std::string_view kMark = "<|\"|>";  // around texts in braces

    bool key(std::string& json) {
        if (has_marked_strings_ && skip(kMark)) return marked_string(json);
        skip_blank();
        if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) return quoted(json);
        const std::string_view name = word();
        json += json_quoted(name);
        return !name.empty();
    }

    bool items(std::string& json, std::string_view close, int level) {
        json += '[';
        for (bool is_first = true; !skip(close); is_first = false) {
            if (!is_first && !skip(",")) return false;
            if (!is_first && skip(close)) break;  // Python allows a comma at the end
            if (!is_first) json += ", ";
            if (!value(json, level + 1)) return false;
        }
        json += ']';
        return true;
    }

    bool marked_string(std::string& json) {
        const size_t end = text_.find(kMark, at_);
        if (end == std::string_view::npos) return false;
        json += json_quoted(text_.substr(at_, end - at_));
        at_ = end + kMark.size();
        return true;
    }

    bool quoted(std::string& json) {
        const char quote = text_[at_++];
        std::string value;
        while (at_ < text_.size() && text_[at_] != quote) {
            char c = text_[at_++];
            if (c == '\\' && at_ < text_.size()) {
                constexpr std::string_view kLetters = "ntrbf";
                constexpr std::string_view kMeanings = "\n\t\r\b\f";
                c = text_[at_++];
                const size_t known = kLetters.find(c);
                if (known != std::string_view::npos) c = kMeanings[known];
            }
            value += c;
        }
        if (at_ >= text_.size()) return false;
        ++at_;
        json += json_quoted(value);
        return true;
    }

    // A number or a constant, in Python's or JSON's spelling; anything else is a text.
    bool plain(std::string& json) {
        const size_t start = at_;
        while (at_ < text_.size() && std::string_view(",]})").find(text_[at_]) == std::string_view::npos)
            ++at_;
        const std::string_view word = without_blank(text_.substr(start, at_ - start));
        if (word.empty()) return false;
        if (word == "True" || word == "true") {
            json += "true";
        } else if (word == "False" || word == "false") {
            json += "false";
        } else if (word == "None" || word == "null") {
            json += "null";
        } else {
            json += Json::accept(word) ? std::string(word) : json_quoted(word);
        }
        return true;
    }

    std::string_view text_;
    bool has_marked_strings_;
    size_t at_ = 0;
};

// A value that is tags again: a list if all are called item, else an object.
std::optional<std::string> nested_value(const CallFormat& format, std::string_view value, int level) {
    if (level > kMaxNesting || format.param_close.find("{key}") == std::string_view::npos)
        return std::nullopt;
    if (!without_blank(value).starts_with(format.param_open)) return std::nullopt;
    bool is_open = false;
    const auto parts = read_parameters(format, value, &is_open);
    if (!parts) return std::nullopt;
    const bool is_list =
        std::all_of(parts->begin(), parts->end(), [](const Parameter& part) { return part.key == "item"; });
    std::string json = is_list ? "[" : "{";
    for (const Parameter& part : *parts) {
        if (json.size() > 1) json += ", ";
        if (!is_list) json += json_quoted(part.key) + ": ";
        const auto inner = nested_value(format, part.value, level + 1);
        json += inner ? *inner : ParameterTypes().to_json({}, {}, part.value);
    }
    return json + (is_list ? "]" : "}");
}

std::string_view without_cdata(std::string_view value) {
    constexpr std::string_view kOpen = "<![CDATA[";
    constexpr std::string_view kClose = "]]>";
    const bool has_both = value.starts_with(kOpen) && value.ends_with(kClose);
    return has_both ? value.substr(kOpen.size(), value.size() - kOpen.size() - kClose.size()) : value;
}

}  // namespace

std::string_view without_blank(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

std::string json_quoted(std::string_view text) {
    return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

ParameterTypes::ParameterTypes(const Json& tools) {
    if (!tools.is_array()) return;
    for (const Json& tool : tools) {
        if (!tool.is_object()) continue;
        const Json& function = tool.contains("function") ? tool["function"] : tool;
        if (!function.is_object() || !function.contains("name") || !function["name"].is_string()) continue;
        const auto pointer = Json::json_pointer("/parameters/properties");
        if (function.contains(pointer)) properties_[function["name"].get<std::string>()] = function[pointer];
    }
}

ParameterTypes::Kind ParameterTypes::kind_of(const std::string& tool, const std::string& parameter) const {
    const auto found = properties_.find(tool);
    if (found == properties_.end() || !found->is_object() || !found->contains(parameter))
        return Kind::unknown;
    const Json& schema = (*found)[parameter];
    if (!schema.is_object() || !schema.contains("type")) return Kind::unknown;
    return schema["type"] == "string" ? Kind::text : Kind::other;
}

std::string ParameterTypes::to_json(const std::string& tool, const std::string& parameter,
                                    std::string_view value) const {
    const Kind kind = kind_of(tool, parameter);
    if (kind == Kind::text) return json_quoted(value);
    const std::string_view plain = without_blank(value);
    if (Json::accept(plain)) return std::string(plain);
    if (kind == Kind::unknown) return json_quoted(value);
    ValueReader reader(plain, false);
    std::string json;
    return reader.value(json) && reader.at_end() ? json : json_quoted(value);
}

bool is_inside_parameter(const CallFormat& format, std::string_view body) {
    const auto named = split_name(format, body);
    bool is_open = false;
    if (named) read_parameters(format, named->second, &is_open);
    return is_open;
}

std::optional<ToolCall> read_tagged_call(const CallFormat& format, std::string_view body,
                                         const ParameterTypes& types) {
    const auto named = split_name(format, body);
    if (!named) return std::nullopt;
    bool is_open = false;
    const auto parameters = read_parameters(format, named->second, &is_open);
    if (!parameters) return std::nullopt;
    ToolCall call{.id = {}, .name = std::string(named->first), .arguments = "{"};
    for (const Parameter& parameter : *parameters) {
        const std::string key(parameter.key);
        const bool is_text = parameter.attributes.find("string=\"true\"") != std::string_view::npos ||
                             parameter.attributes.find("type=\"string\"") != std::string_view::npos;
        const std::string_view value = without_cdata(without_outer_newlines(parameter.value));
        if (call.arguments.size() > 1) call.arguments += ", ";
        call.arguments += json_quoted(key) + ": ";
        if (const auto nested = nested_value(format, value, 0)) {
            call.arguments += *nested;
        } else {
            call.arguments += is_text ? json_quoted(value) : types.to_json(call.name, key, value);
        }
    }
    call.arguments += '}';
    return call;
}

std::optional<std::vector<ToolCall>> read_python_calls(std::string_view body) {
    ValueReader reader(body, false);
    const bool has_brackets = reader.skip("[");
    std::vector<ToolCall> calls;
    do {
        ToolCall call{.id = {}, .name = std::string(reader.word()), .arguments = "{"};
        if (call.name.empty() || !reader.skip("(")) return std::nullopt;
        for (bool is_first = true; !reader.skip(")"); is_first = false) {
            if (!is_first && !reader.skip(",")) return std::nullopt;
            const std::string_view key = reader.word();
            if (key.empty() || !reader.skip("=")) return std::nullopt;
            if (!is_first) call.arguments += ", ";
            call.arguments += json_quoted(key) + ": ";
            if (!reader.value(call.arguments)) return std::nullopt;
        }
        call.arguments += '}';
        calls.push_back(std::move(call));
    } while (reader.skip(","));
    if (has_brackets && !reader.skip("]")) return std::nullopt;
    if (!reader.at_end()) return std::nullopt;
    return calls;
}

std::optional<ToolCall> read_braces_call(std::string_view body) {
    ValueReader reader(body, true);
    ToolCall call{.id = {}, .name = std::string(reader.word()), .arguments = {}};
    if (call.name.empty() || !reader.skip("{")) return std::nullopt;
    if (!reader.members(call.arguments, 0) || !reader.at_end()) return std::nullopt;
    return call;
}

std::optional<ToolCall> read_header(const CallFormat& format, std::string_view header) {
    std::vector<std::string> fields;
    for (size_t at = 0; at <= header.size();) {
        size_t next = header.size();
        size_t n_separator = 1;
        for (const std::string_view separator : format.separators) {
            const size_t found = header.find(separator, at);
            if (found >= next) continue;
            next = found;
            n_separator = separator.size();
        }
        const std::string_view field = without_blank(header.substr(at, next - at));
        if (!field.empty()) fields.emplace_back(field);
        at = next + n_separator;
    }
    if (fields.empty()) return std::nullopt;
    ToolCall call;
    switch (format.fields) {
        case HeaderFields::name_first:
            call.name = fields.front();
            if (fields.size() > 1) call.id = fields.back();
            if (fields.size() > 2) return std::nullopt;
            break;
        case HeaderFields::name_last:
            call.name = fields.back();
            if (fields.size() > 2) return std::nullopt;
            if (fields.size() == 2 && !format.kind.empty() && fields[0] != format.kind) return std::nullopt;
            break;
        case HeaderFields::id_then_name:
            call.name = fields.back();
            if (fields.size() > 1) call.id = fields.front();
            if (fields.size() > 2) return std::nullopt;
            break;
        case HeaderFields::numbered_id: {
            if (fields.size() > 1) return std::nullopt;
            call.id = call.name = fields.front();
            constexpr std::string_view kPrefix = "functions.";
            if (call.name.starts_with(kPrefix)) call.name.erase(0, kPrefix.size());
            call.name = call.name.substr(0, call.name.find(':'));
            break;
        }
    }
    const auto is_plain = [](const std::string& field) {
        return !field.empty() && std::all_of(field.begin(), field.end(), [](char c) {
            return is_word(c) || c == ':' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
        });
    };
    if (!is_plain(call.name) || !std::all_of(fields.begin(), fields.end(), is_plain)) return std::nullopt;
    return call;
}

}  // namespace cria::chat
