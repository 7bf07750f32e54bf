// Filters on lists, dictionaries and other sequences. Where Python gives a generator, so do these: it is true
// in a condition, has no length, and gives its items once.
#include <algorithm>

#include "chat/jinja/filters.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

Value generator(std::vector<Value> items) { return Value::list(std::move(items), ListKind::generator); }

Value without_case(const Value& value) {
    return value.is_string() ? Value(to_lower(value.as_string())) : value;
}

// What sorting and grouping compare: the value or its attribute, with upper and lower case the same unless
// told.
class KeyOf {
  public:
    KeyOf(const Value* attribute, bool is_case_sensitive) : is_case_sensitive_(is_case_sensitive) {
        if (!attribute || attribute->is_none()) return;
        if (!attribute->is_string()) {
            paths_.push_back(*attribute);
            return;
        }
        const std::string& text = attribute->as_string();
        for (size_t at = 0; at <= text.size();) {
            const size_t comma = std::min(text.find(',', at), text.size());
            paths_.emplace_back(text.substr(at, comma - at));
            at = comma + 1;
        }
    }
    Value operator()(const Value& value) const {
        if (paths_.empty()) return folded(value);
        if (paths_.size() == 1) return folded(get_path(value, paths_[0]));
        std::vector<Value> parts;
        for (const Value& path : paths_) parts.push_back(folded(get_path(value, path)));
        return Value::list(std::move(parts));
    }

  private:
    Value folded(const Value& value) const { return is_case_sensitive_ ? value : without_case(value); }
    bool is_case_sensitive_;
    std::vector<Value> paths_;
};

using Keyed = std::pair<Value, Value>;  // key, value

void sort_keyed(Engine& engine, std::vector<Keyed>& items, bool is_reversed) {
    std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
        engine.charge(16 + std::min(a.first.extent().weight, b.first.extent().weight));
        return is_reversed ? compare(b.first, a.first, "<") < 0 : compare(a.first, b.first, "<") < 0;
    });
}

std::vector<Keyed> keyed(Engine& engine, const Value& self, const KeyOf& key) {
    std::vector<Keyed> items;
    for (Value& item : engine.items_of(self)) {
        engine.charge(64 + (item.is_string() ? item.extent().weight : 0));
        Value item_key = key(item);
        items.emplace_back(std::move(item_key), std::move(item));
    }
    return items;
}

std::vector<Value> values_of(std::vector<Keyed> items) {
    std::vector<Value> values;
    values.reserve(items.size());
    for (Keyed& item : items) values.push_back(std::move(item.second));
    return values;
}

Value extreme(Engine& engine, const Value& self, const CallArgs& args, bool wants_max) {
    const Bound bound(wants_max ? "max" : "min", args, {"case_sensitive", "attribute"});
    std::vector<Keyed> items = keyed(engine, self, KeyOf(bound.get(1), bound.flag(0, false)));
    if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
    size_t best = 0;
    for (size_t i = 1; i < items.size(); ++i) {
        engine.charge(16 + std::min(items[i].first.extent().weight, items[best].first.extent().weight));
        const int order = compare(items[i].first, items[best].first, wants_max ? ">" : "<");
        if (wants_max ? order > 0 : order < 0) best = i;
    }
    return items[best].second;
}

CallArgs without_first(const CallArgs& args, size_t n) {
    return {{args.positional.begin() + static_cast<std::ptrdiff_t>(n), args.positional.end()}, args.named};
}

// select, reject, selectattr and rejectattr: keeps the items of which the test (or their truth) is `wanted`.
struct Selection {
    const char* name;
    bool has_attribute;
    bool wanted;
};
Value selected(Engine& engine, const Value& self, const CallArgs& args, const Selection& how) {
    const size_t n_attribute = how.has_attribute ? 1 : 0;
    if (args.positional.size() < n_attribute)
        raise("FilterArgumentError", "Missing parameter for attribute name");
    const bool has_test = args.positional.size() > n_attribute;
    const std::string test = has_test ? need_text(args.positional[n_attribute], how.name) : "";
    const CallArgs rest = has_test ? without_first(args, n_attribute + 1) : CallArgs{};
    std::vector<Value> kept;
    if (!self.is_true()) return generator({});  // none is allowed, as in Jinja
    for (Value& item : engine.items_of(self)) {
        engine.charge(64);
        const Value subject = how.has_attribute ? get_path(item, args.positional[0]) : item;
        const bool holds = has_test ? engine.apply_test(test, subject, rest) : subject.is_true();
        if (holds == how.wanted) kept.push_back(std::move(item));
    }
    return generator(std::move(kept));
}

}  // namespace

std::string join_values(Engine& engine, const std::string& separator, const std::vector<Value>& items) {
    engine.charge(static_cast<int64_t>(separator.size() * items.size()));
    std::string result;
    for (size_t i = 0; i < items.size(); ++i) {
        if (i > 0) result += separator;
        result += engine.text_of(items[i]);
    }
    return result;
}

Value filter_batch(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("batch", args, {"linecount", "fill_with"});
    const int64_t n_line = need_integer(bound.need(0), "batch");
    if (n_line < 1) raise("ValueError", "batch: linecount must be at least 1, not {}", n_line);
    std::vector<Value> lines;
    std::vector<Value> line;
    for (Value& item : engine.items_of(self)) {
        if (static_cast<int64_t>(line.size()) == n_line)
            lines.push_back(Value::list(std::exchange(line, {})));
        line.push_back(std::move(item));
    }
    if (!line.empty()) {
        if (bound.get(1) && !bound.get(1)->is_none()) {
            engine.charge(n_line > (int64_t{1} << 32) ? INT64_MAX : n_line * 24);
            while (static_cast<int64_t>(line.size()) < n_line) line.push_back(*bound.get(1));
        }
        lines.push_back(Value::list(std::move(line)));
    }
    return generator(std::move(lines));
}

Value filter_slice(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("slice", args, {"slices", "fill_with"});
    const int64_t n_slices = need_integer(bound.need(0), "slice");
    if (n_slices < 1) raise("ZeroDivisionError", "integer division or modulo by zero");
    engine.charge(n_slices > (int64_t{1} << 32) ? INT64_MAX : n_slices * 64);
    const std::vector<Value> items = engine.items_of(self);
    const auto n_items = static_cast<int64_t>(items.size());
    std::vector<Value> slices;
    for (int64_t i = 0, at = 0; i < n_slices; ++i) {
        const bool is_longer = i < n_items % n_slices;
        const int64_t end = at + n_items / n_slices + (is_longer ? 1 : 0);
        std::vector<Value> slice(items.begin() + at, items.begin() + end);
        if (bound.get(1) && !bound.get(1)->is_none() && !is_longer) slice.push_back(*bound.get(1));
        slices.push_back(Value::list(std::move(slice)));
        at = end;
    }
    return generator(std::move(slices));
}

Value filter_dictsort(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("dictsort", args, {"case_sensitive", "by", "reverse"});
    if (self.is_undefined()) raise_undefined(self);
    if (!self.is_dict()) raise("UndefinedError", "'{}' has no attribute 'items'", owner_name(self));
    const std::string by = bound.get(1) ? bound.text(1) : "key";
    if (by != "key" && by != "value")
        raise("FilterArgumentError", "You can only sort by either \"key\" or \"value\"");
    std::vector<Keyed> items;
    for (const auto& [key, value] : self.as_dict().entries()) {
        engine.charge(64);
        const Value& subject = by == "key" ? key : value;
        items.emplace_back(bound.flag(0, false) ? subject : without_case(subject),
                           Value::list({key, value}, ListKind::tuple));
    }
    sort_keyed(engine, items, bound.flag(2, false));
    return Value::list(values_of(std::move(items)));
}

Value filter_first(Engine& engine, const Value& self, const CallArgs&) {
    if (self.is_list() && self.as_list().n_consumed < self.as_list().items.size()) {
        const List& list = self.as_list();
        return list.kind == ListKind::generator ? list.items[list.n_consumed++] : list.items[0];
    }
    const std::vector<Value> items = engine.items_of(self);
    return items.empty() ? Value::undefined("No first item, sequence was empty.") : items.front();
}

Value filter_last(Engine& engine, const Value& self, const CallArgs&) {
    if (self.is_list(ListKind::generator)) raise("TypeError", "'generator' object is not reversible");
    const std::vector<Value> items = engine.items_of(self);
    return items.empty() ? Value::undefined("No last item, sequence was empty.") : items.back();
}

Value filter_groupby(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("groupby", args, {"attribute", "default", "case_sensitive"});
    std::vector<Keyed> items;
    for (const Value& item : engine.items_of(self)) {
        engine.charge(64);
        Value key = get_path(item, bound.need(0));
        if (key.is_undefined() && bound.get(1)) key = *bound.get(1);
        items.emplace_back(bound.flag(2, false) ? key : without_case(key), Value::list({key, item}));
    }
    sort_keyed(engine, items, false);
    std::vector<Value> groups;
    for (size_t at = 0; at < items.size();) {
        std::vector<Value> members;
        const size_t first = at;
        for (; at < items.size() && items[at].first.equals(items[first].first); ++at) {
            members.push_back(items[at].second.as_list().items[1]);
        }
        groups.push_back(Value::list(
            {items[first].second.as_list().items[0], Value::list(std::move(members))}, ListKind::tuple));
    }
    return Value::list(std::move(groups));
}

Value filter_items(Engine& engine, const Value& self, const CallArgs&) {
    if (self.is_undefined()) return generator({});
    if (!self.is_dict()) raise("TypeError", "Can only get item pairs from a mapping.");
    engine.charge(static_cast<int64_t>(self.as_dict().size()) * 64);
    std::vector<Value> items;
    for (const auto& [key, value] : self.as_dict().entries())
        items.push_back(Value::list({key, value}, ListKind::tuple));
    return generator(std::move(items));
}

Value filter_join(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("join", args, {"d", "attribute"});
    std::vector<Value> items = engine.items_of(self);
    if (bound.get(1) && !bound.get(1)->is_none()) {
        for (Value& item : items) item = get_path(item, *bound.get(1));
    }
    return join_values(engine, bound.get(0) ? engine.text_of(*bound.get(0)) : "", items);
}

Value filter_length(Engine& engine, const Value& self, const CallArgs&) {
    if (self.is_string()) engine.charge(self.extent().weight);
    return length_of(self);
}

Value filter_list(Engine& engine, const Value& self, const CallArgs&) {
    return Value::list(engine.items_of(self));
}

Value filter_map(Engine& engine, const Value& self, const CallArgs& args) {
    std::vector<Value> results;
    if (!self.is_true()) return generator({});  // none is allowed, as in Jinja
    if (args.positional.empty()) {
        const Bound bound("map", args, {"attribute", "default"});
        for (const Value& item : engine.items_of(self)) {
            engine.charge(64);
            Value value = get_path(item, bound.need(0));
            results.push_back(value.is_undefined() && bound.get(1) ? *bound.get(1) : std::move(value));
        }
        return generator(std::move(results));
    }
    const std::string& filter = need_text(args.positional[0], "map");
    const CallArgs rest = without_first(args, 1);
    for (const Value& item : engine.items_of(self)) {
        engine.charge(64);
        results.push_back(engine.apply_filter(filter, item, rest));
    }
    return generator(std::move(results));
}

Value filter_max(Engine& engine, const Value& self, const CallArgs& args) {
    return extreme(engine, self, args, true);
}
Value filter_min(Engine& engine, const Value& self, const CallArgs& args) {
    return extreme(engine, self, args, false);
}

Value filter_select(Engine& engine, const Value& self, const CallArgs& args) {
    return selected(engine, self, args, {"select", false, true});
}
Value filter_reject(Engine& engine, const Value& self, const CallArgs& args) {
    return selected(engine, self, args, {"reject", false, false});
}
Value filter_selectattr(Engine& engine, const Value& self, const CallArgs& args) {
    return selected(engine, self, args, {"selectattr", true, true});
}
Value filter_rejectattr(Engine& engine, const Value& self, const CallArgs& args) {
    return selected(engine, self, args, {"rejectattr", true, false});
}

Value filter_reverse(Engine& engine, const Value& self, const CallArgs&) {
    std::vector<Value> items = engine.items_of(self);
    std::reverse(items.begin(), items.end());
    return self.is_string() ? Value(join_values(engine, "", items)) : generator(std::move(items));
}

Value filter_sort(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("sort", args, {"reverse", "case_sensitive", "attribute"});
    std::vector<Keyed> items = keyed(engine, self, KeyOf(bound.get(2), bound.flag(1, false)));
    sort_keyed(engine, items, bound.flag(0, false));
    return Value::list(values_of(std::move(items)));
}

Value filter_sum(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("sum", args, {"attribute", "start"});
    Value total = bound.get(1) ? *bound.get(1) : Value(int64_t{0});
    for (const Value& item : engine.items_of(self)) {
        const bool has_attribute = bound.get(0) && !bound.get(0)->is_none();
        total = binary(engine, BinaryOp::add, total, has_attribute ? get_path(item, *bound.get(0)) : item);
    }
    return total;
}

Value filter_unique(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("unique", args, {"case_sensitive", "attribute"});
    Dict seen;
    std::vector<Value> kept;
    for (Keyed& item : keyed(engine, self, KeyOf(bound.get(1), bound.flag(0, false)))) {
        if (seen.find(item.first)) continue;
        seen.set(item.first, nullptr);
        kept.push_back(std::move(item.second));
    }
    return generator(std::move(kept));
}

}  // namespace cria::chat::jinja
