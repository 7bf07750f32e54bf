// Attributes of macros, namespaces and the loop variable.
#include "chat/jinja/objects.h"

#include "chat/jinja/library.h"

namespace cria::chat::jinja {
namespace {

Value loop_cycle(Engine&, const Value& self, const CallArgs& args) {
    if (args.positional.empty()) raise("TypeError", "no items for cycling given");
    const auto& loop = static_cast<const Loop&>(self.as_object());
    return args.positional[loop.index0 % args.positional.size()];
}

Value loop_changed(Engine&, const Value& self, const CallArgs& args) {
    auto& loop = static_cast<Loop&>(self.as_object());
    bool is_same = loop.last_changed.size() == args.positional.size();
    for (size_t i = 0; is_same && i < args.positional.size(); ++i) {
        is_same = loop.last_changed[i].equals(args.positional[i]);
    }
    // Only plain data is remembered, so that a loop never holds itself.
    loop.last_changed.clear();
    for (const Value& value : args.positional)
        loop.last_changed.push_back(value.is_object() ? Value(nullptr) : value);
    return !is_same;
}

}  // namespace

std::optional<Value> Namespace::attribute(std::string_view name) const {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
}

std::optional<Value> Macro::attribute(std::string_view name) const {
    if (name == "name") return Value(definition_.name);
    if (name == "catch_kwargs") return Value(definition_.uses_kwargs);
    if (name == "catch_varargs") return Value(definition_.uses_varargs);
    if (name == "caller") return Value(definition_.uses_caller);
    if (name != "arguments") return std::nullopt;
    std::vector<Value> names;
    for (const std::string& parameter : definition_.parameters) names.emplace_back(parameter);
    return Value::list(std::move(names), ListKind::tuple);
}

Loop::Loop(const For& statement, std::vector<Value> items, int depth0)
    : statement_(statement), items_(std::move(items)), depth0_(depth0) {
    for (const Value& item : items_) extent.enclose(item.extent());
}

std::optional<Value> Loop::attribute(std::string_view name) const {
    const auto number = [](size_t n) { return Value(static_cast<int64_t>(n)); };
    const size_t n_items = items_.size();
    if (name == "index0") return number(index0);
    if (name == "index") return number(index0 + 1);
    if (name == "revindex0") return number(n_items - index0 - 1);
    if (name == "revindex") return number(n_items - index0);
    if (name == "first") return Value(index0 == 0);
    if (name == "last") return Value(index0 + 1 == n_items);
    if (name == "length") return number(n_items);
    if (name == "depth0") return Value(depth0_);
    if (name == "depth") return Value(depth0_ + 1);
    if (name == "previtem")
        return index0 == 0 ? Value::undefined("there is no previous item") : items_[index0 - 1];
    if (name == "nextitem") {
        return index0 + 1 >= n_items ? Value::undefined("there is no next item") : items_[index0 + 1];
    }
    return std::nullopt;
}

Value Loop::call(Engine& engine, const CallArgs& args) {
    if (!is_callable()) {
        raise(
            "TypeError",
            "The loop must have the 'recursive' marker to be called recursively, and must still be running");
    }
    if (args.positional.size() != 1) raise("TypeError", "loop() takes exactly one argument");
    return engine.run_loop(statement_, args.positional[0], depth0_ + 1);
}

Value loop_method(std::string_view name, const Value& loop) {
    if (loop.as_object().type_name() != "LoopContext") return {};
    if (name == "cycle") return bound_function("cycle", loop_cycle, loop);
    if (name == "changed") return bound_function("changed", loop_changed, loop);
    return {};
}

}  // namespace cria::chat::jinja
