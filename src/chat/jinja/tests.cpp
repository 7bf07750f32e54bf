// Tests: what may follow `is`.
#include <algorithm>

#include "chat/jinja/library.h"
#include "chat/jinja/names.h"
#include "chat/jinja/text.h"

namespace cria::chat::jinja {
namespace {

// Tests that look at the kind of the value only.
template <bool (Value::*property)() const>
Value kind_test(Engine&, const Value& self, const CallArgs&) {
    return (self.*property)();
}

template <CompareOp op>
Value compare_test(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("test", args, {"other"});
    return holds(engine, op, self, bound.need(0));
}

Value test_defined(Engine&, const Value& self, const CallArgs&) { return !self.is_undefined(); }
Value test_callable(Engine&, const Value& self, const CallArgs&) {
    return self.is_object() && self.as_object().is_callable();
}
Value test_true(Engine&, const Value& self, const CallArgs&) { return self.is_bool() && self.as_bool(); }
Value test_false(Engine&, const Value& self, const CallArgs&) { return self.is_bool() && !self.as_bool(); }
Value test_iterable(Engine&, const Value& self, const CallArgs&) { return is_iterable(self); }
Value test_sequence(Engine&, const Value& self, const CallArgs&) {
    return self.is_undefined() || self.is_string() || self.is_dict() ||
           (self.is_list() && self.as_list().kind <= ListKind::range);
}
Value test_escaped(Engine&, const Value& self, const CallArgs&) { return self.is_markup(); }

int64_t remainder_of(Engine& engine, const Value& self, const Value& divisor) {
    return need_integer(binary(engine, BinaryOp::modulo, self, divisor), "test");
}
Value test_even(Engine& engine, const Value& self, const CallArgs&) {
    return remainder_of(engine, self, 2) == 0;
}
Value test_odd(Engine& engine, const Value& self, const CallArgs&) {
    return remainder_of(engine, self, 2) == 1;
}
Value test_divisibleby(Engine& engine, const Value& self, const CallArgs& args) {
    const Bound bound("divisibleby", args, {"num"});
    return remainder_of(engine, self, bound.need(0)) == 0;
}

// Has letters with case, and all of them in this one.
bool has_only_case(const std::string& text, bool wants_upper) {
    bool has_any = false;
    for (size_t at = 0; at < text.size();) {
        const Char here = char_at(text, at);
        if (wants_upper ? is_lower(here.code) : is_upper(here.code)) return false;
        has_any |= wants_upper ? is_upper(here.code) : is_lower(here.code);
        at += here.bytes;
    }
    return has_any;
}
Value test_lower(Engine& engine, const Value& self, const CallArgs&) {
    return has_only_case(engine.text_of(self), false);
}
Value test_upper(Engine& engine, const Value& self, const CallArgs&) {
    return has_only_case(engine.text_of(self), true);
}

Value test_sameas(Engine&, const Value& self, const CallArgs& args) {
    const Bound bound("sameas", args, {"other"});
    return self.is_same(bound.need(0));
}
Value test_filter(Engine&, const Value& self, const CallArgs&) {
    return self.is_string() && has_filter(self.as_string());
}
Value test_test(Engine&, const Value& self, const CallArgs&) {
    return self.is_string() && has_test(self.as_string());
}

constexpr NamedFunction kTests[] = {
    {"boolean", kind_test<&Value::is_bool>},
    {"callable", test_callable},
    {"defined", test_defined},
    {"divisibleby", test_divisibleby},
    {"escaped", test_escaped},
    {"even", test_even},
    {"false", test_false},
    {"filter", test_filter},
    {"float", kind_test<&Value::is_float>},
    {"integer", kind_test<&Value::is_int>},
    {"iterable", test_iterable},
    {"lower", test_lower},
    {"mapping", kind_test<&Value::is_dict>},
    {"none", kind_test<&Value::is_none>},
    {"number", kind_test<&Value::is_number>},
    {"odd", test_odd},
    {"sameas", test_sameas},
    {"sequence", test_sequence},
    {"string", kind_test<&Value::is_string>},
    {"test", test_test},
    {"true", test_true},
    {"undefined", kind_test<&Value::is_undefined>},
    {"upper", test_upper},
    {"==", compare_test<CompareOp::equal>},
    {"eq", compare_test<CompareOp::equal>},
    {"equalto", compare_test<CompareOp::equal>},
    {"!=", compare_test<CompareOp::not_equal>},
    {"ne", compare_test<CompareOp::not_equal>},
    {">", compare_test<CompareOp::greater>},
    {"gt", compare_test<CompareOp::greater>},
    {"greaterthan", compare_test<CompareOp::greater>},
    {">=", compare_test<CompareOp::greater_equal>},
    {"ge", compare_test<CompareOp::greater_equal>},
    {"<", compare_test<CompareOp::less>},
    {"lt", compare_test<CompareOp::less>},
    {"lessthan", compare_test<CompareOp::less>},
    {"<=", compare_test<CompareOp::less_equal>},
    {"le", compare_test<CompareOp::less_equal>},
    {"in", compare_test<CompareOp::in>},
};

}  // namespace

NativeFunction find_test(std::string_view name) { return find_in(kTests, name); }
bool has_test(std::string_view name) { return find_test(name) != nullptr; }

}  // namespace cria::chat::jinja
