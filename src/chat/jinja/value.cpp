// Equality, order, printing and nesting of values, after Python's rules.
#include "chat/jinja/value.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

// Two keys are one key exactly if these texts are equal. The first character tells the type.
void append_key_hash(std::string& hash, const Value& key) {
    if (key.is_string()) {
        hash += 's';
        hash += key.as_string();
    } else if (key.is_integral()) {
        hash += 'i';
        hash += std::to_string(key.as_int());
    } else if (key.is_float()) {
        const double number = key.as_double();
        const bool integral = std::floor(number) == number && std::fabs(number) < 9e18;
        hash += 'i';
        hash += integral ? std::to_string(static_cast<int64_t>(number)) : float_text(number);
    } else if (key.is_none()) {
        hash += 'n';
    } else if (key.is_undefined()) {
        hash += 'u';
    } else if (key.is_list(ListKind::tuple)) {
        hash += '(';
        for (const Value& item : key.as_list().items) {
            std::string part;
            append_key_hash(part, item);
            hash += std::to_string(part.size()) + ':' + part;
        }
    } else {
        raise("TypeError", "unhashable type: '{}'", key.type_name());
    }
}

std::string key_hash(const Value& key) {
    std::string hash;
    append_key_hash(hash, key);
    return hash;
}

std::string list_text(const List& list) {
    if (list.kind == ListKind::generator) return "<generator object>";
    if (list.kind == ListKind::range) {
        const auto& items = list.items;
        const int64_t step = items.size() > 1 ? items[1].as_int() - items[0].as_int() : 1;
        const int64_t start = items.empty() ? 0 : items.front().as_int();
        const int64_t stop = items.empty() ? 0 : items.back().as_int() + (step > 0 ? 1 : -1);
        return step == 1 ? fmt::format("range({}, {})", start, stop)
                         : fmt::format("range({}, {}, {})", start, stop, step);
    }
    std::string inner;
    for (const Value& item : list.items) {
        if (!inner.empty()) inner += ", ";
        inner += item.repr();
    }
    switch (list.kind) {
        case ListKind::tuple:
            return list.items.size() == 1 ? "(" + inner + ",)" : "(" + inner + ")";
        case ListKind::dict_keys:
            return "dict_keys([" + inner + "])";
        case ListKind::dict_values:
            return "dict_values([" + inner + "])";
        case ListKind::dict_items:
            return "dict_items([" + inner + "])";
        default:
            return "[" + inner + "]";
    }
}

std::string dict_text(const Dict& dict) {
    std::string inner;
    for (const auto& [key, value] : dict.entries()) {
        if (!inner.empty()) inner += ", ";
        inner += key.repr() + ": " + value.repr();
    }
    return "{" + inner + "}";
}

bool lists_equal(const List& a, const List& b) {
    if (a.items.size() != b.items.size()) return false;
    for (size_t i = 0; i < a.items.size(); ++i) {
        if (!a.items[i].equals(b.items[i])) return false;
    }
    return true;
}

bool dicts_equal(const Dict& a, const Dict& b) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.entries()) {
        const Value* other = b.find(key);
        if (!other || !value.equals(*other)) return false;
    }
    return true;
}

template <typename T>
int three_way(const T& a, const T& b) {
    return a < b ? -1 : b < a ? 1 : 0;
}

}  // namespace

void Extent::enclose(const Extent& child) {
    depth = std::max(depth, child.depth + 1);
    weight += child.weight + 2;
    if (depth > kMaxValueDepth) raise("LimitExceeded", "values are nested more than {} deep", kMaxValueDepth);
    if (weight > kMaxValueWeight) {
        raise("LimitExceeded", "a value takes more than {} bytes when written out", kMaxValueWeight);
    }
}

const Value* CallArgs::find(std::string_view name) const {
    for (const auto& [key, value] : named) {
        if (key == name) return &value;
    }
    return nullptr;
}

std::string Object::text() const { return fmt::format("<{}>", type_name()); }
std::optional<Value> Object::attribute(std::string_view) const { return std::nullopt; }
Value Object::call(Engine&, const CallArgs&) {
    raise("TypeError", "'{}' object is not callable", type_name());
}

Value::Value() {
    static const auto nameless = std::make_shared<const Undefined>(Undefined{"value is undefined"});
    data_ = nameless;
}

Value::Value(Dict dict) : data_(std::make_shared<const Dict>(std::move(dict))) {}

Value Value::markup(std::string text) {
    Value value;
    value.data_ = std::make_shared<const Text>(Text{std::move(text), true});
    return value;
}

Value Value::list(std::vector<Value> items, ListKind kind) {
    Extent extent{1, 2};
    for (const Value& item : items) extent.enclose(item.extent());
    Value value;
    value.data_ = std::make_shared<const List>(List{std::move(items), kind, extent});
    return value;
}

Value Value::undefined(std::string message, const char* kind) {
    Value value;
    value.data_ = std::make_shared<const Undefined>(Undefined{std::move(message), kind});
    return value;
}

// Recursion is bounded: each level is checked before its children are visited.
static Value json_value(const nlohmann::ordered_json& json, int level) {
    using Kind = nlohmann::ordered_json::value_t;
    if (level > kMaxValueDepth) raise("LimitExceeded", "JSON is nested more than {} deep", kMaxValueDepth);
    switch (json.type()) {
        case Kind::null:
        case Kind::discarded:
            return nullptr;
        case Kind::boolean:
            return json.get<bool>();
        case Kind::number_integer:
            return json.get<int64_t>();
        case Kind::number_unsigned: {
            const auto number = json.get<uint64_t>();
            if (number > INT64_MAX) raise("TypeError", "the number {} does not fit 64 bits", number);
            return static_cast<int64_t>(number);
        }
        case Kind::number_float:
            return json.get<double>();
        case Kind::string:
            return json.get_ref<const std::string&>();
        case Kind::array: {
            std::vector<Value> items;
            items.reserve(json.size());
            for (const auto& item : json) items.push_back(json_value(item, level + 1));
            return Value::list(std::move(items));
        }
        case Kind::object: {
            Dict dict;
            for (const auto& [key, value] : json.items()) dict.set(key, json_value(value, level + 1));
            return dict;
        }
        case Kind::binary:
            raise("TypeError", "binary data cannot be used in a template");
    }
    return {};
}

Value Value::from_json(const nlohmann::ordered_json& json) { return json_value(json, 1); }

int64_t Value::as_int() const { return is_bool() ? as_bool() : std::get<int64_t>(data_); }
double Value::as_double() const {
    return is_float() ? std::get<double>(data_) : static_cast<double>(as_int());
}

bool Value::is_true() const {
    if (is_undefined() || is_none()) return false;
    if (is_integral()) return as_int() != 0;
    if (is_float()) return as_double() != 0;
    if (is_string()) return !as_string().empty();
    if (is_list()) return as_list().kind == ListKind::generator || !as_list().items.empty();
    if (is_dict()) return as_dict().size() != 0;
    return true;
}

std::string_view Value::type_name() const {
    if (is_undefined()) return "Undefined";
    if (is_none()) return "NoneType";
    if (is_bool()) return "bool";
    if (is_int()) return "int";
    if (is_float()) return "float";
    if (is_string()) return "str";
    if (is_dict()) return "dict";
    if (is_object()) return as_object().type_name();
    switch (as_list().kind) {
        case ListKind::list:
            return "list";
        case ListKind::tuple:
            return "tuple";
        case ListKind::range:
            return "range";
        case ListKind::generator:
            return "generator";
        case ListKind::dict_keys:
            return "dict_keys";
        case ListKind::dict_values:
            return "dict_values";
        case ListKind::dict_items:
            return "dict_items";
    }
    return "list";
}

std::string Value::text() const {
    if (is_undefined()) return {};
    if (is_string()) return as_string();
    return repr();
}

std::string Value::repr() const {
    if (is_undefined()) return "Undefined";
    if (is_none()) return "None";
    if (is_bool()) return as_bool() ? "True" : "False";
    if (is_int()) return std::to_string(as_int());
    if (is_float()) return float_text(as_double());
    if (is_string()) return quoted_text(as_string());
    if (is_list()) return list_text(as_list());
    if (is_dict()) return dict_text(as_dict());
    return as_object().text();
}

bool Value::equals(const Value& other) const {
    if (is_integral() && other.is_integral()) return as_int() == other.as_int();
    if (is_number() && other.is_number()) return as_double() == other.as_double();
    if (is_string() && other.is_string()) return as_string() == other.as_string();
    if (is_undefined() || is_none()) return data_.index() == other.data_.index();
    if (is_dict() && other.is_dict()) return dicts_equal(as_dict(), other.as_dict());
    if (is_list() && other.is_list()) {
        const ListKind kind = as_list().kind;
        if (kind == ListKind::generator || kind == ListKind::dict_values) return is_same(other);
        return kind == other.as_list().kind && lists_equal(as_list(), other.as_list());
    }
    return is_object() && is_same(other);
}

bool Value::is_same(const Value& other) const {
    if (data_.index() != other.data_.index()) return false;
    if (is_none()) return true;
    if (is_undefined() || is_list() || is_dict() || is_object()) return data_ == other.data_;
    return equals(other);
}

Extent Value::extent() const {
    if (is_string()) return {0, 1 + static_cast<int64_t>(as_string().size())};
    if (is_list()) return as_list().extent;
    if (is_dict()) return as_dict().extent();
    if (is_object()) return as_object().extent;
    return {0, 8};
}

size_t Dict::position(const std::string& hash) const {
    const auto found = index_.find(hash);
    return found == index_.end() ? SIZE_MAX : found->second;
}

const Value* Dict::find(std::string_view key) const {
    constexpr size_t kFewEntries = 8;  // comparing so many is quicker than hashing
    if (entries_.size() > kFewEntries) {
        const size_t at = position("s" + std::string(key));
        return at == SIZE_MAX ? nullptr : &entries_[at].second;
    }
    for (const auto& [name, value] : entries_) {
        if (name.is_string() && name.as_string() == key) return &value;
    }
    return nullptr;
}

const Value* Dict::find(const Value& key) const {
    if (key.is_string()) return find(std::string_view(key.as_string()));
    const size_t at = position(key_hash(key));
    return at == SIZE_MAX ? nullptr : &entries_[at].second;
}

void Dict::set(const Value& key, Value value) {
    extent_.enclose(key.extent());
    extent_.enclose(value.extent());
    const auto [found, is_new] = index_.try_emplace(key_hash(key), entries_.size());
    if (is_new) {
        entries_.emplace_back(key, std::move(value));
    } else {
        entries_[found->second].second = std::move(value);
    }
}

std::string owner_name(const Value& value) {
    if (value.is_none()) return "None";
    return fmt::format("{} object", value.type_name());
}

void raise_undefined(const Value& value) {
    throw TemplateError(value.as_undefined().kind, value.as_undefined().message, 0);
}

int compare(const Value& a, const Value& b, const char* op) {
    if (a.is_undefined()) raise_undefined(a);
    if (b.is_undefined()) raise_undefined(b);
    if (a.is_integral() && b.is_integral()) return three_way(a.as_int(), b.as_int());
    if (a.is_number() && b.is_number()) return three_way(a.as_double(), b.as_double());
    if (a.is_string() && b.is_string()) return three_way(a.as_string(), b.as_string());
    const bool sequences = (a.is_list(ListKind::list) && b.is_list(ListKind::list)) ||
                           (a.is_list(ListKind::tuple) && b.is_list(ListKind::tuple));
    if (!sequences) {
        raise("TypeError", "'{}' not supported between instances of '{}' and '{}'", op, a.type_name(),
              b.type_name());
    }
    const auto& left = a.as_list().items;
    const auto& right = b.as_list().items;
    for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (!left[i].equals(right[i])) return compare(left[i], right[i], op);
    }
    return three_way(left.size(), right.size());
}

bool is_iterable(const Value& value) {
    return value.is_undefined() || value.is_string() || value.is_list() || value.is_dict();
}

std::vector<Value> iterate(const Value& value) {
    std::vector<Value> items;
    if (value.is_undefined()) return items;
    if (value.is_string()) {
        for (const std::string_view one : split_chars(value.as_string())) items.emplace_back(one);
    } else if (value.is_list()) {
        const List& list = value.as_list();
        items.assign(list.items.begin() + static_cast<std::ptrdiff_t>(list.n_consumed), list.items.end());
        if (list.kind == ListKind::generator) list.n_consumed = list.items.size();
    } else if (value.is_dict()) {
        for (const auto& entry : value.as_dict().entries()) items.push_back(entry.first);
    } else {
        raise("TypeError", "'{}' object is not iterable", value.type_name());
    }
    return items;
}

int64_t length_of(const Value& value) {
    if (value.is_undefined()) return 0;
    if (value.is_string()) return static_cast<int64_t>(count_chars(value.as_string()));
    if (value.is_list() && value.as_list().kind != ListKind::generator) {
        return static_cast<int64_t>(value.as_list().items.size());
    }
    if (value.is_dict()) return static_cast<int64_t>(value.as_dict().size());
    raise("TypeError", "object of type '{}' has no len()", value.type_name());
}

bool contains(const Value& container, const Value& item) {
    if (container.is_string()) {
        if (item.is_undefined()) raise_undefined(item);
        if (!item.is_string()) {
            raise("TypeError", "'in <string>' requires string as left operand, not {}", item.type_name());
        }
        return container.as_string().find(item.as_string()) != std::string::npos;
    }
    if (container.is_dict()) return container.as_dict().find(item) != nullptr;
    if (!is_iterable(container)) {
        raise("TypeError", "argument of type '{}' is not iterable", container.type_name());
    }
    for (const Value& one : iterate(container)) {
        if (one.equals(item)) return true;
    }
    return false;
}

}  // namespace cria::chat::jinja
