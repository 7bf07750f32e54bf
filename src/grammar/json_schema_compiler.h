// From schema nodes to grammar rules. One rule per set of schemas that hold together; rules are built from a
// list, so recursion in the schema is recursion in the grammar and nothing else. Internal to the room:
// json_schema.h is the public face.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "grammar/grammar.h"
#include "grammar/json_schema.h"
#include "grammar/json_schema_document.h"

namespace cria::grammar {

class SchemaCompiler {
  public:
    // Rules and automata that one schema may need, so that nested counts cannot take all memory.
    static constexpr size_t kMaxRules = 100000;

    SchemaCompiler(SchemaDocument& document, const JsonSchemaOptions& options);
    // The grammar of all values that satisfy the document's root.
    Grammar build();

  private:
    using Alternative = SchemaDocument::Alternative;
    // A count such as maxItems; nothing when it is absent everywhere.
    struct CountRange {
        uint64_t min = 0;
        std::optional<uint64_t> max;
        bool is_empty() const { return max && *max < min; }
    };

    ExprId value(const SchemaNodes& nodes);  // a call of the rule for these
    ExprId alternative_value(const Alternative& alternative);
    uint32_t kinds(const Alternative& alternative) const;

    // json_schema_values.cpp
    ExprId listed_values(const Alternative& alternative, const std::vector<Json>& values);
    ExprId constant(const Json& value);
    std::optional<std::vector<Json>> values_of(const Alternative& alternative);
    bool is_excluded(const Alternative& alternative, const Json& value) const;
    std::vector<Json> excluded(const Alternative& alternative, uint32_t kind) const;
    ExprId numbers(const Alternative& alternative, uint32_t kinds);
    void narrow_by_bounds(StringSet& set, const Json* node);
    ExprId strings(const Alternative& alternative);
    // The strings that satisfy the alternative; nothing when only their length matters, which is then in
    // `length`.
    std::optional<StringSet> string_set(const Alternative& alternative, CountRange& length);
    StringSet all_strings(const SchemaNodes& nodes);  // those that satisfy the nodes, for property names

    // json_schema_arrays.cpp
    struct ArrayShape;
    ExprId array(const Alternative& alternative);
    ArrayShape array_shape(const Alternative& alternative);
    ExprId plain_array(const ArrayShape& shape);
    ExprId containing_array(const ArrayShape& shape);
    ExprId unique_array(const ArrayShape& shape, const Alternative& alternative);
    ExprId item(const ArrayShape& shape, size_t index);

    // json_schema_objects.cpp
    struct ObjectShape;
    struct Property;
    ExprId object(const Alternative& alternative);
    ObjectShape object_shape(const Alternative& alternative);
    std::optional<SchemaNodes> property_nodes(const Alternative& alternative, const std::string& name);
    void add_extras(ObjectShape& shape, const Alternative& alternative);
    ExprId object_from(ObjectShape& shape, size_t index, uint64_t n_members, uint64_t n_counted);
    ExprId object_state(ObjectShape& shape, size_t index, uint64_t n_members, uint64_t n_counted);

    // Shared pieces.
    ExprId any_value();
    ExprId any_string();
    ExprId string_character();
    ExprId space();
    ExprId text(std::string_view bytes) { return grammar_.literal(bytes); }
    // `what` repeated min..max times. Large counts become nested ones, so that they need few nodes.
    ExprId counted(ExprId what, CountRange count);
    ExprId exactly(ExprId what, uint64_t n);
    ExprId at_most(ExprId what, uint64_t n);
    CountRange count_range(const Alternative& alternative, const char* min_key, const char* max_key);
    uint64_t count(const Json* node, const char* key);
    bool leaves_out_unevaluated(const Alternative& alternative, const char* key);
    static bool is_true(const Json* node, const char* key) {
        return node->contains(key) && node->at(key) == true;
    }
    RuleId new_rule(const std::string& name);

    SchemaDocument& document_;
    JsonSchemaOptions options_;
    Grammar grammar_;
    std::map<SchemaNodes, RuleId> rules_;
    std::vector<std::pair<SchemaNodes, RuleId>> pending_;
    std::map<std::string, RuleId> shared_rules_;
};

}  // namespace cria::grammar
