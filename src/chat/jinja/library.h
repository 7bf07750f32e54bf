// The names that the language brings along: filters, tests, methods of text, lists and dictionaries, globals;
// and the operators. Each table is a plain array searched by name.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "chat/jinja/engine.h"

namespace cria::chat::jinja {

struct NamedFunction {
    std::string_view name;
    NativeFunction function;
};

// Null when there is none of that name.
NativeFunction find_filter(std::string_view name);
NativeFunction find_test(std::string_view name);  // returns a truth value
NativeFunction find_string_method(std::string_view name);
NativeFunction find_list_method(std::string_view name);
NativeFunction find_dict_method(std::string_view name);
NativeFunction find_global(std::string_view name);
NativeFunction find_in(std::span<const NamedFunction> table, std::string_view name);

// A method of a loop or cycler; undefined when there is none.
Value object_method(std::string_view name, const Value& object);

// A callable value: the function, bound to `self`.
Value bound_function(std::string_view name, NativeFunction function, const Value& self);

// object.name and object[key]; what is missing is an undefined value that says so.
Value get_attribute(const Value& object, std::string_view name);
Value get_item(const Value& object, const Value& key);
struct SliceBounds {
    Value start, stop, step;  // none: the default
};
Value get_slice(Engine& engine, const Value& object, const SliceBounds& bounds);
// A path such as "function.name" or 0, as filters take for attribute=.
Value get_path(const Value& object, const Value& path);

Value binary(Engine& engine, BinaryOp op, const Value& left, const Value& right);
Value negated(const Value& value, UnaryOp op);
bool holds(Engine& engine, CompareOp op, const Value& left, const Value& right);

// "%s is %d" % values, and "{} is {x}".format(...).
std::string format_percent(Engine& engine, const std::string& format, const Value& values);
std::string format_braces(Engine& engine, const std::string& format, const CallArgs& args);
// json.dumps as chat templates know it: nothing is escaped but what JSON needs.
struct JsonStyle {
    std::string indent;  // empty: one line
    std::string item_separator = ", ";
    std::string key_separator = ": ";
    bool sort_keys = false;
    bool ensure_ascii = false;
};
std::string to_json(const Value& value, const JsonStyle& style);
std::string format_time(const std::string& format, int64_t seconds);

// Arguments of a call under their names, in order. Raises TypeError for unknown, double or too many ones.
class Bound {
  public:
    Bound(const char* function, const CallArgs& args, std::initializer_list<std::string_view> names);
    const Value* get(size_t i) const { return values_[i]; }
    const Value& need(size_t i) const;
    // The fallback when it is not given; raises TypeError for another type.
    int64_t integer(size_t i, int64_t fallback) const;
    const std::string& text(size_t i) const;
    bool flag(size_t i, bool fallback) const { return values_[i] ? values_[i]->is_true() : fallback; }

  private:
    const char* function_;
    std::vector<const Value*> values_;
    std::vector<std::string_view> names_;
};

// A value that must be text; raises the error of an undefined one, or TypeError.
const std::string& need_text(const Value& value, const char* what);
// A value that must be an integer of 64 bits.
int64_t need_integer(const Value& value, const char* what);

}  // namespace cria::chat::jinja
