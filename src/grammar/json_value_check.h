// Whether a JSON value satisfies a schema. Used for the values that enum and const list; internal to the
// room.
#pragma once

#include "grammar/json_schema_document.h"

namespace cria::grammar {

// Throws Error for schemas that are broken or use what is not supported.
bool satisfies(SchemaDocument& document, const Json& value, const SchemaNodes& nodes);

// Equality of JSON schema: 1 and 1.0 are equal, the order of properties does not matter.
bool json_equal(const Json& a, const Json& b);

}  // namespace cria::grammar
