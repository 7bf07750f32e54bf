// Methods of text, lists and dictionaries, as Python's types have them.
#include <algorithm>

#include "chat/jinja/filters.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

const std::string& text_of_self(const Value& self) { return self.as_string(); }

template <std::string (*convert)(std::string_view)>
Value converted(Engine& engine, const Value& self, const CallArgs&) {
    engine.charge(self.extent().weight);
    return convert(text_of_self(self));
}

// Non-empty and all characters of a kind.
template <bool (*is_kind)(uint32_t)>
Value all_chars(Engine& engine, const Value& self, const CallArgs&) {
    engine.charge(self.extent().weight);
    const std::string& text = text_of_self(self);
    for (size_t at = 0; at < text.size(); at += char_at(text, at).bytes) {
        if (!is_kind(char_at(text, at).code)) return false;
    }
    return !text.empty();
}
bool is_alnum(uint32_t code) { return is_alpha(code) || is_digit(code); }

template <bool wants_upper>
Value is_cased(Engine& engine, const Value& self, const CallArgs& args) {
    return engine.apply_test(wants_upper ? "upper" : "lower", self, {});
}

Value str_isascii(Engine&, const Value& self, const CallArgs&) { return is_ascii(text_of_self(self)); }

template <Side side>
Value strip(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("strip", args, {"chars"});
    engine.charge(self.extent().weight);
    const bool has_set = bound.get(0) && !bound.get(0)->is_none();
    return stripped(text_of_self(self), side, has_set ? &bound.text(0) : nullptr);
}

Value list_of_texts(const std::vector<std::string_view>& parts) {
    std::vector<Value> items;
    items.reserve(parts.size());
    for (const std::string_view part : parts) items.emplace_back(part);
    return Value::list(std::move(items));
}

// Splits at white space, at most `limit` times from the left (no limit when negative).
std::vector<std::string_view> split_blank(std::string_view text, int64_t limit, bool from_right) {
    std::vector<std::string_view> parts;
    std::string_view rest = stripped(text, from_right ? Side::right : Side::left);
    while (!rest.empty()) {
        if (limit >= 0 && static_cast<int64_t>(parts.size()) == limit) {
            parts.push_back(rest);
            break;
        }
        size_t cut = from_right ? 0 : rest.size();
        for (size_t at = 0; at < rest.size(); at += char_at(rest, at).bytes) {
            if (!is_space(char_at(rest, at).code)) continue;
            cut = from_right ? at + char_at(rest, at).bytes : at;
            if (!from_right) break;
        }
        parts.push_back(from_right ? rest.substr(cut) : rest.substr(0, cut));
        rest = stripped(from_right ? rest.substr(0, cut) : rest.substr(cut),
                        from_right ? Side::right : Side::left);
    }
    if (from_right) std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, int64_t limit,
                                       bool from_right) {
    std::vector<std::string_view> parts;
    std::string_view rest = text;
    while (limit < 0 || static_cast<int64_t>(parts.size()) < limit) {
        const size_t found = from_right ? rest.rfind(separator) : rest.find(separator);
        if (found == std::string_view::npos) break;
        const std::string_view after = rest.substr(found + separator.size());
        parts.push_back(from_right ? after : rest.substr(0, found));
        rest = from_right ? rest.substr(0, found) : after;
    }
    parts.push_back(rest);
    if (from_right) std::reverse(parts.begin(), parts.end());
    return parts;
}

template <bool from_right>
Value split(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound(from_right ? "rsplit" : "split", args, {"sep", "maxsplit"});
    engine.charge(self.extent().weight * 4);
    const int64_t limit = bound.integer(1, -1);
    if (!bound.get(0) || bound.get(0)->is_none()) {
        // From the right, a word is searched from the left of what remains: cheap only for few splits.
        if (from_right && limit < 0) return list_of_texts(split_blank(text_of_self(self), -1, false));
        if (from_right) engine.charge(std::min<int64_t>(limit, self.extent().weight) * self.extent().weight);
        return list_of_texts(split_blank(text_of_self(self), limit, from_right));
    }
    if (bound.text(0).empty()) raise("ValueError", "empty separator");
    engine.charge(self.extent().weight * 32 / static_cast<int64_t>(bound.text(0).size()));
    return list_of_texts(split_at(text_of_self(self), bound.text(0), limit, from_right));
}

Value str_splitlines(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("splitlines", args, {"keepends"});
    engine.charge(self.extent().weight * 32);
    const std::string& text = text_of_self(self);
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of("\n\r\v\f", at), text.size());
        size_t next = std::min(end + 1, text.size());
        if (end + 1 < text.size() && text[end] == '\r' && text[end + 1] == '\n') ++next;
        lines.push_back(std::string_view(text).substr(at, (bound.flag(0, false) ? next : end) - at));
        at = next;
    }
    return list_of_texts(lines);
}

// startswith and endswith, within the characters [start, end), with one text or a tuple of them.
template <bool at_end>
Value has_affix(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound(at_end ? "endswith" : "startswith", args, {"prefix", "start", "end"});
    Value subject = self;
    if (bound.get(1) || bound.get(2)) {
        SliceBounds bounds{bound.get(1) ? *bound.get(1) : Value(nullptr),
                           bound.get(2) ? *bound.get(2) : Value(nullptr), nullptr};
        subject = get_slice(engine, self, bounds);
    }
    const std::string& text = subject.as_string();
    const auto matches = [&](const Value& affix) {
        const std::string& wanted = need_text(affix, at_end ? "endswith" : "startswith");
        return at_end ? text.ends_with(wanted) : text.starts_with(wanted);
    };
    if (!bound.need(0).is_list(ListKind::tuple)) return matches(bound.need(0));
    const auto& affixes = bound.need(0).as_list().items;
    return std::any_of(affixes.begin(), affixes.end(), matches);
}

struct Search {
    const char* name;
    bool from_right;
    bool must_exist;
};
Value find_text(Engine& engine, const Value& self, const CallArgs& args, const Search& how) {
    const Bound bound(how.name, args, {"sub", "start", "end"});
    engine.charge(self.extent().weight * 2);
    const std::string& text = text_of_self(self);
    const int64_t length = length_of(self);
    const auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + length : at, 0, length); };
    const size_t from = char_offset(text, static_cast<size_t>(clamp(bound.integer(1, 0))));
    const size_t to = char_offset(text, static_cast<size_t>(clamp(bound.integer(2, length))));
    const std::string_view part = std::string_view(text).substr(0, to);
    const std::string& wanted = bound.text(0);
    size_t found = std::string_view::npos;
    if (from <= to) found = how.from_right ? part.rfind(wanted) : part.find(wanted, from);
    if (found != std::string_view::npos && found >= from)
        return static_cast<int64_t>(count_chars(part.substr(0, found)));
    if (how.must_exist) raise("ValueError", "substring not found");
    return int64_t{-1};
}
Value str_find(Engine& e, const Value& self, const CallArgs& args) {
    return find_text(e, self, args, {"find", false, false});
}
Value str_rfind(Engine& e, const Value& self, const CallArgs& args) {
    return find_text(e, self, args, {"rfind", true, false});
}
Value str_index(Engine& e, const Value& self, const CallArgs& args) {
    return find_text(e, self, args, {"index", false, true});
}
Value str_rindex(Engine& e, const Value& self, const CallArgs& args) {
    return find_text(e, self, args, {"rindex", true, true});
}

Value str_count(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("count", args, {"sub"});
    engine.charge(self.extent().weight);
    if (bound.text(0).empty()) return length_of(self) + 1;
    int64_t n = 0;
    const std::string& text = text_of_self(self);
    for (size_t at = 0; (at = text.find(bound.text(0), at)) != std::string::npos; at += bound.text(0).size())
        ++n;
    return n;
}

Value str_replace(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("replace", args, {"old", "new", "count"});
    return replaced(engine, text_of_self(self), bound.text(0), bound.text(1), bound.integer(2, -1));
}

Value str_join(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("join", args, {"iterable"});
    if (!is_iterable(bound.need(0))) raise("TypeError", "can only join an iterable");
    const std::vector<Value> items = engine.items_of(bound.need(0));
    for (size_t i = 0; i < items.size(); ++i) {
        if (!items[i].is_string()) {
            raise("TypeError", "sequence item {}: expected str instance, {} found", i, items[i].type_name());
        }
    }
    return join_values(engine, text_of_self(self), items);
}

Value str_format(Engine& engine, const Value& self, const CallArgs& args) {
    engine.charge(self.extent().weight);
    return format_braces(engine, text_of_self(self), args);
}

template <char align>
Value justify(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("ljust", args, {"width", "fillchar"});
    const std::string fill = bound.get(1) ? bound.text(1) : " ";
    if (count_chars(fill) != 1) raise("TypeError", "The fill character must be exactly one character long");
    return justified(engine, text_of_self(self), {need_integer(bound.need(0), "ljust"), align, fill});
}

Value str_zfill(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("zfill", args, {"width"});
    const std::string& text = text_of_self(self);
    const size_t n_sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
    const int64_t width = need_integer(bound.need(0), "zfill") - static_cast<int64_t>(n_sign);
    return text.substr(0, n_sign) + justified(engine, text.substr(n_sign), {width, '>', "0"});
}

template <bool at_end>
Value remove_affix(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound(at_end ? "removesuffix" : "removeprefix", args, {"affix"});
    engine.charge(self.extent().weight);
    const std::string& text = text_of_self(self);
    const std::string& affix = bound.text(0);
    if (!(at_end ? text.ends_with(affix) : text.starts_with(affix))) return self;
    return at_end ? text.substr(0, text.size() - affix.size()) : text.substr(affix.size());
}

template <bool from_right>
Value partition(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound(from_right ? "rpartition" : "partition", args, {"sep"});
    engine.charge(self.extent().weight * 2);
    const std::string& text = text_of_self(self);
    const std::string& separator = bound.text(0);
    if (separator.empty()) raise("ValueError", "empty separator");
    const size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == std::string::npos) {
        std::vector<Value> parts =
            from_right ? std::vector<Value>{"", "", self} : std::vector<Value>{self, "", ""};
        return Value::list(std::move(parts), ListKind::tuple);
    }
    return Value::list({text.substr(0, at), separator, text.substr(at + separator.size())}, ListKind::tuple);
}

// Every run of letters begins with a capital.
std::string title_case(std::string_view text) {
    std::string result;
    bool in_word = false;
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        append_char(result, in_word ? lower_of(here.code) : upper_of(here.code));
        in_word = is_alpha(here.code);
        at += here.bytes;
    }
    return result;
}

std::string swap_case(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        append_char(result, is_upper(here.code) ? lower_of(here.code) : upper_of(here.code));
        at += here.bytes;
    }
    return result;
}

Value list_count(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("count", args, {"value"});
    engine.charge(self.extent().weight);
    const auto& items = self.as_list().items;
    return static_cast<int64_t>(std::count_if(items.begin(), items.end(),
                                              [&](const Value& item) { return item.equals(bound.need(0)); }));
}

Value list_index(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("index", args, {"value"});
    engine.charge(self.extent().weight);
    const auto& items = self.as_list().items;
    for (size_t i = 0; i < items.size(); ++i) {
        if (items[i].equals(bound.need(0))) return static_cast<int64_t>(i);
    }
    raise("ValueError", "{} is not in list", bound.need(0).type_name());
}

Value same_value(Engine&, const Value& self, const CallArgs&) { return self; }

Value dict_get(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("get", args, {"key", "default"});
    if (const Value* found = self.as_dict().find(bound.need(0))) return *found;
    return bound.get(1) ? *bound.get(1) : Value(nullptr);
}

template <ListKind kind>
Value dict_view(Engine& engine, const Value& self, const CallArgs&) {
    engine.charge(static_cast<int64_t>(self.as_dict().size()) * 64);
    std::vector<Value> items;
    items.reserve(self.as_dict().size());
    for (const auto& [key, value] : self.as_dict().entries()) {
        if constexpr (kind == ListKind::dict_keys) items.push_back(key);
        if constexpr (kind == ListKind::dict_values) items.push_back(value);
        if constexpr (kind == ListKind::dict_items)
            items.push_back(Value::list({key, value}, ListKind::tuple));
    }
    return Value::list(std::move(items), kind);
}

constexpr NamedFunction kStringMethods[] = {
    {"capitalize", converted<capitalized>},
    {"casefold", converted<to_lower>},
    {"center", justify<'^'>},
    {"count", str_count},
    {"endswith", has_affix<true>},
    {"find", str_find},
    {"format", str_format},
    {"index", str_index},
    {"isalnum", all_chars<is_alnum>},
    {"isalpha", all_chars<is_alpha>},
    {"isascii", str_isascii},
    {"isdecimal", all_chars<is_digit>},
    {"isdigit", all_chars<is_digit>},
    {"islower", is_cased<false>},
    {"isnumeric", all_chars<is_digit>},
    {"isspace", all_chars<is_space>},
    {"isupper", is_cased<true>},
    {"join", str_join},
    {"ljust", justify<'<'>},
    {"lower", converted<to_lower>},
    {"lstrip", strip<Side::left>},
    {"partition", partition<false>},
    {"removeprefix", remove_affix<false>},
    {"removesuffix", remove_affix<true>},
    {"replace", str_replace},
    {"rfind", str_rfind},
    {"rindex", str_rindex},
    {"rjust", justify<'>'>},
    {"rpartition", partition<true>},
    {"rsplit", split<true>},
    {"rstrip", strip<Side::right>},
    {"split", split<false>},
    {"splitlines", str_splitlines},
    {"startswith", has_affix<false>},
    {"strip", strip<Side::both>},
    {"swapcase", converted<swap_case>},
    {"title", converted<title_case>},
    {"upper", converted<to_upper>},
    {"zfill", str_zfill},
};

constexpr NamedFunction kListMethods[] = {{"count", list_count}, {"index", list_index}, {"copy", same_value}};

constexpr NamedFunction kDictMethods[] = {
    {"get", dict_get},
    {"keys", dict_view<ListKind::dict_keys>},
    {"values", dict_view<ListKind::dict_values>},
    {"items", dict_view<ListKind::dict_items>},
    {"copy", same_value},
};

}  // namespace

std::vector<std::string_view> split_words(std::string_view text) { return split_blank(text, -1, false); }

std::string replaced(Engine& engine, const std::string& text, const std::string& old, const std::string& with,
                     int64_t limit) {
    engine.charge(static_cast<int64_t>(text.size()) * 2);
    std::string result;
    size_t at = 0;
    for (int64_t n = 0; limit < 0 || n < limit; ++n) {
        const size_t found = text.find(old, at);
        if (found == std::string::npos) break;
        engine.charge(static_cast<int64_t>(with.size()));
        result.append(text, at, found - at);
        result += with;
        at = found + old.size();
        if (!old.empty()) continue;
        if (at >= text.size()) return result;
        const size_t n_bytes = char_at(text, at).bytes;
        result.append(text, at, n_bytes);
        at += n_bytes;
    }
    return result.append(text, at);
}

std::string justified(Engine& engine, const std::string& text, const Justify& how) {
    const auto n_chars = static_cast<int64_t>(count_chars(text));
    const int64_t missing = std::max<int64_t>(how.width - n_chars, 0);
    engine.charge(missing > INT32_MAX ? INT64_MAX : missing * static_cast<int64_t>(how.fill.size()));
    // Python puts the odd space of a centred text on the left exactly if the width is odd.
    const int64_t before = how.align == '<'   ? 0
                           : how.align == '>' ? missing
                                              : missing / 2 + (missing & how.width & 1);
    std::string result;
    for (int64_t i = 0; i < before; ++i) result += how.fill;
    result += text;
    for (int64_t i = before; i < missing; ++i) result += how.fill;
    return result;
}

NativeFunction find_string_method(std::string_view name) { return find_in(kStringMethods, name); }
NativeFunction find_list_method(std::string_view name) { return find_in(kListMethods, name); }
NativeFunction find_dict_method(std::string_view name) { return find_in(kDictMethods, name); }

}  // namespace cria::chat::jinja
