// Values of the template language. A Value is 24 bytes and cheap to copy: text, lists and dictionaries are
// shared and never change once made, as in Jinja's immutable sandbox; only namespaces change. Nothing here is
// thread-safe except reading: values made by one render must not be used by another thread meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "chat/jinja/error.h"

namespace cria::chat::jinja {

// Values nested deeper than this are refused, so that printing, comparing and destroying them needs little
// stack.
inline constexpr int kMaxValueDepth = 200;
// ... and larger than this when written out. Shared parts count each time they appear: doubling a list a
// hundred times takes no memory, but printing it would.
inline constexpr int64_t kMaxValueWeight = int64_t{1} << 30;

class Value;
class Dict;
class Engine;

// What stands for a missing variable, attribute or element. Printing it gives nothing; most other uses raise
// its error.
struct Undefined {
    std::string message;                  // "'x' is undefined"
    const char* kind = "UndefinedError";  // or "SecurityError" for names that the sandbox hides
};

// Python tells these apart when printing, testing and indexing; all are sequences of values here.
enum class ListKind : uint8_t { list, tuple, range, generator, dict_keys, dict_values, dict_items };

// How deep a value is nested, and about how many bytes it takes when written out.
struct Extent {
    int depth = 0;
    int64_t weight = 1;
    // Makes room for one more child. Raises LimitExceeded beyond the limits above.
    void enclose(const Extent& child);
};

struct List {
    std::vector<Value> items;
    ListKind kind = ListKind::list;
    Extent extent{1, 2};
    mutable size_t n_consumed = 0;  // a generator gives each item once; the others leave this at 0
};

struct Text {
    std::string text;
    bool is_markup = false;  // declared safe: adding other text to it escapes that text for HTML, as in Jinja
};

struct CallArgs {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;
    const Value* find(std::string_view name) const;
};

// Everything that is not plain data: namespaces, macros, methods, functions, the loop variable.
class Object {
  public:
    virtual ~Object() = default;
    virtual std::string_view type_name() const = 0;
    virtual std::string text() const;
    virtual std::optional<Value> attribute(std::string_view name) const;
    virtual bool is_callable() const { return false; }
    virtual Value call(Engine& engine, const CallArgs& args);

    Extent extent{1, 2};  // like that of a list of what it holds
};

class Value {
  public:
    Value();  // undefined, without a name
    Value(std::nullptr_t) : data_(nullptr) {}
    Value(bool value) : data_(value) {}
    Value(int value) : data_(int64_t{value}) {}
    Value(int64_t value) : data_(value) {}
    Value(double value) : data_(value) {}
    Value(std::string text) : data_(std::make_shared<const Text>(Text{std::move(text)})) {}
    Value(std::string_view text) : Value(std::string(text)) {}
    Value(const char* text) : Value(std::string(text)) {}
    template <typename T>
    Value(const T*) = delete;  // else it would become a bool
    Value(Dict dict);
    template <typename T>
    requires std::is_base_of_v<Object, T> Value(std::shared_ptr<T> object)
        : data_(std::shared_ptr<Object>(std::move(object))) {}

    static Value markup(std::string text);
    // Raises LimitExceeded beyond the limits above.
    static Value list(std::vector<Value> items, ListKind kind = ListKind::list);
    static Value undefined(std::string message, const char* kind = "UndefinedError");
    // Raises LimitExceeded beyond these limits, and TypeError for a number that does not fit.
    static Value from_json(const nlohmann::ordered_json& json);

    bool is_undefined() const { return std::holds_alternative<UndefinedRef>(data_); }
    bool is_none() const { return std::holds_alternative<std::nullptr_t>(data_); }
    bool is_bool() const { return std::holds_alternative<bool>(data_); }
    bool is_int() const { return std::holds_alternative<int64_t>(data_); }
    bool is_float() const { return std::holds_alternative<double>(data_); }
    bool is_string() const { return std::holds_alternative<TextRef>(data_); }
    bool is_list() const { return std::holds_alternative<ListRef>(data_); }
    bool is_list(ListKind kind) const { return is_list() && as_list().kind == kind; }
    bool is_dict() const { return std::holds_alternative<DictRef>(data_); }
    bool is_object() const { return std::holds_alternative<ObjectRef>(data_); }
    bool is_integral() const { return is_int() || is_bool(); }  // Python counts booleans as integers
    bool is_number() const { return is_integral() || is_float(); }

    // The caller has checked the kind.
    const Undefined& as_undefined() const { return *std::get<UndefinedRef>(data_); }
    bool as_bool() const { return std::get<bool>(data_); }
    const std::string& as_string() const { return std::get<TextRef>(data_)->text; }
    bool is_markup() const { return is_string() && std::get<TextRef>(data_)->is_markup; }
    const List& as_list() const { return *std::get<ListRef>(data_); }
    const Dict& as_dict() const { return *std::get<DictRef>(data_); }
    Object& as_object() const { return *std::get<ObjectRef>(data_); }
    const std::shared_ptr<Object>& object_ref() const { return std::get<ObjectRef>(data_); }
    int64_t as_int() const;    // of an integral value
    double as_double() const;  // of a number

    bool is_true() const;
    // Python's name of the type: "str", "NoneType", "dict" ...
    std::string_view type_name() const;
    // What {{ value }} prints, and how it looks inside a printed list. Takes time in proportion to
    // extent().weight.
    std::string text() const;
    std::string repr() const;
    // Equal numbers, texts, lists and dictionaries are the same; `is_same` is Python's `is`.
    bool equals(const Value& other) const;
    bool is_same(const Value& other) const;
    Extent extent() const;

  private:
    using UndefinedRef = std::shared_ptr<const Undefined>;
    using TextRef = std::shared_ptr<const Text>;
    using ListRef = std::shared_ptr<const List>;
    using DictRef = std::shared_ptr<const Dict>;
    using ObjectRef = std::shared_ptr<Object>;
    std::variant<std::nullptr_t, UndefinedRef, bool, int64_t, double, TextRef, ListRef, DictRef, ObjectRef>
        data_;
};

// Keeps the order of insertion. Keys are texts, numbers, booleans, none, and tuples of these; 1, 1.0 and true
// are one key.
class Dict {
  public:
    using Entry = std::pair<Value, Value>;
    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;
    // Replaces or appends. Raises TypeError for a key that cannot be one.
    void set(const Value& key, Value value);
    const std::vector<Entry>& entries() const { return entries_; }
    size_t size() const { return entries_.size(); }
    const Extent& extent() const { return extent_; }

  private:
    size_t position(const std::string& hash) const;
    std::vector<Entry> entries_;
    std::unordered_map<std::string, size_t> index_;  // canonical text of the key -> entry
    Extent extent_{1, 2};
};

// "'str object'" as error messages name the owner of a missing attribute.
std::string owner_name(const Value& value);
[[noreturn]] void raise_undefined(const Value& value);

// -1, 0 or 1. Raises TypeError when the two have no order; `op` names the operator in the message.
int compare(const Value& a, const Value& b, const char* op);

// The items that iterating gives: characters of a text, keys of a dictionary. Takes them from a generator.
// Raises TypeError for what is not iterable.
std::vector<Value> iterate(const Value& value);
bool is_iterable(const Value& value);
// len(value); raises TypeError where Python has no length.
int64_t length_of(const Value& value);
// `item in container`.
bool contains(const Value& container, const Value& item);

}  // namespace cria::chat::jinja
