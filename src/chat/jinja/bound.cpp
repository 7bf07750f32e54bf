// Arguments by name and by position.
#include <algorithm>
#include <cmath>

#include "chat/jinja/library.h"

namespace cria::chat::jinja {

Bound::Bound(const char* function, const CallArgs& args, std::initializer_list<std::string_view> names)
    : function_(function), values_(names.size(), nullptr), names_(names) {
    if (args.positional.size() > names_.size()) {
        raise("TypeError", "{}() takes at most {} arguments ({} given)", function, names_.size(),
              args.positional.size());
    }
    for (size_t i = 0; i < args.positional.size(); ++i) values_[i] = &args.positional[i];
    for (const auto& [name, value] : args.named) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            raise("TypeError", "{}() got an unexpected keyword argument '{}'", function, name);
        auto& place = values_[static_cast<size_t>(found - names_.begin())];
        if (place) raise("TypeError", "{}() got multiple values for argument '{}'", function, name);
        place = &value;
    }
}

const Value& Bound::need(size_t i) const {
    if (!values_[i]) raise("TypeError", "{}() missing required argument '{}'", function_, names_[i]);
    return *values_[i];
}

int64_t Bound::integer(size_t i, int64_t fallback) const {
    return values_[i] ? need_integer(*values_[i], function_) : fallback;
}

const std::string& Bound::text(size_t i) const { return need_text(need(i), function_); }

const std::string& need_text(const Value& value, const char* what) {
    if (value.is_undefined()) raise_undefined(value);
    if (!value.is_string()) raise("TypeError", "{}: a str is required, not '{}'", what, value.type_name());
    return value.as_string();
}

int64_t need_integer(const Value& value, const char* what) {
    if (value.is_undefined()) raise_undefined(value);
    if (value.is_float()) {
        const double number = value.as_double();
        if (!(std::fabs(number) < 9.2e18))
            raise("OverflowError", "cannot convert float {} to integer", number);
        return static_cast<int64_t>(number);
    }
    if (!value.is_integral()) {
        raise("TypeError", "{}: '{}' object cannot be interpreted as an integer", what, value.type_name());
    }
    return value.as_int();
}

}  // namespace cria::chat::jinja
