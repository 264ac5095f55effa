// JSON schemas that servers outside send. They are compiled to judge arguments before a call and results after it, but
// they are not trusted with this process's time and stack: a schema that refers to itself or unfolds without measure is
// not compiled; regular expressions are left to the server, since the library's may run for ever or to the end of the
// stack, and so is whether items are unique, since the library compares each with each; and a value that is too large
// for its schema is not looked at.
#pragma once

#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "tool/schema.h"

namespace braidlog::tool::mcp {

// Immutable and thread-safe.
class ForeignSchema {
 public:
  ForeignSchema(Schema schema, std::size_t nodes) : schema_(std::move(schema)), nodes_(nodes) {}

  // As Schema::check(), but everything fits that would take too long to judge.
  Status check(const json::value& value) const;

 private:
  Schema schema_;
  std::size_t nodes_;  // with every reference followed
};

// Accepts whatever `schema` accepts, and more where it has what is left to the server. kBadField: it cannot be used
// here.
Result<ForeignSchema> compile_foreign(const json::object& schema);

}  // namespace braidlog::tool::mcp
