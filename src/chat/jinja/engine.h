// Runs a syntax tree: variables, scopes, output, and the limits that keep any template, however hostile, from
// taking much time, memory or stack. One Engine is one render; it is not thread-safe, and values it makes do
// not outlive it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/ast.h"
#include "chat/jinja/template.h"
#include "chat/jinja/value.h"

namespace cria::chat::jinja {

// A function of the language: a filter or method with what it is applied to, or a global (then `self` is
// undefined).
using NativeFunction = Value (*)(Engine& engine, const Value& self, const CallArgs& args);

struct Scope {
    Scope* parent = nullptr;
    std::map<std::string, Value, std::less<>> values;
    bool is_captured = false;  // a macro defined inside may look names up here later
};

class Namespace : public Object {
  public:
    std::string_view type_name() const override { return "jinja2.utils.Namespace"; }
    std::optional<Value> attribute(std::string_view name) const override;
    std::map<std::string, Value, std::less<>> values;
};

enum class Flow { normal, loop_break, loop_continue };

class Engine {
  public:
    Engine(const RenderOptions& options, const Dict& variables);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    std::string render(const Body& body);

    // Counts work that takes time or memory in proportion to `n_bytes`, before it is done. Raises
    // LimitExceeded.
    void charge(int64_t n_bytes);
    // value.text(), charged.
    std::string text_of(const Value& value);
    // iterate(value), charged.
    std::vector<Value> items_of(const Value& value);

    Value call(const Value& callee, const CallArgs& args);
    Value apply_filter(const std::string& name, const Value& input, const CallArgs& args);
    bool apply_test(const std::string& name, const Value& input, const CallArgs& args);
    std::shared_ptr<Namespace> new_namespace();
    // Seconds since 1970 that strftime_now shows.
    int64_t now() const { return now_; }

    // For the objects in interpreter.cpp: run a macro, or a loop body again with other items.
    Value run_macro(const MacroDefinition& macro, Scope* scope, const CallArgs& args);
    Value run_loop(const For& loop, const Value& iterable, int depth0);

  private:
    class ScopeGuard;
    class DepthGuard;

    void append(std::string_view text);
    Flow run(const Body& body);
    Flow run_stmt(const Stmt& stmt);
    Flow exec(const Data& data);
    Flow exec(const Print& print);
    Flow exec(const If& statement);
    Flow exec(const For& loop);
    Flow exec(const Set& set);
    Flow exec(const SetBlock& set);
    Flow exec(const std::shared_ptr<const MacroDefinition>& macro);
    Flow exec(const CallBlock& block);
    Flow exec(const FilterBlock& block);
    Flow exec(const With& with);
    Flow exec(const Group& group);
    Flow exec(const Break&) { return Flow::loop_break; }
    Flow exec(const Continue&) { return Flow::loop_continue; }
    Flow exec(const NeedsLoader&);

    Flow iterate_body(const For& loop, std::vector<Value> items, int depth0);
    std::vector<Value> loop_items(const For& loop, const Value& iterable);
    std::string capture(const Body& body);
    void assign(const Target& target, const Value& value);
    void bind_parameters(const MacroDefinition& macro, const CallArgs& args);
    Value bound_macro(const MacroDefinition& macro);

    Value eval(const Expr& expr);
    Value eval_node(const Literal& node) { return node.value; }
    Value eval_node(const Name& node) { return lookup(node.name); }
    Value eval_node(const ListDisplay& node);
    Value eval_node(const DictDisplay& node);
    Value eval_node(const Unary& node);
    Value eval_node(const Binary& node);
    Value eval_node(const Comparison& node);
    Value eval_node(const Concatenation& node);
    Value eval_node(const Conditional& node);
    Value eval_node(const AttributeOf& node);
    Value eval_node(const Subscript& node);
    Value eval_node(const SliceOf& node);
    Value eval_node(const Call& node);
    Value eval_node(const FilterCall& node);
    Value eval_node(const TestCall& node);
    std::optional<Value> change_list(const AttributeOf& method, const Arguments& args);
    CallArgs eval_args(const Arguments& args);
    Value lookup(const std::string& name) const;

    const RenderOptions& options_;
    const int64_t now_;
    const std::chrono::steady_clock::time_point deadline_;
    Scope root_;
    Scope* scope_ = &root_;
    std::vector<std::unique_ptr<Scope>> captured_scopes_;
    std::vector<std::shared_ptr<Namespace>> namespaces_;
    std::string* out_ = nullptr;
    Value block_text_;  // what a filter without input is applied to
    int line_ = 1;
    int depth_ = 0;
    int64_t work_ = 0;
    int64_t next_clock_check_ = 0;
};

}  // namespace cria::chat::jinja
