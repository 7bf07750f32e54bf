// Global functions. There is deliberately none that reaches outside: no files, no environment, no imports.
#include "chat/jinja/library.h"
#include "chat/jinja/objects.h"

namespace cria::chat::jinja {
namespace {

constexpr int64_t kMaxRange = 100000;

class Cycler : public Object {
  public:
    explicit Cycler(std::vector<Value> items) : items_(std::move(items)) {
        for (const Value& item : items_) extent.enclose(item.extent());
    }
    std::string_view type_name() const override { return "Cycler"; }
    std::optional<Value> attribute(std::string_view name) const override {
        if (name == "current") return items_[at];
        return std::nullopt;
    }
    Value next() {
        const Value item = items_[at];
        at = (at + 1) % items_.size();
        return item;
    }
    size_t at = 0;

  private:
    std::vector<Value> items_;
};

Value cycler_next(Engine&, const Value& self, const CallArgs&) {
    return static_cast<Cycler&>(self.as_object()).next();
}

Value cycler_reset(Engine&, const Value& self, const CallArgs&) {
    static_cast<Cycler&>(self.as_object()).at = 0;
    return nullptr;
}

class Joiner : public Object {
  public:
    explicit Joiner(Value separator) : separator_(std::move(separator)) {
        extent.enclose(separator_.extent());
    }
    std::string_view type_name() const override { return "Joiner"; }
    bool is_callable() const override { return true; }
    Value call(Engine&, const CallArgs&) override {
        if (was_called_) return separator_;
        was_called_ = true;
        return "";
    }

  private:
    Value separator_;
    bool was_called_ = false;
};

Value range(Engine& engine, const Value&, const CallArgs& args) {
    const Bound bound("range", args, {"start", "stop", "step"});
    const bool one = bound.get(1) == nullptr;
    const int64_t start = one ? 0 : bound.integer(0, 0);
    const int64_t stop = one ? need_integer(bound.need(0), "range") : bound.integer(1, 0);
    const int64_t step = bound.integer(2, 1);
    if (step == 0) raise("ValueError", "range() arg 3 must not be zero");
    std::vector<Value> items;
    for (__int128 i = start; step > 0 ? i < stop : i > stop; i += step) {
        if (static_cast<int64_t>(items.size()) >= kMaxRange) {
            raise("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).",
                  kMaxRange);
        }
        items.emplace_back(static_cast<int64_t>(i));
    }
    engine.charge(static_cast<int64_t>(items.size()) * 24);
    return Value::list(std::move(items), ListKind::range);
}

Value dict(Engine& engine, const Value&, const CallArgs& args) {
    Dict result;
    for (const Value& source : args.positional) {
        engine.charge(source.extent().weight);
        if (source.is_dict()) {
            for (const auto& [key, value] : source.as_dict().entries()) result.set(key, value);
            continue;
        }
        for (const Value& pair : engine.items_of(source)) {
            const std::vector<Value> parts = engine.items_of(pair);
            if (parts.size() != 2)
                raise("ValueError", "dictionary update sequence element has length {}; 2 is required",
                      parts.size());
            result.set(parts[0], parts[1]);
        }
    }
    for (const auto& [name, value] : args.named) result.set(name, value);
    return result;
}

Value make_namespace(Engine& engine, const Value&, const CallArgs& args) {
    const auto space = engine.new_namespace();
    for (const Value& source : args.positional) {
        if (!source.is_dict()) raise("TypeError", "namespace() takes a dict, not '{}'", source.type_name());
        engine.charge(static_cast<int64_t>(source.as_dict().size()) * 64);
        for (const auto& [key, value] : source.as_dict().entries())
            space->values.insert_or_assign(key.text(), value);
    }
    for (const auto& [name, value] : args.named) space->values.insert_or_assign(name, value);
    return Value(space);
}

Value raise_exception(Engine& engine, const Value&, const CallArgs& args) {
    const Bound bound("raise_exception", args, {"message"});
    throw TemplateError("raised", engine.text_of(bound.need(0)), 0);
}

Value strftime_now(Engine& engine, const Value&, const CallArgs& args) {
    const Bound bound("strftime_now", args, {"format"});
    return format_time(bound.text(0), engine.now());
}

Value cycler(Engine&, const Value&, const CallArgs& args) {
    if (args.positional.empty()) raise("RuntimeError", "at least one item has to be provided");
    return Value(std::make_shared<Cycler>(args.positional));
}

Value joiner(Engine&, const Value&, const CallArgs& args) {
    const Bound bound("joiner", args, {"sep"});
    return Value(std::make_shared<Joiner>(bound.get(0) ? *bound.get(0) : Value(", ")));
}

Value lipsum(Engine&, const Value&, const CallArgs&) {
    raise("NotImplementedError", "lipsum() makes random text and is not provided");
}

constexpr NamedFunction kGlobals[] = {
    {"raise_exception", raise_exception},
    {"namespace", make_namespace},
    {"range", range},
    {"dict", dict},
    {"strftime_now", strftime_now},
    {"cycler", cycler},
    {"joiner", joiner},
    {"lipsum", lipsum},
};

}  // namespace

Value object_method(std::string_view name, const Value& object) {
    if (object.as_object().type_name() == "Cycler") {
        if (name == "next") return bound_function("next", cycler_next, object);
        if (name == "reset") return bound_function("reset", cycler_reset, object);
    }
    return loop_method(name, object);
}

NativeFunction find_global(std::string_view name) { return find_in(kGlobals, name); }

}  // namespace cria::chat::jinja
