// JSON schemas that servers outside send. They are compiled to judge arguments before a call and results after it, but
// they are not trusted with this process's time and stack: a schema that refers to itself or unfolds without measure is
// not compiled, and regular expressions are left to the server, since the library's may run for ever or to the end of
// the stack.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "tool/schema.h"

namespace braidlog::tool::mcp {

// Accepts whatever `schema` accepts, and more where it has patterns. kBadField: it cannot be used here.
Result<Schema> compile_foreign(const json::object& schema);

// The schema that is compiled: without what needs regular expressions. For tests.
json::value without_patterns(const json::object& schema);

}  // namespace braidlog::tool::mcp
