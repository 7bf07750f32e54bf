// Operators and access to attributes and items, after Python's rules for the types that templates have.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.h"
#include "chat/jinja/library.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

class BoundFunction : public Object {
  public:
    BoundFunction(std::string_view name, NativeFunction function, Value self)
        : name_(name), function_(function), self_(std::move(self)) {
        extent.enclose(self_.extent());
    }
    std::string_view type_name() const override {
        return self_.is_undefined() ? "function" : "builtin_function_or_method";
    }
    std::string text() const override { return fmt::format("<function {}>", name_); }
    bool is_callable() const override { return true; }
    Value call(Engine& engine, const CallArgs& args) override { return function_(engine, self_, args); }

  private:
    std::string name_;
    NativeFunction function_;
    Value self_;
};

constexpr std::array<std::string_view, 9> kListChanges = {"append", "clear",   "extend", "insert",     "pop",
                                                          "remove", "reverse", "sort",   "__setitem__"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault", "update"};

template <size_t n>
bool is_in(const std::array<std::string_view, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Null when values of this kind have no such method.
NativeFunction method_of(const Value& object, std::string_view name) {
    if (object.is_string()) return find_string_method(name);
    if (object.is_dict()) return find_dict_method(name);
    if (object.is_list()) return find_list_method(name);
    return nullptr;
}

// Attributes proper: methods and what objects define. Nothing when there is none.
std::optional<Value> own_attribute(const Value& object, std::string_view name) {
    const bool changes = (object.is_list(ListKind::list) && is_in(kListChanges, name)) ||
                         (object.is_dict() && is_in(kDictChanges, name));
    if (changes) {
        return Value::undefined(
            fmt::format("access to attribute '{}' of '{}' object is unsafe.", name, object.type_name()),
            "SecurityError");
    }
    if (object.is_object()) {
        const Value method = object_method(name, object);
        if (!method.is_undefined()) return method;
        return object.as_object().attribute(name);
    }
    if (const NativeFunction method = method_of(object, name)) return bound_function(name, method, object);
    return std::nullopt;
}

Value missing(const Value& object, const Value& key) {
    if (key.is_string()) {
        return Value::undefined(fmt::format("{} has no attribute {}", quoted_text(owner_name(object)),
                                            quoted_text(key.as_string())));
    }
    return Value::undefined(fmt::format("{} has no element {}", owner_name(object),
                                        key.is_number() ? key.repr() : std::string(key.type_name())));
}

[[noreturn]] void raise_operands(const char* op, const Value& left, const Value& right) {
    raise("TypeError", "unsupported operand type(s) for {}: '{}' and '{}'", op, left.type_name(),
          right.type_name());
}

template <typename T>
Value checked(const std::optional<T>& result) {
    if (!result) raise("OverflowError", "the result does not fit 64 bits");
    return *result;
}

Value joined(Engine& engine, const Value& left, const Value& right) {
    const auto& a = left.as_list().items;
    const auto& b = right.as_list().items;
    engine.charge(static_cast<int64_t>(a.size() + b.size()) * 24);
    std::vector<Value> items(a);
    items.insert(items.end(), b.begin(), b.end());
    return Value::list(std::move(items), left.as_list().kind);
}

Value add(Engine& engine, const Value& left, const Value& right) {
    if (left.is_integral() && right.is_integral()) return checked(checked_add(left.as_int(), right.as_int()));
    if (left.is_number() && right.is_number()) return left.as_double() + right.as_double();
    if (left.is_string()) {
        if (!right.is_string()) {
            raise("TypeError", "can only concatenate str (not \"{}\") to str", right.type_name());
        }
        engine.charge(static_cast<int64_t>(left.as_string().size() + right.as_string().size()));
        if (!left.is_markup() && !right.is_markup()) return left.as_string() + right.as_string();
        const auto safe = [](const Value& part) {
            return part.is_markup() ? part.as_string() : html_escaped(part.as_string());
        };
        return Value::markup(safe(left) + safe(right));
    }
    if (left.is_list(ListKind::list) || left.is_list(ListKind::tuple)) {
        const std::string_view kind = left.type_name();
        if (!right.is_list(left.as_list().kind)) {
            raise("TypeError", "can only concatenate {} (not \"{}\") to {}", kind, right.type_name(), kind);
        }
        return joined(engine, left, right);
    }
    raise_operands("+", left, right);
}

Value repeated(Engine& engine, const Value& value, int64_t times) {
    times = std::max<int64_t>(times, 0);
    const int64_t size = value.is_string() ? static_cast<int64_t>(value.as_string().size())
                                           : static_cast<int64_t>(value.as_list().items.size()) * 24;
    const auto total = checked_mul(size, times);
    engine.charge(total.value_or(INT64_MAX));
    if (size == 0) return value;
    if (value.is_string()) {
        std::string text;
        text.reserve(static_cast<size_t>(*total));
        for (int64_t i = 0; i < times; ++i) text += value.as_string();
        return text;
    }
    std::vector<Value> items;
    const auto& once = value.as_list().items;
    for (int64_t i = 0; i < times; ++i) items.insert(items.end(), once.begin(), once.end());
    return Value::list(std::move(items), value.as_list().kind);
}

bool is_repeatable(const Value& value) {
    return value.is_string() || value.is_list(ListKind::list) || value.is_list(ListKind::tuple);
}

Value multiply(Engine& engine, const Value& left, const Value& right) {
    if (left.is_integral() && right.is_integral()) return checked(checked_mul(left.as_int(), right.as_int()));
    if (left.is_number() && right.is_number()) return left.as_double() * right.as_double();
    if (is_repeatable(left) && right.is_integral()) return repeated(engine, left, right.as_int());
    if (is_repeatable(right) && left.is_integral()) return repeated(engine, right, left.as_int());
    raise_operands("*", left, right);
}

// Python rounds the quotient down and gives the remainder the divisor's sign.
Value divide_integers(BinaryOp op, int64_t a, int64_t b) {
    if (b == 0) raise("ZeroDivisionError", "integer division or modulo by zero");
    if (b == -1) {
        if (op == BinaryOp::modulo) return int64_t{0};
        return checked(checked_mul(a, b));
    }
    const int64_t remainder = a % b;
    const bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
    if (op == BinaryOp::modulo) return adjust ? remainder + b : remainder;
    return adjust ? a / b - 1 : a / b;
}

Value divide(BinaryOp op, const Value& left, const Value& right) {
    constexpr const char* kNames[] = {"/", "//", "%"};
    const char* name = kNames[op == BinaryOp::divide ? 0 : op == BinaryOp::floor_divide ? 1 : 2];
    if (!left.is_number() || !right.is_number()) raise_operands(name, left, right);
    if (op != BinaryOp::divide && left.is_integral() && right.is_integral()) {
        return divide_integers(op, left.as_int(), right.as_int());
    }
    const double a = left.as_double();
    const double b = right.as_double();
    if (b == 0)
        raise("ZeroDivisionError", "{}",
              op == BinaryOp::divide ? "division by zero" : "float floor division by zero");
    if (op == BinaryOp::divide) return a / b;
    if (op == BinaryOp::floor_divide) return std::floor(a / b);
    const double remainder = std::fmod(a, b);
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Value power(const Value& left, const Value& right) {
    if (!left.is_number() || !right.is_number()) raise_operands("** or pow()", left, right);
    if (!left.is_integral() || !right.is_integral() || right.as_int() < 0) {
        if (left.as_double() == 0 && right.as_double() < 0) {
            raise("ZeroDivisionError", "0.0 cannot be raised to a negative power");
        }
        return std::pow(left.as_double(), right.as_double());
    }
    int64_t base = left.as_int();
    int64_t exponent = right.as_int();
    if (base == 0 || base == 1) return exponent == 0 ? int64_t{1} : base;
    if (base == -1) return int64_t{exponent % 2 ? -1 : 1};
    int64_t result = 1;
    for (; exponent > 0; --exponent) {  // overflows after 62 rounds at the latest
        const auto product = checked_mul(result, base);
        if (!product) raise("OverflowError", "the result does not fit 64 bits");
        result = *product;
    }
    return result;
}

struct Range {
    int64_t start, stop, step;
};
// The indices that a slice of a sequence of `length` items takes.
Range slice_range(const SliceBounds& bounds, int64_t length) {
    const auto number = [](const Value& value, int64_t fallback) {
        if (value.is_none() || value.is_undefined()) return fallback;
        if (!value.is_integral()) raise("TypeError", "slice indices must be integers or None");
        return value.as_int();
    };
    const int64_t step = number(bounds.step, 1);
    if (step == 0) raise("ValueError", "slice step cannot be zero");
    const int64_t lowest = step > 0 ? 0 : -1;
    const int64_t highest = step > 0 ? length : length - 1;
    const auto clamp = [&](const Value& value, int64_t fallback) {
        int64_t at = number(value, fallback);
        if (!value.is_none() && !value.is_undefined() && at < 0) at += length;
        return std::clamp(at, lowest, highest);
    };
    return {clamp(bounds.start, step > 0 ? 0 : length - 1), clamp(bounds.stop, step > 0 ? length : -1), step};
}

template <typename Take>
void for_slice(const Range& range, Take take) {
    for (int64_t i = range.start; range.step > 0 ? i < range.stop : i > range.stop;) {
        take(static_cast<size_t>(i));
        const auto next = checked_add(i, range.step);
        if (!next) break;
        i = *next;
    }
}

}  // namespace

NativeFunction find_in(std::span<const NamedFunction> table, std::string_view name) {
    for (const NamedFunction& row : table) {
        if (row.name == name) return row.function;
    }
    return nullptr;
}

Value bound_function(std::string_view name, NativeFunction function, const Value& self) {
    return Value(std::make_shared<BoundFunction>(name, function, self));
}

Value get_attribute(const Value& object, std::string_view name) {
    if (object.is_undefined()) raise_undefined(object);
    if (std::optional<Value> attribute = own_attribute(object, name)) return *attribute;
    if (object.is_dict()) {
        if (const Value* value = object.as_dict().find(name)) return *value;
    }
    return missing(object, Value(name));
}

Value get_item(const Value& object, const Value& key) {
    if (object.is_undefined()) raise_undefined(object);
    if (object.is_dict() && !key.is_list() && !key.is_dict() && !key.is_object()) {
        if (const Value* value = object.as_dict().find(key)) return *value;
    }
    if (key.is_integral() && (object.is_list() || object.is_string())) {
        if (object.is_list(ListKind::generator)) return missing(object, key);
        const int64_t length = length_of(object);
        const int64_t index = key.as_int() < 0 ? key.as_int() + length : key.as_int();
        if (index < 0 || index >= length) return missing(object, key);
        if (object.is_list()) return object.as_list().items[static_cast<size_t>(index)];
        const std::string& text = object.as_string();
        const size_t at = length == static_cast<int64_t>(text.size())
                              ? static_cast<size_t>(index)
                              : char_offset(text, static_cast<size_t>(index));
        return text.substr(at, char_at(text, at).bytes);
    }
    if (key.is_string()) {
        if (std::optional<Value> attribute = own_attribute(object, key.as_string())) return *attribute;
    }
    return missing(object, key);
}

Value get_slice(Engine& engine, const Value& object, const SliceBounds& bounds) {
    if (object.is_undefined()) raise_undefined(object);
    if (object.is_string()) {
        engine.charge(static_cast<int64_t>(object.as_string().size()) * 2);
        const std::string& text = object.as_string();
        const int64_t length = length_of(object);
        const Range range = slice_range(bounds, length);
        if (range.step == 1 && range.start >= range.stop) return "";
        if (range.step == 1) {
            const size_t from = char_offset(text, static_cast<size_t>(range.start));
            const std::string_view tail = std::string_view(text).substr(from);
            return tail.substr(0, char_offset(tail, static_cast<size_t>(range.stop - range.start)));
        }
        engine.charge(static_cast<int64_t>(text.size()) * 16);
        const auto chars = split_chars(text);
        std::string result;
        for_slice(range, [&](size_t i) { result += chars[i]; });
        return result;
    }
    if (object.is_list() && object.as_list().kind <= ListKind::range) {
        const List& list = object.as_list();
        engine.charge(static_cast<int64_t>(list.items.size()) * 24);
        std::vector<Value> items;
        for_slice(slice_range(bounds, static_cast<int64_t>(list.items.size())),
                  [&](size_t i) { items.push_back(list.items[i]); });
        return Value::list(std::move(items), list.kind);
    }
    return Value::undefined(fmt::format("{} has no element slice", owner_name(object)));
}

Value get_path(const Value& object, const Value& path) {
    if (!path.is_string()) return get_item(object, path);
    Value value = object;
    std::string_view rest = path.as_string();
    while (true) {
        const size_t dot = rest.find('.');
        const std::string_view part = rest.substr(0, dot);
        const bool is_number =
            !part.empty() && part.size() < 10 &&
            std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        value = get_item(value, is_number ? Value(std::stoi(std::string(part))) : Value(part));
        if (dot == std::string_view::npos) return value;
        rest.remove_prefix(dot + 1);
    }
}

Value negated(const Value& value, UnaryOp op) {
    if (value.is_undefined()) raise_undefined(value);
    if (!value.is_number()) {
        raise("TypeError", "bad operand type for unary {}: '{}'", op == UnaryOp::minus ? "-" : "+",
              value.type_name());
    }
    if (value.is_float()) return op == UnaryOp::minus ? -value.as_double() : value.as_double();
    return op == UnaryOp::minus ? checked(checked_mul(value.as_int(), int64_t{-1})) : Value(value.as_int());
}

Value binary(Engine& engine, BinaryOp op, const Value& left, const Value& right) {
    if (left.is_undefined()) raise_undefined(left);
    if (op == BinaryOp::modulo && left.is_string()) return format_percent(engine, left.as_string(), right);
    if (right.is_undefined()) raise_undefined(right);
    switch (op) {
        case BinaryOp::add:
            return add(engine, left, right);
        case BinaryOp::multiply:
            return multiply(engine, left, right);
        case BinaryOp::power:
            return power(left, right);
        case BinaryOp::subtract:
            if (left.is_integral() && right.is_integral()) {
                int64_t result = 0;
                if (__builtin_sub_overflow(left.as_int(), right.as_int(), &result)) {
                    raise("OverflowError", "the result does not fit 64 bits");
                }
                return result;
            }
            if (!left.is_number() || !right.is_number()) raise_operands("-", left, right);
            return left.as_double() - right.as_double();
        case BinaryOp::divide:
        case BinaryOp::floor_divide:
        case BinaryOp::modulo:
            return divide(op, left, right);
        case BinaryOp::logical_and:
        case BinaryOp::logical_or:
            break;  // evaluated lazily by the engine
    }
    return {};
}

bool holds(Engine& engine, CompareOp op, const Value& left, const Value& right) {
    if (op == CompareOp::in || op == CompareOp::not_in) {
        engine.charge(right.is_dict() ? 16 : right.extent().weight);
        return contains(right, left) == (op == CompareOp::in);
    }
    engine.charge(std::min(left.extent().weight, right.extent().weight));
    switch (op) {
        case CompareOp::equal:
            return left.equals(right);
        case CompareOp::not_equal:
            return !left.equals(right);
        case CompareOp::less:
            return compare(left, right, "<") < 0;
        case CompareOp::less_equal:
            return compare(left, right, "<=") <= 0;
        case CompareOp::greater:
            return compare(left, right, ">") > 0;
        default:
            return compare(left, right, ">=") >= 0;
    }
}

}  // namespace cria::chat::jinja
