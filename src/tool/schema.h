// A JSON Schema, compiled once, that says of a value whether it fits, and if not, why, in words a model can
// act on.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "port/tool.h"

namespace braidlog::tool {

// Immutable and thread-safe.
class Schema {
 public:
  // kMalformed when `text` is not JSON; kBadField when it is no schema or points to another document: a
  // schema never makes the server fetch anything.
  static Result<Schema> compile(std::string_view text);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // kToolInvalidArguments; the message has one line per fault, at most eight: "path: expected string".
  Status check(const json::value& value) const;

 private:
  struct Compiled;
  explicit Schema(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

// A tool whose arguments are judged by the schema in its spec. What most tools derive from.
class SchemaTool : public Tool {
 public:
  const ToolSpec& spec() const final { return spec_; }
  Status check(const json::value& args) const final { return schema_.check(args); }

 protected:
  // The schema is the program's own: one that does not compile stops the process.
  explicit SchemaTool(ToolSpec spec);

 private:
  ToolSpec spec_;
  Schema schema_;
};

// The string argument `name`, or empty when it is absent. `args` passed check().
std::string string_argument(const json::value& args, std::string_view name);

}  // namespace braidlog::tool
