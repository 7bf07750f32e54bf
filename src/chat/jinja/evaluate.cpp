// Expressions: each kind of node to its value.
#include "chat/jinja/engine.h"
#include "chat/jinja/library.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {

Value Engine::eval(const Expr& expr) {
    constexpr int64_t kStepWork = 16;
    if (++depth_ > options_.limits.max_depth) {
        --depth_;
        raise("LimitExceeded", "the template calls itself or nests more than {} deep",
              options_.limits.max_depth);
    }
    struct Leave {
        int& depth;
        ~Leave() { --depth; }
    } leave{depth_};
    charge(kStepWork);
    line_ = expr.line;
    return std::visit([this](const auto& node) { return eval_node(node); }, expr.node);
}

Value Engine::lookup(const std::string& name) const {
    for (const Scope* scope = scope_; scope; scope = scope->parent) {
        const auto found = scope->values.find(name);
        if (found != scope->values.end()) return found->second;
    }
    if (const NativeFunction global = find_global(name)) return bound_function(name, global, {});
    return Value::undefined(fmt::format("'{}' is undefined", name));
}

Value Engine::eval_node(const ListDisplay& node) {
    std::vector<Value> items;
    items.reserve(node.items.size());
    for (const ExprPtr& item : node.items) items.push_back(eval(*item));
    return Value::list(std::move(items), node.is_tuple ? ListKind::tuple : ListKind::list);
}

Value Engine::eval_node(const DictDisplay& node) {
    Dict dict;
    for (const auto& [key, value] : node.entries) {
        const Value name = eval(*key);
        dict.set(name, eval(*value));
    }
    return dict;
}

Value Engine::eval_node(const Unary& node) {
    const Value operand = eval(*node.operand);
    if (node.op == UnaryOp::logical_not) return !operand.is_true();
    return negated(operand, node.op);
}

Value Engine::eval_node(const Binary& node) {
    Value left = eval(*node.left);
    if (node.op == BinaryOp::logical_or) return left.is_true() ? left : eval(*node.right);
    if (node.op == BinaryOp::logical_and) return left.is_true() ? eval(*node.right) : left;
    return binary(*this, node.op, left, eval(*node.right));
}

Value Engine::eval_node(const Comparison& node) {
    Value left = eval(*node.first);
    for (const auto& [op, expr] : node.rest) {
        Value right = eval(*expr);
        if (!holds(*this, op, left, right)) return false;
        left = std::move(right);
    }
    return true;
}

Value Engine::eval_node(const Concatenation& node) {
    std::string text;
    for (const ExprPtr& part : node.parts) text += text_of(eval(*part));
    return text;
}

Value Engine::eval_node(const Conditional& node) {
    if (eval(*node.test).is_true()) return eval(*node.then);
    if (node.otherwise) return eval(*node.otherwise);
    return Value::undefined("the inline if-expression evaluated to false and no else section was defined.");
}

Value Engine::eval_node(const AttributeOf& node) { return get_attribute(eval(*node.object), node.name); }

Value Engine::eval_node(const Subscript& node) {
    const Value object = eval(*node.object);
    const Value key = eval(*node.index);
    if (object.is_string()) charge(static_cast<int64_t>(object.as_string().size()));
    return get_item(object, key);
}

Value Engine::eval_node(const SliceOf& node) {
    const Value object = eval(*node.object);
    const auto bound = [&](const ExprPtr& expr) { return expr ? eval(*expr) : Value(nullptr); };
    SliceBounds bounds{bound(node.start), bound(node.stop), bound(node.step)};
    return get_slice(*this, object, bounds);
}

CallArgs Engine::eval_args(const Arguments& args) {
    CallArgs values;
    for (const ExprPtr& arg : args.positional) values.positional.push_back(eval(*arg));
    for (const auto& [name, arg] : args.named) values.named.emplace_back(name, eval(*arg));
    if (args.star) {
        const Value more = eval(*args.star);
        if (!is_iterable(more))
            raise("TypeError", "Value after * must be an iterable, not {}", more.type_name());
        for (Value& item : items_of(more)) values.positional.push_back(std::move(item));
    }
    if (args.star_star) {
        const Value more = eval(*args.star_star);
        if (!more.is_dict())
            raise("TypeError", "argument after ** must be a mapping, not {}", more.type_name());
        charge(static_cast<int64_t>(more.as_dict().size()) * 64);
        for (const auto& [name, value] : more.as_dict().entries())
            values.named.emplace_back(name.text(), value);
    }
    return values;
}

// list.append(x) and list.pop(i) where the list has a place: the place gets the changed list. Nothing for
// other calls.
std::optional<Value> Engine::change_list(const AttributeOf& method, const Arguments& args) {
    const bool is_append = method.name == "append";
    if (!is_append && method.name != "pop") return std::nullopt;
    const auto* attribute = std::get_if<AttributeOf>(&method.object->node);
    const auto* name = std::get_if<Name>(attribute ? &attribute->object->node : &method.object->node);
    if (!name) return std::nullopt;
    const Value list = eval(*method.object);
    if (!list.is_list(ListKind::list)) return std::nullopt;
    const CallArgs values = eval_args(args);
    const Bound bound(is_append ? "append" : "pop", values, {"item"});
    std::vector<Value> items = items_of(list);
    Value result = nullptr;
    if (is_append) {
        items.push_back(bound.need(0));
    } else {
        const auto length = static_cast<int64_t>(items.size());
        const int64_t index = bound.integer(0, -1);
        const int64_t at = index < 0 ? index + length : index;
        if (at < 0 || at >= length)
            raise("IndexError", "{}", length ? "pop index out of range" : "pop from empty list");
        result = items[static_cast<size_t>(at)];
        items.erase(items.begin() + at);
    }
    Value changed = Value::list(std::move(items));
    if (attribute) {
        assign({name->name, attribute->name, {}}, changed);
        return result;
    }
    for (Scope* scope = scope_; scope; scope = scope->parent) {
        const auto found = scope->values.find(name->name);
        if (found == scope->values.end()) continue;
        found->second = std::move(changed);
        break;
    }
    return result;
}

Value Engine::eval_node(const Call& node) {
    if (const auto* method = std::get_if<AttributeOf>(&node.callee->node);
        method && options_.allow_list_changes) {
        if (std::optional<Value> result = change_list(*method, node.args)) return *result;
    }
    const Value callee = eval(*node.callee);
    return call(callee, eval_args(node.args));
}

Value Engine::eval_node(const FilterCall& node) {
    const Value input = node.input ? eval(*node.input) : block_text_;
    return apply_filter(node.name, input, eval_args(node.args));
}

Value Engine::eval_node(const TestCall& node) {
    const Value input = eval(*node.input);
    return apply_test(node.name, input, eval_args(node.args));
}

Value Engine::apply_filter(const std::string& name, const Value& input, const CallArgs& args) {
    const NativeFunction filter = find_filter(name);
    if (!filter) raise("TemplateRuntimeError", "No filter named {} found.", quoted_text(name));
    return filter(*this, input, args);
}

bool Engine::apply_test(const std::string& name, const Value& input, const CallArgs& args) {
    const NativeFunction test = find_test(name);
    if (!test) raise("TemplateRuntimeError", "No test named {} found.", quoted_text(name));
    return test(*this, input, args).is_true();
}

}  // namespace cria::chat::jinja
