// The objects that running statements makes: macros and the loop variable.
#pragma once

#include "chat/jinja/engine.h"

namespace cria::chat::jinja {

class Macro : public Object {
  public:
    Macro(const MacroDefinition& definition, Scope* scope) : definition_(definition), scope_(scope) {}
    std::string_view type_name() const override { return "Macro"; }
    std::optional<Value> attribute(std::string_view name) const override;
    bool is_callable() const override { return true; }
    Value call(Engine& engine, const CallArgs& args) override {
        return engine.run_macro(definition_, scope_, args);
    }

  private:
    const MacroDefinition& definition_;
    Scope* scope_;  // where it was defined; the engine keeps it
};

// The variable `loop`. It follows the iteration while the loop runs and keeps its last state afterwards.
class Loop : public Object {
  public:
    Loop(const For& statement, std::vector<Value> items, int depth0);
    std::string_view type_name() const override { return "LoopContext"; }
    std::optional<Value> attribute(std::string_view name) const override;
    bool is_callable() const override { return is_running && statement_.is_recursive; }
    Value call(Engine& engine, const CallArgs& args) override;

    const std::vector<Value>& items() const { return items_; }
    size_t index0 = 0;
    bool is_running = true;
    std::vector<Value> last_changed;  // arguments of the previous loop.changed(...)

  private:
    const For& statement_;
    std::vector<Value> items_;
    int depth0_;
};

// loop.cycle and loop.changed, which need the loop itself; undefined for other names and objects.
Value loop_method(std::string_view name, const Value& loop);

}  // namespace cria::chat::jinja
