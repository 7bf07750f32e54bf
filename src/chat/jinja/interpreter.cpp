// Statements: control flow, scopes, macros and output.
#include <algorithm>
#include <ctime>

#include "chat/jinja/engine.h"
#include "chat/jinja/library.h"
#include "chat/jinja/objects.h"
#include "chat/jinja/parser.h"

namespace cria::chat::jinja {
namespace {

// The local wall clock as if it were UTC: templates print dates for people.
int64_t local_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    localtime_r(&now, &parts);
    return int64_t{now} + parts.tm_gmtoff;
}

constexpr int64_t kStepWork = 16;
constexpr int64_t kClockInterval = int64_t{1} << 18;

}  // namespace

// A new innermost scope while it lives. The engine keeps scopes that a macro may still look into.
class Engine::ScopeGuard {
  public:
    ScopeGuard(Engine& engine, Scope* parent)
        : engine_(engine), outer_(engine.scope_), scope_(std::make_unique<Scope>()) {
        scope_->parent = parent;
        engine_.scope_ = scope_.get();
    }
    ~ScopeGuard() {
        engine_.scope_ = outer_;
        if (scope_->is_captured) engine_.captured_scopes_.push_back(std::move(scope_));
    }
    ScopeGuard(const ScopeGuard&) = delete;
    ScopeGuard& operator=(const ScopeGuard&) = delete;

  private:
    Engine& engine_;
    Scope* outer_;
    std::unique_ptr<Scope> scope_;
};

class Engine::DepthGuard {
  public:
    explicit DepthGuard(Engine& engine) : engine_(engine) {
        if (++engine_.depth_ > engine_.options_.limits.max_depth) {
            --engine_.depth_;
            raise("LimitExceeded", "the template calls itself or nests more than {} deep",
                  engine_.options_.limits.max_depth);
        }
    }
    ~DepthGuard() { --engine_.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

  private:
    Engine& engine_;
};

Engine::Engine(const RenderOptions& options, const Dict& variables)
    : options_(options),
      now_(options.now ? *options.now : local_now()),
      deadline_(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(options.limits.max_seconds))) {
    for (const auto& [name, value] : variables.entries()) root_.values[name.text()] = value;
}

// Namespaces may hold each other in a circle; emptying them first lets everything go.
Engine::~Engine() {
    for (const auto& one : namespaces_) one->values.clear();
}

std::string Engine::render(const Body& body) {
    std::string out;
    out_ = &out;
    try {
        const ScopeGuard scope(*this, &root_);
        run(body);
    } catch (const TemplateError& error) {
        if (error.line() != 0) throw;
        throw TemplateError(error.kind(), error.detail(), line_);
    }
    return out;
}

void Engine::charge(int64_t n_bytes) {
    if (n_bytes > options_.limits.max_work - work_) {
        raise("LimitExceeded",
              "the template does too much work; the messages may be too long, or it may never end");
    }
    work_ += n_bytes;
    if (work_ < next_clock_check_) return;
    next_clock_check_ = work_ + kClockInterval;
    if (std::chrono::steady_clock::now() > deadline_) {
        raise("LimitExceeded", "the template ran for more than {} seconds", options_.limits.max_seconds);
    }
}

std::string Engine::text_of(const Value& value) {
    charge(value.extent().weight);
    return value.text();
}

std::vector<Value> Engine::items_of(const Value& value) {
    if (value.is_string()) charge(static_cast<int64_t>(value.as_string().size()) * 32);
    if (value.is_list()) charge(static_cast<int64_t>(value.as_list().items.size()) * 16);
    if (value.is_dict()) charge(static_cast<int64_t>(value.as_dict().size()) * 16);
    return iterate(value);
}

Value Engine::call(const Value& callee, const CallArgs& args) {
    if (callee.is_undefined()) raise_undefined(callee);
    if (!callee.is_object()) raise("TypeError", "'{}' object is not callable", callee.type_name());
    const DepthGuard depth(*this);
    return callee.as_object().call(*this, args);
}

std::shared_ptr<Namespace> Engine::new_namespace() {
    charge(256);
    namespaces_.push_back(std::make_shared<Namespace>());
    return namespaces_.back();
}

void Engine::append(std::string_view text) {
    charge(static_cast<int64_t>(text.size()));
    if (text.size() > options_.limits.max_output_bytes - out_->size()) {
        raise("LimitExceeded", "the template prints more than {} bytes", options_.limits.max_output_bytes);
    }
    out_->append(text);
}

std::string Engine::capture(const Body& body) {
    std::string text;
    std::string* const outer = std::exchange(out_, &text);
    try {
        run(body);
    } catch (...) {
        out_ = outer;
        throw;
    }
    out_ = outer;
    return text;
}

Flow Engine::run(const Body& body) {
    for (const Stmt& stmt : body) {
        const Flow flow = run_stmt(stmt);
        if (flow != Flow::normal) return flow;
    }
    return Flow::normal;
}

Flow Engine::run_stmt(const Stmt& stmt) {
    const DepthGuard depth(*this);
    charge(kStepWork);
    line_ = stmt.line;
    return std::visit([this](const auto& node) { return exec(node); }, stmt.node);
}

Flow Engine::exec(const Data& data) {
    append(data.text);
    return Flow::normal;
}

Flow Engine::exec(const Print& print) {
    const Value value = eval(*print.value);
    if (value.is_string()) {
        append(value.as_string());
    } else {
        append(text_of(value));
    }
    return Flow::normal;
}

Flow Engine::exec(const If& statement) {
    for (const auto& [test, body] : statement.branches) {
        if (eval(*test).is_true()) return run(body);
    }
    return run(statement.otherwise);
}

std::vector<Value> Engine::loop_items(const For& loop, const Value& iterable) {
    std::vector<Value> items = items_of(iterable);
    if (!loop.filter) return items;
    std::vector<Value> kept;
    for (Value& item : items) {
        const ScopeGuard scope(*this, scope_);
        assign(loop.target, item);
        if (eval(*loop.filter).is_true()) kept.push_back(std::move(item));
    }
    return kept;
}

Flow Engine::iterate_body(const For& loop, std::vector<Value> items, int depth0) {
    const auto state = std::make_shared<Loop>(loop, std::move(items), depth0);
    struct Stop {
        Loop& loop;
        ~Stop() { loop.is_running = false; }
    } stop{*state};
    for (size_t i = 0; i < state->items().size(); ++i) {
        const ScopeGuard scope(*this, scope_);
        state->index0 = i;
        scope_->values["loop"] = Value(state);
        assign(loop.target, state->items()[i]);
        if (run(loop.body) == Flow::loop_break) break;
    }
    return Flow::normal;
}

Flow Engine::exec(const For& loop) {
    std::vector<Value> items = loop_items(loop, eval(*loop.iterable));
    if (!items.empty()) return iterate_body(loop, std::move(items), 0);
    const ScopeGuard scope(*this, scope_);
    return run(loop.otherwise);
}

Value Engine::run_loop(const For& loop, const Value& iterable, int depth0) {
    std::string text;
    std::string* const outer = std::exchange(out_, &text);
    try {
        std::vector<Value> items = loop_items(loop, iterable);
        if (items.empty()) {
            run(loop.otherwise);
        } else {
            iterate_body(loop, std::move(items), depth0);
        }
    } catch (...) {
        out_ = outer;
        throw;
    }
    out_ = outer;
    return text;
}

void Engine::assign(const Target& target, const Value& value) {
    if (!target.parts.empty()) {
        if (!is_iterable(value))
            raise("TypeError", "cannot unpack non-iterable {} object", value.type_name());
        const std::vector<Value> items = items_of(value);
        const size_t n_wanted = target.parts.size();
        if (items.size() < n_wanted) {
            raise("ValueError", "not enough values to unpack (expected {}, got {})", n_wanted, items.size());
        }
        if (items.size() > n_wanted) raise("ValueError", "too many values to unpack (expected {})", n_wanted);
        for (size_t i = 0; i < n_wanted; ++i) assign(target.parts[i], items[i]);
    } else if (target.attribute.empty()) {
        scope_->values.insert_or_assign(target.name, value);
    } else {
        const Value owner = lookup(target.name);
        auto* const space = owner.is_object() ? dynamic_cast<Namespace*>(&owner.as_object()) : nullptr;
        if (!space) raise("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
        space->values.insert_or_assign(target.attribute, value);
    }
}

Flow Engine::exec(const Set& set) {
    assign(set.target, eval(*set.value));
    return Flow::normal;
}

Flow Engine::exec(const SetBlock& set) {
    Value value;
    {
        const ScopeGuard scope(*this, scope_);
        value = capture(set.body);
        if (set.filter) {
            const Value outer = std::exchange(block_text_, value);
            value = eval(*set.filter);
            block_text_ = outer;
        }
    }
    assign(set.target, value);
    return Flow::normal;
}

Value Engine::bound_macro(const MacroDefinition& macro) {
    charge(1024);  // its scope stays until the end
    for (Scope* scope = scope_; scope && !scope->is_captured; scope = scope->parent)
        scope->is_captured = true;
    return Value(std::make_shared<Macro>(macro, scope_));
}

Flow Engine::exec(const std::shared_ptr<const MacroDefinition>& macro) {
    scope_->values.insert_or_assign(macro->name, bound_macro(*macro));
    return Flow::normal;
}

void Engine::bind_parameters(const MacroDefinition& macro, const CallArgs& args) {
    const size_t n_parameters = macro.parameters.size();
    const size_t first_default = n_parameters - macro.defaults.size();
    for (size_t i = 0; i < n_parameters; ++i) {
        const std::string& name = macro.parameters[i];
        const Value* named = args.find(name);
        Value value;
        if (i < args.positional.size()) {
            if (named)
                raise("TypeError", "macro '{}' got two values for the argument '{}'", macro.name, name);
            value = args.positional[i];
        } else if (named) {
            value = *named;
        } else if (i >= first_default) {
            value = eval(*macro.defaults[i - first_default]);
        } else {
            value = Value::undefined(fmt::format("parameter '{}' was not provided", name));
        }
        scope_->values.insert_or_assign(name, value);
    }
    Dict rest;
    for (const auto& [name, value] : args.named) {
        if (std::find(macro.parameters.begin(), macro.parameters.end(), name) != macro.parameters.end())
            continue;
        if (name == "caller" && macro.uses_caller) {
            scope_->values.insert_or_assign(name, value);
        } else if (macro.uses_kwargs) {
            rest.set(name, value);
        } else {
            raise("TypeError", "macro '{}' takes no keyword argument '{}'", macro.name, name);
        }
    }
    if (macro.uses_kwargs) scope_->values["kwargs"] = Value(std::move(rest));
    if (macro.uses_varargs) {
        const size_t n_taken = std::min(n_parameters, args.positional.size());
        scope_->values["varargs"] = Value::list(
            {args.positional.begin() + static_cast<std::ptrdiff_t>(n_taken), args.positional.end()},
            ListKind::tuple);
    } else if (args.positional.size() > n_parameters) {
        raise("TypeError", "macro '{}' takes not more than {} argument(s)", macro.name, n_parameters);
    }
}

Value Engine::run_macro(const MacroDefinition& macro, Scope* scope, const CallArgs& args) {
    const ScopeGuard guard(*this, scope);
    bind_parameters(macro, args);
    return capture(macro.body);
}

Flow Engine::exec(const CallBlock& block) {
    const Call& call_node = std::get<Call>(block.call->node);
    const Value callee = eval(*call_node.callee);
    CallArgs args = eval_args(call_node.args);
    args.named.emplace_back("caller", bound_macro(block.caller));
    append(text_of(call(callee, args)));
    return Flow::normal;
}

Flow Engine::exec(const FilterBlock& block) {
    const ScopeGuard scope(*this, scope_);
    const Value outer = std::exchange(block_text_, Value(capture(block.body)));
    const Value result = eval(*block.filter);
    block_text_ = outer;
    append(text_of(result));
    return Flow::normal;
}

Flow Engine::exec(const With& with) {
    std::vector<Value> values;
    for (const auto& [target, expr] : with.values) values.push_back(eval(*expr));
    const ScopeGuard scope(*this, scope_);
    for (size_t i = 0; i < values.size(); ++i) assign(with.values[i].first, values[i]);
    return run(with.body);
}

Flow Engine::exec(const Group& group) { return run(group.body); }

Flow Engine::exec(const NeedsLoader&) { raise("TypeError", "no loader for this environment specified"); }

struct Template::Tree {
    Body body;
};

Template Template::compile(std::string_view source) {
    Template result;
    result.tree_ = std::make_shared<const Tree>(Tree{parse(source)});
    return result;
}

std::string Template::render(const Dict& variables, const RenderOptions& options) const {
    CRIA_BUG_UNLESS(tree_);
    return Engine(options, variables).render(tree_->body);
}

}  // namespace cria::chat::jinja
