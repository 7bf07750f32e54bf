// The filters on sequences, and helpers that filters and methods share. Used inside this folder only.
#pragma once

#include "chat/jinja/library.h"

namespace cria::chat::jinja {

Value filter_batch(Engine& engine, const Value& self, const CallArgs& args);
Value filter_dictsort(Engine& engine, const Value& self, const CallArgs& args);
Value filter_first(Engine& engine, const Value& self, const CallArgs& args);
Value filter_groupby(Engine& engine, const Value& self, const CallArgs& args);
Value filter_items(Engine& engine, const Value& self, const CallArgs& args);
Value filter_join(Engine& engine, const Value& self, const CallArgs& args);
Value filter_last(Engine& engine, const Value& self, const CallArgs& args);
Value filter_length(Engine& engine, const Value& self, const CallArgs& args);
Value filter_list(Engine& engine, const Value& self, const CallArgs& args);
Value filter_map(Engine& engine, const Value& self, const CallArgs& args);
Value filter_max(Engine& engine, const Value& self, const CallArgs& args);
Value filter_min(Engine& engine, const Value& self, const CallArgs& args);
Value filter_reject(Engine& engine, const Value& self, const CallArgs& args);
Value filter_rejectattr(Engine& engine, const Value& self, const CallArgs& args);
Value filter_reverse(Engine& engine, const Value& self, const CallArgs& args);
Value filter_select(Engine& engine, const Value& self, const CallArgs& args);
Value filter_selectattr(Engine& engine, const Value& self, const CallArgs& args);
Value filter_slice(Engine& engine, const Value& self, const CallArgs& args);
Value filter_sort(Engine& engine, const Value& self, const CallArgs& args);
Value filter_sum(Engine& engine, const Value& self, const CallArgs& args);
Value filter_unique(Engine& engine, const Value& self, const CallArgs& args);

// The first `limit` appearances replaced; all when it is negative. An empty `old` matches between all
// characters.
std::string replaced(Engine& engine, const std::string& text, const std::string& old, const std::string& with,
                     int64_t limit);
struct Justify {
    int64_t width;
    char align;  // < > ^
    std::string fill = " ";
};
std::string justified(Engine& engine, const std::string& text, const Justify& how);
// The parts between runs of white space.
std::vector<std::string_view> split_words(std::string_view text);
// Texts joined with a separator between them; other values are printed first.
std::string join_values(Engine& engine, const std::string& separator, const std::vector<Value>& items);

}  // namespace cria::chat::jinja
