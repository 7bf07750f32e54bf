// JSON schema (draft 2020-12, and what draft 7 says differently about arrays and dependencies) as a
// constraint. The rule: what is written is always valid. Keywords that cannot be constrained are refused by
// name; fewer values than the schema allows may be written (properties come in the schema's order, numbers
// with bounds without exponent).
#pragma once

#include <memory>
#include <string_view>

#include "grammar/program.h"

namespace cria::grammar {

struct JsonSchemaOptions {
    // false: a space, or a line break with up to 20 blanks, is allowed where JSON allows white space, as
    // models like to write.
    bool is_compact = false;
};

// Objects without additionalProperties are open when they name no properties, closed when they do. Unknown
// keywords and formats say nothing, by the standard. Throws Error{invalid_argument} for a broken schema or
// one that nothing satisfies, Error{unsupported} with the path of the keyword that cannot be constrained.
std::shared_ptr<const Program> compile_json_schema(std::string_view schema,
                                                   const JsonSchemaOptions& options = {});

// Any JSON object.
std::shared_ptr<const Program> compile_json_object(const JsonSchemaOptions& options = {});

}  // namespace cria::grammar
